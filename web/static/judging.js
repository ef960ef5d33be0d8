// Judging in place. Of each ticket one request is under way at a time, and after it the last
// wish is sent, so that the last key wins however slow the server is. One that is never answered is
// given up, and the next is sent.
import { AWAY, complain, say } from "./say.js";
import { PATIENCE_MS } from "./server.js";

const waiting = new Map(); // ticket id -> the last button that was pressed and is not sent yet
const busy = new Set(); // ids of tickets with a request under way

function newEventId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// No answer came, or none in time.
const isAway = (error) => error instanceof TypeError || error.name === "TimeoutError";

async function read(response) {
  const strange = `The server answered ${response.status} and not as expected; try again.`;
  const answer = await response.json().catch((error) => {
    if (isAway(error)) throw error;
    throw new Error(strange); // a page of a proxy in between, and no answer of ours
  });
  if (response.ok) return answer;
  throw new Error(typeof answer?.error === "string" ? answer.error : strange, { cause: response.status });
}

async function send(form, wish) {
  const fields = new FormData(form);
  const number = (name) => (fields.has(name) ? Number(fields.get(name)) : null);
  const event = {
    query_id: form.dataset.query,
    ticket_id: fields.get("ticket_id"),
    grade: wish || null,
    rank: number("rank"),
    score: number("score"),
    event_id: newEventId(),
    seen: fields.get("seen"),
  };
  const signal = AbortSignal.timeout(PATIENCE_MS); // of both tries together
  const post = () =>
    fetch(form.dataset.judgments, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(event),
      signal,
      keepalive: true, // a page that is left still sends it
    });
  // The event id makes a second try safe when the first one's answer was lost.
  return read(await post().catch(post));
}

// What is judged, or is on its way to be: nothing is said to be so before it is stored.
function show(form, grade, { pending = false } = {}) {
  const about = form.closest(".row, .asked-of");
  about?.classList.remove("YES", "REL", "NO");
  if (grade) about?.classList.add(grade);
  about?.classList.toggle("pending", pending);
  if (!pending) tell(about, grade);
  for (const button of form.elements.grade) {
    if (button.value) button.setAttribute("aria-pressed", String(button.value === grade));
    else hideUndo(button, !grade);
  }
}

// What somebody said, in place of what was guessed.
function tell(about, grade) {
  for (const guess of about?.querySelectorAll(".score, .guess") ?? []) guess.hidden = Boolean(grade);
  for (const mine of about?.querySelectorAll(".mine") ?? []) {
    mine.hidden = !grade;
    mine.querySelector("strong").textContent = grade;
    mine.querySelector("strong").className = grade;
  }
}

// Its focus goes to the button beside it.
function hideUndo(undo, hide) {
  if (hide && document.activeElement === undo) undo.parentElement.querySelector(".grades button").focus();
  undo.hidden = hide;
}

function told(ticket, answer) {
  if (answer.replaced) return answer.replaced;
  return answer.grade ? `${ticket} is judged ${answer.grade}.` : `The judgment of ${ticket} is undone.`;
}

async function sendAll(form, ticket) {
  busy.add(ticket);
  while (waiting.has(ticket)) {
    const button = waiting.get(ticket);
    const at = button.closest(".line, .here") ?? form; // where one looks
    waiting.delete(ticket);
    try {
      const answer = await send(form, button.value);
      form.elements.seen.value = answer.grade ?? "";
      complain(form, answer.replaced, { at, news: true });
      if (!waiting.has(ticket)) say(told(ticket, answer));
    } catch (error) {
      complain(form, isAway(error) ? AWAY : error.message, { at, signedOut: error.cause === 401 });
    }
    if (!waiting.has(ticket)) show(form, form.elements.seen.value);
  }
  busy.delete(ticket);
}

// As a press of the button does without a script.
export function judge(button) {
  const { form } = button;
  const ticket = form.elements.ticket_id.value;
  waiting.set(ticket, button);
  complain(form, ""); // what was said of another try
  show(form, button.value, { pending: true });
  if (!busy.has(ticket)) sendAll(form, ticket);
}

// A double click is one click: after the first, Undo has moved another button under the pointer.
document.addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("button[name=grade]")) event.preventDefault();
});

document.addEventListener("submit", (event) => {
  if (event.target.matches(".judge[data-judgments]")) {
    event.preventDefault();
    judge(event.submitter);
  }
});

// What waits when the page is left is sent at once.
addEventListener("pagehide", () => {
  for (const form of document.querySelectorAll(".judge[data-judgments]")) {
    const ticket = form.elements.ticket_id.value;
    if (waiting.has(ticket)) send(form, waiting.get(ticket).value).catch(() => {});
    waiting.delete(ticket);
  }
});
