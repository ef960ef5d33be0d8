// A round of judging: an empty note is folded on a small screen, and one key each does what the
// button or link with that key does. The switch that turns shortcuts off on every page turns these
// off too.
import { PATIENCE_MS } from "./server.js";

const enabled = document.getElementById("keys-on");
const note = document.querySelector(".note");
const isEmpty = note?.querySelector("input").value === "";
if (isEmpty && matchMedia("(max-width: 36rem), (max-height: 36rem)").matches) note.open = false;

let leaving = 0; // for the next ticket: a key that is pressed meanwhile is not for this one

function stay() {
  clearTimeout(leaving);
  leaving = 0;
}

addEventListener("pageshow", stay);
addEventListener("unsent", stay); // the server is away
addEventListener("keydown", (event) => event.key === "Escape" && stay()); // stops loading

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || enabled?.checked === false) return;
  if (event.target.closest("input, textarea, select, dialog") || event.repeat) return;
  const wanted = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!wanted) return;
  event.preventDefault();
  if (leaving) return;
  if (wanted.form?.reportValidity() ?? true) leaving = setTimeout(stay, PATIENCE_MS);
  wanted.click();
});
