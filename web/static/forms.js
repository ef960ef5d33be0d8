// A form that takes a while says so and takes no second click, until it is answered or given up.
// It is sent where the server answers, and knows who sends it: else another page would replace what
// was written.
import { AWAY, KEPT, complain } from "./say.js";
import { PATIENCE_MS, SIGNED_OUT, renewToken } from "./server.js";

const WRITTEN = "textarea, input:not([type=hidden]), .kept";

for (const form of document.querySelectorAll("form[data-busy]")) {
  const button = form.querySelector("button.primary") ?? form.querySelector("button");
  const label = [...button.childNodes];
  const away = form.querySelector(WRITTEN) ? KEPT : AWAY;
  let timer;
  let sending; // what the last click began, until it is given up
  let answered = false; // while it is sent

  const rest = () => {
    clearTimeout(timer);
    button.ariaDisabled = null;
    button.replaceChildren(...label);
  };

  const waitNoLonger = () => {
    button.ariaDisabled = null;
    sending?.abort();
  };

  async function send(submitter) {
    const mine = (sending = new AbortController());
    const problem = await renewToken(form, mine.signal, away).catch(() => away);
    if (mine !== sending) return;
    if (problem) {
      rest();
      complain(form, problem, { signedOut: problem === SIGNED_OUT });
      dispatchEvent(new Event("unsent"));
    } else {
      answered = true;
      form.requestSubmit(submitter);
      answered = false;
    }
  }

  form.addEventListener("submit", (event) => {
    if (answered) return;
    event.preventDefault();
    if (button.ariaDisabled) return;
    button.ariaDisabled = "true";
    if (form.dataset.busy) button.textContent = form.dataset.busy;
    timer = setTimeout(waitNoLonger, PATIENCE_MS);
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
