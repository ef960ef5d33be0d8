// Results while a query is written: asked for when the keys rest, and given up when outdated.
import { KEPT, say, signInLink } from "./say.js";

const REST_MS = 150;
const SHORTEST = 3; // characters that are worth a search
const SIGNED_OUT = "You were signed out; sign in and try again.";

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

// In place of results: why there are none.
function refuse(sentence) {
  const line = document.createElement("p");
  line.className = "problem";
  line.append(sentence);
  if (sentence === SIGNED_OUT) line.append(" ", signInLink());
  show("");
  found.append(line);
  say(sentence);
}

// A page of ours says why; one of a proxy in between says that the server is away.
function reason(page, status) {
  if (status === 401) return SIGNED_OUT;
  return page.querySelector(".error h1")?.textContent ?? KEPT;
}

// Whether the page has a form token of the session that there is by now: one may have signed in in
// another tab.
function renewToken(page) {
  const fresh = page.querySelector(".error [name=csrf_token]");
  if (fresh) form.elements.csrf_token.value = fresh.value;
  return Boolean(fresh);
}

async function look(again = true) {
  request = new AbortController();
  const { signal } = request;
  const body = new URLSearchParams(new FormData(form));
  try {
    const response = await fetch(form.dataset.preview, { method: "POST", body, signal });
    const piece = await response.text();
    if (signal.aborted) return;
    if (response.ok) {
      show(piece);
      return say(`${found.querySelector("h2").textContent}: ${found.querySelectorAll("li").length} shown.`);
    }
    const page = new DOMParser().parseFromString(piece, "text/html");
    if (renewToken(page) && response.status === 400 && again) return look(false);
    refuse(reason(page, response.status));
  } catch {
    if (!signal.aborted) refuse(KEPT);
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
