// Several lines pasted into the subject: the first stays there, the others become the description,
// unless one is written. A field of one line would run them together.
const form = document.querySelector("form[data-preview]");

function paste(event) {
  const { subject, description } = form.elements;
  const [first, ...others] = event.clipboardData.getData("text/plain").trim().split(/\r?\n/);
  const rest = others.join("\n").trim();
  if (!rest || description.value.trim()) return;
  event.preventDefault();
  subject.setRangeText(first, subject.selectionStart, subject.selectionEnd, "end");
  description.value = rest;
  form.dispatchEvent(new Event("input"));
}

form?.elements.subject.addEventListener("paste", paste);
