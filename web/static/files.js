// A file that the server would refuse for its size is not sent, so that what else was written stays.

for (const field of document.querySelectorAll("input[data-most]")) {
  field.addEventListener("change", () => {
    const isTooLarge = field.files[0]?.size > Number(field.dataset.most);
    field.setCustomValidity(isTooLarge ? field.dataset.tooLarge : "");
    field.reportValidity();
  });
}
