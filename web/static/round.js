// One key each in a round of judging: what the button or link with that key does. The switch that
// turns shortcuts off on every page turns these off too.
const enabled = document.getElementById("keys-on");
let leaving = false; // for the next ticket: a key that is pressed meanwhile is not for this one

addEventListener("pageshow", () => {
  leaving = false;
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || enabled?.checked === false) return;
  if (event.target.closest("input, textarea, select, dialog") || event.repeat) return;
  const wanted = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!wanted) return;
  event.preventDefault();
  if (leaving) return;
  leaving = wanted.form?.reportValidity() ?? true;
  wanted.click();
});
