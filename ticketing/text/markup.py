"""Readable plain text from HTML, wiki mark-up and terminal logs, in linear time.

All patterns are bounded or possessive and stop at the next character that could begin another
match, so nothing is scanned twice, whatever a mail client or a log produced. Unknown tags such as
`List<String>` are text, and code blocks keep their content.
"""

import html
import re

_BLOCK_TAG = re.compile(
    "address|article|blockquote|body|br|center|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6r]|"
    "head|header|html|li|main|nav|ol|p|pre|section|table|tbody|tfoot|thead|tr|ul"
)
_INLINE_TAG = re.compile(
    "a|abbr|b|big|cite|code|del|em|font|i|img|ins|kbd|label|link|mark|meta|q|s|samp|small|span|"
    "strike|strong|su[bp]|td|th|tt|u|var"
)
_LOWER = dict(zip(range(ord("A"), ord("Z") + 1), range(ord("a"), ord("z") + 1), strict=True))
"""Lower case of ASCII letters only, so that the length does not change."""
_HIDDEN = (("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"))

_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]{0,15})([\s/][^<>]{0,2000}+)?>(\n?)")
_OFFICE = re.compile(
    r"<(?:!doctype\s++html\b[^<>]{0,2000}+>"
    r"|\?xml\s[^<>]{0,2000}+>(?=\s*+<(?:!doctype|html|head|body|div|p)\b)"
    r"|\?xml:namespace\s[^<>]{0,2000}+>"
    r"|!\[(?:if\s[^<>\[\]]{0,200}+|endif)\]>"
    r"|/?(?:o|v|w|st1|m):\w{1,40}+(?:[\s/][^<>]{0,2000}+)?>)",
    re.IGNORECASE,
)
"""Declarations of HTML pages, and tags that Outlook and Word add to HTML. Other XML is text about
XML, and keeps its declaration."""
_VERBATIM = re.compile(r"\{(code|noformat)(?::[^{}\n]{0,200}+)?\}")
_MACRO = re.compile(
    r"\{(?:html|quote|color|panel|info|tip|note|warning|anchor|expand|section|column)"
    r"(?::[^{}\n]{0,200}+)?\}"
)

_WIKI_LINES = (
    (re.compile(r"^[ \t]*+(?:h[1-6]|bq)\.[ \t]++", re.M), ""),
    (re.compile(r"^[ \t]*+-{4,5}+[ \t]*+$", re.M), ""),
    (re.compile(r"^[ \t]*+[*#-]{1,10}+[ \t]++", re.M), "- "),
)
_TABLE_ROW = re.compile(r"^[ \t]*+\|([^\n]++)$", re.M)
_WIKI_SPANS = (
    ("{{", re.compile(r"\{\{([^{}\n]{1,1000}+)\}\}")),
    ("[^", re.compile(r"\[\^([^\[\]|\n]{1,500}+)\]")),
    ("[~", re.compile(r"\[~([^\[\]|\n]{1,100}+)\]")),
    (
        "|",
        re.compile(
            r"\[([^\[\]|\n]{1,500}+)\|"
            r"(?=[ ]?(?:[a-zA-Z]{2,10}:|[#^~/]|www\.|[A-Z][A-Z0-9]{1,9}-\d))[^\[\]\n]{1,2000}+\]"
        ),
    ),
    (":", re.compile(r"\[((?:https?|ftp|mailto):[^\[\]|\n]{1,2000}+)\]")),
    (
        "!",
        re.compile(r"!(?<![\w!]!)([^\s!|][^\n!|]{0,300}\.\w{2,5})(?:\|[^\n!|]{0,200})?!(?!\w)"),
    ),
    ("*", re.compile(r"\*(?<![\w*/\\]\*)(?![\s*./\\])([^*\n]{1,500}+)(?<!\s)\*(?![\w*])")),
    ("_", re.compile(r"_(?<!\w_)(?![\s_])([^_\n]{1,500}+)(?<!\s)_(?!\w)")),
    ("+", re.compile(r"\+(?<![\w+]\+)(?![\s+])([^+\n]{1,500}+)(?<!\s)\+(?![\w+])")),
)
"""Wiki marks around words that stay, each after a string that every match contains, since most
texts lack it."""

