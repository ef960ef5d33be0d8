// Several lines pasted into the subject go to the description, unless one is written: a field of
// one line would run them together. The server takes the subject from them, as from a mail.
const form = document.querySelector("form[data-preview]");

function paste(event) {
  const { description } = form.elements;
  const text = event.clipboardData.getData("text/plain").trim();
  if (!text.includes("\n") || description.value.trim()) return;
  event.preventDefault();
  description.value = text;
  form.dispatchEvent(new Event("input"));
}

form?.elements.subject.addEventListener("paste", paste);
