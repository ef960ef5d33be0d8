// The first steps, live: asks again every two seconds, and opens the form once it can answer. Who
// was signed out is sent to sign in.

const SHOWN = "steps";
let written = document.getElementById(SHOWN).outerHTML;

// Nothing is replaced that is the same: whoever selects a command, or stands on a link, stays there.
function show(fresh) {
  if (fresh.outerHTML === written) return;
  written = fresh.outerHTML;
  document.getElementById(SHOWN).replaceWith(fresh);
}

async function refreshSteps() {
  try {
    const answer = await fetch("/");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(SHOWN);
    if (!fresh && (answer.ok || answer.status === 401)) return location.assign("/");
    if (fresh) show(fresh);
  } catch {
    // The server does not answer; the next time it may.
  }
  setTimeout(refreshSteps, 2000);
}

setTimeout(refreshSteps, 2000);
