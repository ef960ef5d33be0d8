// A piece of the page with work under way, every two seconds while somebody looks at it. It is
// replaced where something in it is new, and nobody is selecting its text. Where `data-renew` names
// an address, it is asked for there, and once there is none, what is there instead is opened.

import { say, signInLink } from "./say.js";
import { SIGNED_OUT, isSignedOut } from "./server.js";
import { showLocalTimes } from "./times.js";

const SECONDS = 2;

// As the server wrote it, but for the forms' tokens, which are new each time.
const written = (piece) => piece.outerHTML.replace(/(?<=name="csrf_token" value=")[^"]*/g, "");

const first = document.querySelector("[data-renew]");
let shown = first && written(first);

function keep(old, fresh) {
  for (const details of old.querySelectorAll("details[id]")) {
    const same = fresh.querySelector(`#${CSS.escape(details.id)}`);
    if (same) same.open = details.open;
  }
}

function tellChanges(old, fresh) {
  for (const job of fresh.querySelectorAll("article[id]")) {
    const [now, before] = [fresh, old].map((page) => page.querySelector(`#${CSS.escape(job.id)} .state`)?.textContent);
    if (before && now !== before) say(`${job.querySelector("h2").textContent}: ${now}`);
  }
}

// What stands where the focus is: the same tag, counted within the nearest element that has an id;
// where that is gone, the first link or button there.
function findAgain(focused) {
  const home = focused.closest("[id]");
  const tag = focused.tagName;
  const at = [...home.querySelectorAll(tag)].indexOf(focused);
  return () => {
    const fresh = document.getElementById(home.id);
    return at < 0 ? fresh : (fresh?.querySelectorAll(tag)[at] ?? fresh?.querySelector("a[href], button"));
  };
}

function replace(old, fresh) {
  const again = old.contains(document.activeElement) && findAgain(document.activeElement);
  keep(old, fresh);
  tellChanges(old, fresh);
  old.replaceWith(fresh);
  if (again) again()?.focus({ preventScroll: true });
}

function isSelected(piece) {
  const selection = getSelection();
  return !selection.isCollapsed && selection.getRangeAt(0).intersectsNode(piece);
}

function sayLast(piece, sentence) {
  const line = document.createElement("p");
  line.className = "problem";
  line.setAttribute("role", "alert");
  line.append(sentence, " ", signInLink());
  piece.prepend(line);
}

// Nobody is signed in, or the piece is gone.
function leave(piece) {
  if (piece.dataset.renew) location.assign(piece.dataset.renew);
  else sayLast(piece, SIGNED_OUT);
  return false;
}

// Whether to look again.
async function look(old) {
  const answer = await fetch(old.dataset.renew || location.href);
  if (isSignedOut(answer)) return leave(old);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = answer.ok && page.getElementById(old.id);
  if (answer.ok && !fresh && old.dataset.renew) return leave(old);
  if (fresh) showLocalTimes(fresh);
  if (fresh && written(fresh) !== shown && !isSelected(old)) {
    shown = written(fresh);
    replace(old, fresh);
  }
  return true;
}

async function renew() {
  const piece = document.querySelector("[data-renew]");
  if (!piece) return;
  let again = true;
  try {
    if (!document.hidden) again = await look(piece);
  } catch {
    // The server is away for a moment; what is shown stays until it answers.
  }
  if (again) setTimeout(renew, 1000 * SECONDS);
}

setTimeout(renew, 1000 * SECONDS);