_STRING = "\x90\x98\x9d-\x9f"
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,200}+[ -/]{0,20}+[@-~]"
    rf"|(?:\x1b[P\]X^_]|[{_STRING}])[^\x07\x1b\x9c{_STRING}]{{0,2000}}+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]{0,20}+[0-Z\\^-~]"
)
"""Terminal control sequences (ECMA-48): colours, cursor movements, titles, links and others."""
_CONTROL = re.compile(r"[^\t\n -~\xa0-\U0010ffff]")

_ENDLESS = re.compile(r"&#(?:\d{20,}+|[xX][0-9a-fA-F]{20,}+);?")
_ENDS = re.compile(r"(?<![ \t])[ \t]++$", re.M)
_GAPS = re.compile(r"\n\n\n++")


def strip_markup(text: str) -> str:
    """Remove HTML and Jira wiki mark-up from `text`; words, code, numbers and line breaks stay.

    A link keeps its words (without the address), an image its file name, a list item begins with "-
    ", and cells of a table row are joined with " | ". Terminal control sequences and other control
    characters are removed.
    """
    text = _without_controls(text)
    plain, at, inside = [], 0, ""
    for mark in _VERBATIM.finditer(text):
        if inside and mark[1] != inside:
            continue
        plain.append(_strip_stretch(text[at : mark.start()], inside))
        at, inside = mark.end(), "" if inside else mark[1]
    plain.append(_strip_stretch(text[at:], inside))
    found = "".join(plain)
    if " \n" in found or "\t\n" in found:
        found = _ENDS.sub("", found)
    return _GAPS.sub("\n\n", found).strip()


def _without_controls(text: str) -> str:
    """Normalise line ends to `\\n`, keep tabs, and replace other white space by blanks."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not _CONTROL.search(text):
        return text
    return _CONTROL.sub(lambda found: " " if found[0].isspace() else "", _ESCAPE.sub("", text))


def _strip_stretch(text: str, verbatim: str) -> str:
    return text if verbatim else _strip_wiki(_strip_html(text))


def _strip_html(text: str) -> str:
    if "<" in text:
        for opening, closing in _HIDDEN:
            text = _drop_between(text, opening, closing)
        text = _TAG.sub(_replace_tag, _OFFICE.sub("", text))
    if "&" not in text:
        return text
    text = html.unescape(_ENDLESS.sub("\ufffd", text)).replace("\xa0", " ")
    return _without_controls(text)


def _replace_tag(tag: re.Match[str]) -> str:
    name, newline = str(tag[1]).lower(), str(tag[3])
    closing = tag[0].startswith("</")
    if closing and name in ("li", "tr", "td", "th"):
        return ""
    if _BLOCK_TAG.fullmatch(name):
        return "\n- " if name == "li" else "\n"
    if name in ("td", "th"):
        return " "
    is_tag = "=" in (given := tag[2] or "") or not given.strip("/ \t\n")  # "a <b and c> d" is none
    return newline if is_tag and _INLINE_TAG.fullmatch(name) else tag[0]


def _drop_between(text: str, opening: str, closing: str) -> str:
    """`text` without the parts from `opening` to `closing`; an unclosed part stays."""
    lower = text.translate(_LOWER)
    kept, at = [], 0
    while (start := lower.find(opening, at)) >= 0:
        end = lower.find(closing, start)
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(closing)
    return "".join(kept) + text[at:]


def _strip_wiki(text: str) -> str:
    text = _MACRO.sub("", text)
    for pattern, replacement in _WIKI_LINES:
        text = pattern.sub(replacement, text)
    for mark, pattern in _WIKI_SPANS:
        if mark in text:
            text = pattern.sub(r"\1", text)
    return _TABLE_ROW.sub(_join_cells, text) if "|" in text else text


def _join_cells(row: re.Match[str]) -> str:
    return " | ".join(cell for part in row[1].split("|") if (cell := part.strip()))


def meaningful(text: str) -> str:
    """The text; "" if it contains no letter and no digit, for example the dash that people put into
    a mandatory field."""
    return text if any(map(str.isalnum, text)) else ""
