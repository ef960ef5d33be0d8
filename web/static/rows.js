// The rows of an answer: which one is current, and opening it. A row is open when the address
// names it (`:target`), as its link does without a script.

const list = document.querySelector(".rows:has(.row)"); // not a plain list
const wide = matchMedia("(min-width: 62rem)");

const visible = () => [...list.querySelectorAll(".row")].filter((row) => row.checkVisibility());
const target = () => list?.querySelector(".row:target");
const link = (row) => row.querySelector("a.open").getAttribute("href");

// Whether there are rows, and what is open stands beside them, so that no page need scroll.
export const beside = () => Boolean(list && wide.matches);

const closed = () => list.dataset.closed !== undefined; // by Escape, and nothing opened since
const focused = () => document.activeElement?.closest(".row");

// What has the focus or was opened by the person.
export function chosenRow() {
  if (!list) return null;
  return focused() ?? (closed() ? null : target());
}

// Where nothing is chosen, what stands beside the list: the first.
export const currentRow = () => chosenRow() ?? (beside() && !closed() ? visible()[0] : null);

// Beside the list, with no page to go back to. The browser scrolls to what an address names, so the
// row's place is said to be where it is: or the next click would meet another row.
function show(row) {
  delete list.dataset.closed;
  const edge = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
  row.style.scrollMarginTop = `${row.getBoundingClientRect().top - edge}px`;
  location.replace(link(row));
}

const reveal = (row) => row.querySelector(".line").scrollIntoView({ block: "nearest" });

// To the next row or the one before; beside the list it shows at once.
export function walk(step) {
  if (!list) return;
  const rows = visible();
  if (!rows.length) return;
  const row = rows[Math.min(Math.max(rows.indexOf(chosenRow()) + step, 0), rows.length - 1)];
  if (wide.matches) show(row);
  row.focus({ preventScroll: true });
  reveal(row);
}

// To read it: beside the list all of the panel is brought into sight, in place the row's head.
export function open(row) {
  const detail = row.querySelector(".detail");
  if (wide.matches) {
    show(row);
    detail.scrollIntoView({ block: "nearest" });
  } else {
    delete list.dataset.closed;
    if (row !== target()) location.hash = link(row);
    row.scrollIntoView();
  }
  detail.focus({ preventScroll: true });
}

// Whether anything was open.
export function close() {
  const row = currentRow() ?? target();
  if (!row) return false;
  list.dataset.closed = "";
  history.replaceState(null, "", location.pathname + location.search);
  row.focus({ preventScroll: true });
  reveal(row);
  return true;
}

// An address may name a row that is folded under another.
document.getElementById(location.hash.slice(1))?.closest("details")?.setAttribute("open", "");

addEventListener("hashchange", () => list && delete list.dataset.closed);

// In place, the subject of an open row closes it again.
list?.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return; // a tab of its own
  const row = event.target.closest("a.open, a.close")?.closest(".row");
  if (!row) return;
  if (wide.matches) {
    event.preventDefault();
    show(row);
  } else if (row === target() && !closed()) {
    event.preventDefault();
    close();
  }
});
