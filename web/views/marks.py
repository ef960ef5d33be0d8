"""Ticket text as safe HTML: words highlighted, addresses as links, long texts split into opening
and rest."""

import re
from collections.abc import Collection, Mapping
from functools import cache

from linkify_it import LinkifyIt
from markupsafe import Markup, escape

from ticketing.text import tokens_with_spans
from ticketing.text.literals import spans_naming

SHOWN = 20_000
"""Maximum number of characters; no browser can scroll a page with a log of a million."""

MARK = Markup("<mark>{}</mark>")
CODE = Markup("<code>{}</code>")
LINK = Markup('<a href="{}" rel="noopener noreferrer">{}</a>')


def mark(text: str, words: Collection[str]) -> Markup:
    """The escaped text; tokens among `words`, and numbers and codes among them, are inside
    <mark>."""
    tokens = tokens_with_spans(text) if words else ()
    spans = [(token.start, token.end) for token in tokens if token.text in words]
    spans += spans_naming(text, words)
    pieces, last = [], 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= last:  # not inside a literal
            pieces += [escape(text[last:start]), MARK.format(text[start:end])]
            last = end
    return Markup("").join([*pieces, escape(text[last:])])


def linked(text: str, words: Collection[str] = ()) -> Markup:
    """The text as from `mark`, with http and https addresses as links."""
    pieces, end = [], 0
    for stretch in _STRETCH.finditer(text):
        for found in (_addresses().match(stretch[0]) or ()) if "://" in stretch[0] else ():
            start = stretch.start() + found.index
            pieces += [mark(text[end:start], words), LINK.format(found.url, found.raw)]
            end = stretch.start() + found.last_index
    return Markup("").join([*pieces, mark(text[end:], words)])


_QUOTATION = re.compile("“([^”]*)”")
_STRETCH = re.compile(r"[^\s“”„«»]{1,2000}")
"""A stretch that may contain an address; finding several addresses takes quadratic time."""


@cache
def _addresses() -> LinkifyIt:
    """Finds addresses that begin with http or https only."""
    others = {"ftp:": None, "//": None, "mailto:": None}
    return LinkifyIt(others, {"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})


def with_code(text: str) -> Markup:
    """The escaped text, with parts between backticks, such as commands, as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # an unpaired one
        return escape(text)
    return Markup("").join(CODE.format(x) if i % 2 else escape(x) for i, x in enumerate(pieces))


def isolated(text: str) -> Markup:
    """The escaped text, with each quotation isolated for bidirectional text (an Arabic one does not
    reorder the rest)."""
    return Markup(_QUOTATION.sub(r"“<bdi>\1</bdi>”", str(escape(text))))


def shown(text: str) -> str:
    """The part of a text that a page shows."""
    return text[:SHOWN]


def opening(text: str, length: int) -> str:
    """The first `length` characters after leading white space, cut at a space if possible; "" for a
    short text."""
    text = text.strip()
    if len(text) <= length * 1.25:
        return ""
    return text[:length].rsplit(maxsplit=1)[0].rstrip(" ,;:.") + " …"


def with_meant(text: str, meant: Mapping[str, str]) -> str:
    """The text with each word that is a key of `meant` replaced, whatever its case."""
    best = {token.text: meant[word] for word in meant for token in tokens_with_spans(word)}
    pieces, end = [], 0
    for token in tokens_with_spans(text) if best else ():
        if token.text in best:
            pieces += [text[end : token.start], best[token.text]]
            end = token.end
    return "".join([*pieces, text[end:]])
