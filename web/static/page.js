// What the pages gain with JavaScript: judging in place, copying, shortcuts, live jobs.
// Everything here has a plain form or link behind it that works without.

const status = document.getElementById("status");
const results = document.querySelector(".results");

function say(sentence) {
  if (status) status.textContent = sentence;
}

// Judging -----------------------------------------------------------------------

function newEventId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function send(event) {
  const request = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(event),
  };
  const post = () => fetch(results.dataset.judgments, request);
  // The event id makes a second try safe when the first one's answer was lost.
  const response = await post().catch(post);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer.grade;
}

function show(card, grade) {
  card.classList.remove("YES", "REL", "NO");
  if (grade) card.classList.add(grade);
  for (const button of card.querySelectorAll(".grades button")) {
    button.setAttribute("aria-pressed", String(button.value === grade));
  }
  const undo = card.querySelector(".undo");
  if (!grade && document.activeElement === undo) card.querySelector(".grades button").focus();
  undo.hidden = !grade;
}

function complain(form, sentence) {
  form.querySelector(".problem-line")?.remove();
  if (!sentence) return;
  const line = document.createElement("span");
  line.className = "problem-line";
  line.textContent = sentence;
  form.append(line);
}

async function judge(form, wanted) {
  const card = form.closest(".card");
  const fields = new FormData(form);
  const rank = Number(fields.get("rank"));
  try {
    const grade = await send({
      query_id: results.dataset.query,
      ticket_id: fields.get("ticket_id"),
      grade: wanted || null,
      rank,
      score: Number(fields.get("score")),
      event_id: newEventId(),
    });
    show(card, grade);
    complain(form, "");
    say(grade ? `Result ${rank} is judged ${grade}.` : `The judgment of result ${rank} is undone.`);
  } catch (error) {
    const sentence = error instanceof TypeError ? "The server does not answer; try again." : error.message;
    complain(form, sentence);
    say(sentence);
  }
}

document.addEventListener("submit", (event) => {
  if (event.target.matches(".judge")) {
    event.preventDefault();
    judge(event.target, event.submitter.value);
  }
});

// Copying -----------------------------------------------------------------------

async function copy(button) {
  const text = button.closest(".solution").querySelector(".text");
  try {
    await navigator.clipboard.writeText(text.textContent);
  } catch {
    // Clipboard access needs https or localhost; elsewhere the selection does it.
    text.closest("details")?.setAttribute("open", "");
    getSelection().selectAllChildren(text);
    document.execCommand("copy");
  }
  const label = button.firstChild;
  label.data = "Copied";
  say("The solution is copied.");
  setTimeout(() => (label.data = "Copy"), 2000);
}

for (const button of document.querySelectorAll(".copy")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}

// Shortcuts ---------------------------------------------------------------------

const GRADES = { y: "YES", r: "REL", n: "NO", u: "" };

function goTo(step) {
  const cards = [...document.querySelectorAll(".cards .card")];
  const at = cards.indexOf(document.activeElement?.closest(".card"));
  const next = cards[Math.min(Math.max(at + step, 0), cards.length - 1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "start" });
}

function shortcut(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  if (event.key === "j" || event.key === "k") {
    event.preventDefault();
    goTo(event.key === "j" ? 1 : -1);
    return;
  }
  const card = document.activeElement?.closest(".cards .card");
  if (!card) return;
  if (event.key in GRADES) {
    const button = card.querySelector(`.judge [value="${GRADES[event.key]}"]`);
    if (!button.hidden) judge(button.form, button.value);
  } else if (event.key === "c") {
    card.querySelector(".copy")?.click();
  } else if (event.key === "o") {
    card.querySelector("a.ticket").click();
  }
}

const keys = document.getElementById("keys");
if (keys) {
  keys.closest("details").hidden = false;
  keys.checked = localStorage.getItem("shortcuts") !== "off";
  keys.addEventListener("change", () => localStorage.setItem("shortcuts", keys.checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => keys.checked && shortcut(event));
}

// Forms and jobs ------------------------------------------------------------------

for (const panel of document.querySelectorAll("[data-wide-open]")) {
  if (matchMedia("(min-width: 60rem)").matches) panel.open = true;
}

for (const form of document.querySelectorAll("form[data-busy]")) {
  const button = form.querySelector("button.primary");
  const label = button.textContent;
  form.addEventListener("submit", () => {
    button.disabled = true;
    button.textContent = form.dataset.busy;
  });
  addEventListener("pageshow", () => {
    button.disabled = false;
    button.textContent = label;
  });
}

async function refreshJobs() {
  const jobs = document.getElementById("jobs");
  if (!jobs?.hasAttribute("data-unfinished")) return;
  const open = [...jobs.querySelectorAll("details")].map((details) => details.open);
  try {
    const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
    const fresh = page.getElementById("jobs");
    if (fresh) {
      fresh.querySelectorAll("details").forEach((details, i) => (details.open = open[i] ?? false));
      jobs.replaceWith(fresh);
    }
  } finally {
    setTimeout(refreshJobs, 2000);
  }
}

setTimeout(refreshJobs, 2000);
