// A form that takes a while says so and takes no second click, until it is answered or given up.
// It is sent where the server answers: else a page of the browser's would replace what was written.
import { AWAY, KEPT, complain } from "./say.js";

const PATIENCE_MS = 8000; // after which a second click is meant
const WRITTEN = "textarea, input:not([type=hidden])";

// The icon is asked for, as nothing answers sooner: /healthz waits where a store or a broker hangs.
async function answers() {
  const icon = document.querySelector("link[rel=icon]").href;
  try {
    return (await fetch(icon, { method: "HEAD", cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

for (const form of document.querySelectorAll("form[data-busy]")) {
  const button = form.querySelector("button.primary") ?? form.querySelector("button");
  const label = button.textContent;
  let timer;
  let sending; // what the last click began, until it is given up
  let answered = false; // while it is sent

  const rest = () => {
    clearTimeout(timer);
    button.ariaDisabled = null;
    button.textContent = label;
  };

  async function send(submitter) {
    const mine = (sending = {});
    const there = await answers();
    if (mine !== sending) return;
    if (there) {
      answered = true;
      form.requestSubmit(submitter);
      answered = false;
    } else {
      rest();
      complain(form, form.querySelector(WRITTEN) ? KEPT : AWAY);
      dispatchEvent(new Event("unsent"));
    }
  }

  form.addEventListener("submit", (event) => {
    if (answered) return;
    event.preventDefault();
    if (button.ariaDisabled) return;
    button.ariaDisabled = "true";
    if (form.dataset.busy) button.textContent = form.dataset.busy;
    timer = setTimeout(() => (button.ariaDisabled = null), PATIENCE_MS);
    complain(form, "");
    send(event.submitter);
  });
  form.addEventListener("input", rest);
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return; // it stops loading
    sending = null;
    rest();
  });
  addEventListener("pageshow", rest);
}
