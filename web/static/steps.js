// The first steps, live: asks again every two seconds, and opens the form once it can answer. Who
// was signed out is sent to sign in.

async function refreshSteps() {
  try {
    const answer = await fetch("/");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("steps");
    if (!fresh && (answer.ok || answer.status === 401)) return location.assign("/");
    if (fresh) document.getElementById("steps").replaceWith(fresh);
  } catch {
    // The server does not answer; the next time it may.
  }
  setTimeout(refreshSteps, 2000);
}

setTimeout(refreshSteps, 2000);
