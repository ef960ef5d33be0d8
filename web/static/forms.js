// A form that takes a while says so and takes no second click, until it is answered or given up.

const PATIENCE_MS = 8000; // after which a second click is meant

for (const form of document.querySelectorAll("form[data-busy]")) {
  const button = form.querySelector("button.primary") ?? form.querySelector("button");
  const label = button.textContent;
  let timer;

  const rest = () => {
    clearTimeout(timer);
    button.ariaDisabled = null;
    button.textContent = label;
  };
  form.addEventListener("submit", (event) => {
    if (button.ariaDisabled) return event.preventDefault();
    button.ariaDisabled = "true";
    button.textContent = form.dataset.busy;
    timer = setTimeout(() => (button.ariaDisabled = null), PATIENCE_MS);
  });
  form.addEventListener("input", rest);
  addEventListener("keydown", (event) => event.key === "Escape" && rest()); // stops loading
  addEventListener("pageshow", rest);
}
