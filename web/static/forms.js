// A form that takes a while says so and takes no second click.

for (const form of document.querySelectorAll("form[data-busy]")) {
  const button = form.querySelector("button.primary");
  const label = button.textContent;
  form.addEventListener("submit", () => {
    button.disabled = true;
    button.textContent = form.dataset.busy;
  });
  addEventListener("pageshow", () => {
    button.disabled = false;
    button.textContent = label;
  });
}
