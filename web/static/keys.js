// One key each: walk, judge, open, close, copy, search, help. They can be switched off for good,
// for those whose voice or reader sends letters.
import { judge } from "./judging.js";
import { beside, chosenRow, close, currentRow, open, walk } from "./rows.js";

const help = document.getElementById("keys");
const enabled = document.getElementById("keys-on");
const GRADES = { y: "YES", r: "REL", n: "NO", u: "" };
const STEPS = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

// Letters that are typed into nothing judge nothing, so somebody must have chosen the row.
const judged = () => chosenRow()?.querySelector(".judge") ?? document.querySelector(".asked-of .judge");

function grade(value) {
  const buttons = [...(judged()?.elements.grade ?? [])].filter((button) => button.checkVisibility());
  const button = buttons.find((button) => button.value === value);
  if (button) judge(button);
}

function search() {
  const subject = document.getElementById("subject");
  if (subject) subject.focus();
  else location.assign(help.dataset.form);
}

// Arrows scroll wherever else they are pressed.
const walks = (element) => element.matches(".row, .row a.open") || (element === document.body && beside());

function act(event) {
  const { key, target } = event;
  if (key in STEPS && (key.length === 1 || walks(target))) walk(STEPS[key]);
  else if (key in GRADES) event.repeat || grade(GRADES[key]);
  else if (key === "o" || (key === "Enter" && target.matches(".row"))) currentRow() && open(currentRow());
  else if (key === "Escape") {
    if (!close()) return;
  }
  else if (key === "c") (currentRow() ?? document).querySelector(".solution [data-copy]")?.click();
  else if (key === "/") search();
  else if (key === "?") help.showModal();
  else return;
  if (key !== "c") event.preventDefault();
}

// As Enter in a field does: the form's first button, unless that one is there to be no answer.
function press(form) {
  const first = form.querySelector("button:not([type=button])");
  if (!first?.disabled) form.requestSubmit(first);
}

function heard(event) {
  if (event.altKey || help.open) return;
  const typing = event.target.closest("input, textarea, select");
  if (event.ctrlKey || event.metaKey) {
    if (event.key === "Enter" && typing?.form) press(typing.form);
  } else if (enabled.checked && !typing) {
    act(event);
  }
}

enabled.checked = localStorage.getItem("shortcuts") !== "off";
enabled.addEventListener("change", () => localStorage.setItem("shortcuts", enabled.checked ? "on" : "off"));
document.addEventListener("keydown", heard);

for (const button of document.querySelectorAll("[data-opens]")) {
  button.hidden = false;
  button.addEventListener("click", () => document.getElementById(button.dataset.opens).showModal());
}
