"""Ticket text as safe HTML: words marked, addresses as links, long text split into opening and
rest."""

import re
from collections.abc import Collection, Mapping
from functools import cache

from linkify_it import LinkifyIt
from markupsafe import Markup, escape

from ticketing.text import tokens_with_spans
from ticketing.text.literals import spans_naming

SHOWN = 20_000
"""Characters; a log of a million makes a page that no browser scrolls."""

MARK = Markup("<mark>{}</mark>")
CODE = Markup("<code>{}</code>")
LINK = Markup('<a href="{}" rel="noopener noreferrer">{}</a>')


def mark(text: str, words: Collection[str]) -> Markup:
    """The text, escaped, with every token that is among `words`, and every number and code, inside
    <mark>."""
    tokens = tokens_with_spans(text) if words else ()
    spans = [(token.start, token.end) for token in tokens if token.text in words]
    spans += spans_naming(text, words)
    pieces, last = [], 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= last:  # no word within a literal
            pieces += [escape(text[last:start]), MARK.format(text[start:end])]
            last = end
    return Markup("").join([*pieces, escape(text[last:])])


def linked(text: str, words: Collection[str] = ()) -> Markup:
    """The text as `mark` gives it, with every http and https address in it as a link."""
    pieces, end = [], 0
    for stretch in _STRETCH.finditer(text):
        for found in (_addresses().match(stretch[0]) or ()) if "://" in stretch[0] else ():
            start = stretch.start() + found.index
            pieces += [mark(text[end:start], words), LINK.format(found.url, found.raw)]
            end = stretch.start() + found.last_index
    return Markup("").join([*pieces, mark(text[end:], words)])


_QUOTATION = re.compile("“([^”]*)”")
_STRETCH = re.compile(r"[^\s“”„«»]{1,2000}")
"""What an address may lie in; finding several takes time quadratic in the length."""


@cache
def _addresses() -> LinkifyIt:
    """Finds addresses that name their protocol, http or https, and no others."""
    others = {"ftp:": None, "//": None, "mailto:": None}
    return LinkifyIt(others, {"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})


def with_code(text: str) -> Markup:
    """The text, escaped, with what stands between backticks, such as a command, as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # one that has no partner
        return escape(text)
    return Markup("").join(CODE.format(x) if i % 2 else escape(x) for i, x in enumerate(pieces))


def isolated(text: str) -> Markup:
    """The text, escaped, with each quotation in it by itself: one in Arabic turns nothing else."""
    return Markup(_QUOTATION.sub(r"“<bdi>\1</bdi>”", str(escape(text))))


def shown(text: str) -> str:
    """As much of a text as a page shows."""
    return text[:SHOWN]


def opening(text: str, length: int) -> str:
    """The first `length` characters that are not white space before the text, cut at a space where
    there is one; empty for a short text."""
    text = text.strip()
    if len(text) <= length * 1.25:
        return ""
    return text[:length].rsplit(maxsplit=1)[0].rstrip(" ,;:.") + " …"


def with_meant(text: str, meant: Mapping[str, str]) -> str:
    """The text with every word replaced that is a key of `meant`, however it is written."""
    best = {token.text: meant[word] for word in meant for token in tokens_with_spans(word)}
    pieces, end = [], 0
    for token in tokens_with_spans(text) if best else ():
        if token.text in best:
            pieces += [text[end : token.start], best[token.text]]
            end = token.end
    return "".join([*pieces, text[end:]])
