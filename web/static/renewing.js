// A piece of the page with work under way, every two seconds while somebody looks at it.

import { say } from "./say.js";

const SECONDS = 2;

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

async function renew() {
  const old = document.querySelector("[data-renew]");
  if (!old) return;
  try {
    if (!document.hidden) {
      const answer = await fetch(location.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = answer.ok && page.getElementById(old.id);
      if (fresh) {
        const focused = old.contains(document.activeElement) && document.activeElement.id;
        keep(old, fresh);
        tellChanges(old, fresh);
        old.replaceWith(fresh);
        if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
      }
    }
  } catch {
    // The server is away for a moment; what is shown stays until it answers.
  } finally {
    setTimeout(renew, 1000 * SECONDS);
  }
}

setTimeout(renew, 1000 * SECONDS);
