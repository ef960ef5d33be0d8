// What stands beside the list is as tall as what is in sight there, so that its head and its foot are
// never outside the window; results.css places it.

const results = document.querySelector(".results");
const EDGE = 16; // pixels that are left above and below

function fit() {
  const { top, bottom } = results.getBoundingClientRect();
  const height = Math.min(bottom, innerHeight - EDGE) - Math.max(top, EDGE);
  results.style.setProperty("--in-sight", `${height}px`);
}

if (results) {
  addEventListener("scroll", fit, { passive: true });
  addEventListener("resize", fit);
  const changes = new ResizeObserver(fit); // also of what stands above
  for (const part of [results, document.body]) changes.observe(part);
}
