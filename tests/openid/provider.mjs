// A real OpenID provider on this machine: `node provider.mjs PORT REDIRECT_URI`. Whoever types a name
// is that person, with any password. It prints its issuer when it serves.
import Provider from "oidc-provider";

const [port, redirectUri] = process.argv.slice(2);
const issuer = `http://localhost:${port}`;
const GROUPS = { ada: ["desk-admins", "service"], ben: ["lab", "service"] };

const provider = new Provider(issuer, {
  clients: [{ client_id: "desk", client_secret: "not-so-secret", redirect_uris: [redirectUri] }],
  claims: { openid: ["sub"], profile: ["preferred_username", "groups"] },
  pkce: { required: () => true },
  cookies: { keys: ["of the tests"] },
  findAccount: (_, name) => ({
    accountId: name,
    claims: () => ({ sub: name, preferred_username: name, groups: GROUPS[name] ?? [] }),
  }),
});
provider.listen(port, "127.0.0.1", () => console.log(issuer));
