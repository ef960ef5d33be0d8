"""Sentences of ticket texts: mails, lists and logs as well as prose, cut by rule, in time linear
in the text's length."""

import re
from collections.abc import Iterator

LINE = 50
"""A line of prose that is wrapped has at least so many characters."""

_MARKED = re.compile(r"\s*+(?:[-*•>#]++|\d{1,2}[.)]|[a-z]\))\s++")
"""How an item of a list, or a quoted line, begins."""

_END = re.compile(
    r"(?<=[.!?…])(?P<closing>[\"'”’)\]]*+)\s++(?=[\"'“‘(\[]*+[^\W_a-zà-ÿ])|(?<=[。！？])"
)
"""A mark and a space with no small letter after it, or a mark of its own width."""

_ABBREVIATED = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|approx|no|nr|dr|mr|mrs|ms|fig|resp|bef|z\.b|d\.h|bzw|ca)\.$", re.I
)
_LONGEST_ABBREVIATED = 8
"""Characters of an abbreviation, with the one before it."""


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, each with its white space made single spaces."""
    return [sentence for block in _blocks(text) for sentence in _of_block(block)]


def _blocks(text: str) -> list[str]:
    """Lines, joined where prose goes on: a long one without an end, or a small letter next."""
    blocks: list[list[str]] = []
    last = ""  # the line before; empty ends a block
    for line in text.splitlines():
        marked = _MARKED.match(line)
        words = " ".join(line[marked.end() if marked else 0 :].split())
        goes_on = last and words and not marked
        unended = len(last) >= LINE and not last.endswith((".", "!", "?", ":", ";"))
        if goes_on and (unended or words[0].islower()):
            blocks[-1].append(words)
        elif words:
            blocks.append([words])
        last = words
    return [" ".join(lines) for lines in blocks]


def _of_block(block: str) -> list[str]:
    found: list[list[str]] = []
    for piece in filter(None, _pieces(block)):
        if found and _ABBREVIATED.search(found[-1][-1][-_LONGEST_ABBREVIATED:]):
            found[-1].append(piece)
        else:
            found.append([piece])
    return [" ".join(pieces) for pieces in found]


def _pieces(block: str) -> Iterator[str]:
    """What lies between ends of sentences, each with what closes there: a bracket, a quotation."""
    start = 0
    for found in _END.finditer(block):
        yield block[start : max(found.end("closing"), found.start())].strip()
        start = found.end()
    yield block[start:].strip()


def shortened(text: str, length: int) -> str:
    """At most `length` characters, cut at a space where there is one, with an ellipsis."""
    if len(text) <= length:
        return text
    begun = text[: length - 2].rsplit(maxsplit=1)  # blanks alone have no word
    return "".join(begun[:1]).rstrip(" ,;:.") + " …"
