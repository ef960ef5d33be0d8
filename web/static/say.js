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

// On a line of its own: at the end of the form, or of what is named. News is what one should know
// though nothing failed.
export function complain(form, sentence, { at = form, news = false, signedOut = false } = {}) {
  for (const old of (form.closest(".row") ?? form).querySelectorAll(".problem-line")) old.remove();
  if (!sentence) return;
  const line = document.createElement("p");
  line.className = news ? "problem-line news" : "problem-line";
  line.append(sentence);
  if (signedOut) line.append(" ", signInLink());
  at.append(line);
  say(sentence);
}
