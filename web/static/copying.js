// Copying what a button carries: a solution as it stands, or as Markdown with its source.
import { say } from "./say.js";

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Clipboard access needs https or localhost; elsewhere a selection does it.
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

async function copy(button, label, words) {
  await write(button.dataset.copy);
  label.data = "Copied";
  say(button.dataset.said);
  setTimeout(() => (label.data = words), 2000);
  button.focus();
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const label = button.firstChild;
  const words = label.data;
  button.hidden = false;
  button.addEventListener("click", () => copy(button, label, words));
}
