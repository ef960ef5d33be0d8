// Results while a query is written: asked for when the keys rest, and given up when outdated.
import { KEPT, say, signInLink } from "./say.js";

const REST_MS = 300;
const QUIET_MS = 1500; // after which a reader may speak, as it speaks of each key too
const PATIENCE_MS = 8000;
const SHORTEST = 3; // characters that are worth a search
const SIGNED_OUT = "You were signed out; sign in and try again.";

const form = document.querySelector("form[data-preview]");
const found = document.getElementById("found");
const invitation = found?.innerHTML;
let timer;
let speaking;
let told; // the last sentence
let shown; // the fields that the results are of; none where none are shown
let request = new AbortController();

// What is sent; spaces at an end find nothing else.
function fields() {
  const body = new FormData(form);
  for (const name of ["subject", "description"]) body.set(name, body.get(name).trim());
  return String(new URLSearchParams(body));
}

const written = () => `${form.elements.subject.value} ${form.elements.description.value}`.trim();

function show(piece, of) {
  found.innerHTML = piece;
  found.ariaBusy = "false";
  shown = of;
}

function tell(sentence) {
  clearTimeout(speaking);
  speaking = setTimeout(() => sentence === told || say((told = sentence)), QUIET_MS);
}

const counted = () => `${found.querySelector("h2").textContent}: ${found.querySelectorAll("li").length} shown.`;

// In place of results: why there are none.
function refuse(sentence) {
  const line = document.createElement("p");
  line.className = "problem";
  line.append(sentence);
  if (sentence === SIGNED_OUT) line.append(" ", signInLink());
  show("");
  found.append(line);
  tell(sentence);
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
  const outdated = request.signal;
  const signal = AbortSignal.any([outdated, AbortSignal.timeout(PATIENCE_MS)]);
  const asked = fields();
  const body = new URLSearchParams(asked);
  try {
    const response = await fetch(form.dataset.preview, { method: "POST", body, signal });
    const piece = await response.text();
    if (outdated.aborted) return;
    if (response.ok) {
      show(piece, asked);
      return tell(counted());
    }
    const page = new DOMParser().parseFromString(piece, "text/html");
    if (renewToken(page) && response.status === 400 && again) return look(false);
    refuse(reason(page, response.status));
  } catch {
    if (!outdated.aborted) refuse(KEPT);
  }
}

function changed() {
  clearTimeout(timer);
  clearTimeout(speaking);
  request.abort();
  if (written().length < SHORTEST) return show(invitation);
  const same = fields() === shown;
  found.ariaBusy = String(!same); // what is shown is of other words
  if (same) tell(counted());
  else timer = setTimeout(look, REST_MS);
}

if (form) {
  found.hidden = false;
  form.addEventListener("input", changed);
  addEventListener("pageshow", () => written() && changed()); // what the browser kept
}
