// Sentences for those who don't see a change, and for all when something went wrong.

export const AWAY = "The server does not answer; try again.";
export const KEPT = "The server does not answer; what you wrote is kept here.";

export function say(sentence) {
  const status = document.getElementById("status");
  if (status) status.textContent = sentence;
}

export function complain(form, sentence) {
  form.querySelector(".problem-line")?.remove();
  if (!sentence) return;
  const line = document.createElement("span");
  line.className = "problem-line";
  line.textContent = sentence;
  form.append(line);
  say(sentence);
}
