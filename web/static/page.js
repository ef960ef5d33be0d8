// What the pages gain with JavaScript, a module each. Everything here has a plain form or link
// behind it that works without.
import "./copying.js";
import "./files.js";
import "./forms.js";
import "./judging.js";
import "./keys.js";
import "./panel.js";
import "./pasting.js";
import "./renewing.js";
import "./rows.js";
import "./times.js";
import "./typing.js";
