// Copying what a button carries: a solution as it stands, or Markdown with its source.
import { say } from "./say.js";

const BY_HAND = "Press Ctrl+C";

// A field with the text, all of it selected.
function selected(button, text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "by-hand";
  field.ariaLabel = BY_HAND;
  button.after(field);
  field.select();
  return field;
}

// Clipboard access needs https or localhost; elsewhere a selection does it, and where that is refused
// the selection stays for whoever copies it by hand.
async function write(button) {
  const text = button.dataset.copy;
  try {
    await navigator.clipboard.writeText(text);
    return null;
  } catch {
    const field = selected(button, text);
    if (!document.execCommand("copy")) return field;
    field.remove();
    return null;
  }
}

async function copy(button, label, words) {
  const field = await write(button);
  label.data = field ? BY_HAND : "Copied";
  say(field ? `${BY_HAND}.` : button.dataset.said);
  const rest = () => (label.data = words);
  if (!field) {
    setTimeout(rest, 2000);
    return button.focus();
  }
  field.addEventListener("blur", () => {
    field.remove();
    rest();
  });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const label = button.firstChild;
  const words = label.data;
  button.hidden = false;
  button.addEventListener("click", () => copy(button, label, words));
}
