// A form that was kept is sent with the token of the session that there is by then: one may have
// signed in in another tab.
import { KEPT, complain } from "./say.js";

const form = document.querySelector("form[data-token-from]");

async function renewToken() {
  const answer = await fetch(form.dataset.tokenFrom);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("[name=csrf_token]");
  if (fresh) form.elements.csrf_token.value = fresh.value;
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await renewToken();
  } catch {
    return complain(form, KEPT);
  }
  form.submit();
});
