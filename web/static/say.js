// Sentences for those who don't see a change, and for all when something went wrong.

export const AWAY = "The server does not answer; try again.";
export const KEPT = "The server does not answer; what you wrote is kept here.";

export function say(sentence) {
  const status = document.getElementById("status");
  if (status) status.textContent = sentence;
}

// To another tab, as what is written here stays.
export function signInLink() {
  const link = document.createElement("a");
  link.href = "/sign-in";
  link.target = "_blank";
  link.textContent = "Sign in in another tab";
  return link;
}

// On a line of its own: over the width of a row, else below the form. News is what one should know
// though nothing failed.
export function complain(form, sentence, { news = false, signedOut = false } = {}) {
  const place = form.closest(".row")?.querySelector(".line") ?? form;
  place.querySelector(".problem-line")?.remove();
  if (!sentence) return;
  const line = document.createElement("p");
  line.className = news ? "problem-line news" : "problem-line";
  line.append(sentence);
  if (signedOut) line.append(" ", signInLink());
  place.append(line);
  say(sentence);
}
