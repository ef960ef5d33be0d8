// The page of jobs, every two seconds while one is under way.

async function refresh() {
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
    setTimeout(refresh, 2000);
  }
}

setTimeout(refresh, 2000);
