// The rows of an answer: which one is current, and opening it. A row is open when the address
// names it (`:target`), as its link does without a script.

const list = document.querySelector(".rows:has(.row)"); // not a plain list
const wide = matchMedia("(min-width: 62rem)");

const visible = () => [...list.querySelectorAll(".row")].filter((row) => row.checkVisibility());
const target = () => list?.querySelector(".row:target");
const shown = () => target() ?? (wide.matches ? visible()[0] : null); // beside the list the first is open
const link = (row) => row.querySelector("a.open").getAttribute("href");

// Whether there are rows, and what is open stands beside them, so that no page need scroll.
export const beside = () => Boolean(list && wide.matches);

const closed = () => list.dataset.closed !== undefined; // by Escape, and nothing opened since
const focused = () => document.activeElement?.closest(".row");

export function currentRow() {
  if (!list) return null;
  return focused() ?? (closed() ? null : shown());
}

// To the next row or the one before; beside the list it shows at once.
export function walk(step) {
  if (!list) return;
  const rows = visible();
  if (!rows.length) return;
  const at = rows.indexOf(focused() ?? (closed() ? null : target()));
  const row = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
  if (wide.matches) location.replace(link(row));
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

export function open(row) {
  delete list.dataset.closed;
  if (row !== target()) location.hash = link(row);
  row.querySelector(".detail").focus({ preventScroll: wide.matches });
}

// Whether anything was open.
export function close() {
  const row = currentRow() ?? target();
  if (!row) return false;
  list.dataset.closed = "";
  history.replaceState(null, "", location.pathname + location.search);
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  return true;
}

// An address may name a row that is folded under another.
document.getElementById(location.hash.slice(1))?.closest("details")?.setAttribute("open", "");

addEventListener("hashchange", () => list && delete list.dataset.closed);

// In place, the subject of an open row closes it again.
list?.addEventListener("click", (event) => {
  const row = event.target.closest("a.open, a.close")?.closest(".row");
  if (!row) return;
  if (wide.matches) {
    event.preventDefault(); // as a step of `walk`, no page to go back to
    delete list.dataset.closed;
    location.replace(link(row));
  } else if (row === target() && !closed()) {
    event.preventDefault();
    close();
  }
});
