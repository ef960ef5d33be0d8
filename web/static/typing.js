// Results while a query is written: asked for when the keys rest, and given up when outdated.
import { KEPT, say, signInLink } from "./say.js";
import { PATIENCE_MS, SIGNED_OUT, reason, renewToken } from "./server.js";

const REST_MS = 300;
const QUIET_MS = 1500; // after which a reader may speak, as it speaks of each key too
const SHORTEST = 3; // characters that are worth a search

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

async function look(again = true) {
  request = new AbortController();
  const outdated = request.signal;
  const signal = AbortSignal.any([outdated, AbortSignal.timeout(PATIENCE_MS)]);
  const asked = fields();
  const body = new URLSearchParams(asked);
  try {
    const response = await fetch(form.dataset.preview, { method: "POST", body, signal });
    const stale = response.status === 400 && again; // the form's token may be of another session
    if (stale && !(await renewToken(form, signal, KEPT))) return look(false);
    const said = response.ok ? await response.text() : await reason(response, KEPT);
    if (outdated.aborted) return;
    if (!response.ok) return refuse(said);
    show(said, asked);
    tell(counted());
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
  form.elements.subject.select(); // else what is typed stands before an old query
  form.addEventListener("input", changed);
  addEventListener("pageshow", () => written() && changed()); // what the browser kept
}
