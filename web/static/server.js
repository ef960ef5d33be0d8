// What a page asks of the server before a form is sent, and what an answer that refuses says.

export const PATIENCE_MS = 8000; // after which a server is away, and a second click or key is meant
export const SIGNED_OUT = "You were signed out; sign in and try again.";

// Over plain http, what was asked for leads to signing in.
export const isSignedOut = (answer) => answer.status === 401 || answer.redirected;

// Why something was not done: a page of ours says it, one of a proxy in between does not.
export async function reason(answer, otherwise) {
  if (isSignedOut(answer)) return SIGNED_OUT;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector(".error h1")?.textContent ?? otherwise;
}

// Gives a form the token of the session that there is by now: one may have signed in in another
// tab. Returns why it cannot be sent, if so; throws where the server does not answer.
export async function renewToken(form, signal, otherwise) {
  const answer = await fetch("/account/form-token", { cache: "no-store", signal });
  if (!answer.ok || answer.redirected) return reason(answer, otherwise);
  const { csrf_token } = await answer.json();
  if (form.elements.csrf_token) form.elements.csrf_token.value = csrf_token;
  return "";
}
