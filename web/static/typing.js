// Results while a query is written: asked for when the keys rest, and given up when outdated.
import { say } from "./say.js";

const REST_MS = 150;
const SHORTEST = 3; // characters that are worth a search

const form = document.querySelector("form[data-preview]");
const found = document.getElementById("found");
const invitation = found?.innerHTML;
let timer;
let request = new AbortController();

function written() {
  const { subject, description } = form.elements;
  return `${subject.value} ${description.value}`.trim();
}

function show(piece) {
  found.innerHTML = piece;
  found.ariaBusy = "false";
}

async function look() {
  request = new AbortController();
  const { signal } = request;
  const body = new URLSearchParams(new FormData(form));
  try {
    const response = await fetch(form.dataset.preview, { method: "POST", body, signal });
    if (!response.ok) return show(invitation); // sending the form says what is wrong
    const piece = await response.text();
    if (signal.aborted) return;
    show(piece);
    say(`${found.querySelector("h2").textContent}: ${found.querySelectorAll("li").length} shown.`);
  } catch {
    if (!signal.aborted) show(invitation); // the server is away, which sending the form says
  }
}

function changed() {
  clearTimeout(timer);
  request.abort();
  if (written().length < SHORTEST) return show(invitation);
  found.ariaBusy = "true"; // what is shown is of other words
  timer = setTimeout(look, REST_MS);
}

if (form) {
  found.hidden = false;
  form.addEventListener("input", changed);
  addEventListener("pageshow", () => written() && changed()); // what the browser kept
}
