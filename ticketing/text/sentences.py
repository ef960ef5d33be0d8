"""Splits ticket texts (mails, lists, logs, prose) into sentences by rules, in linear time."""

import re
from collections.abc import Iterator

LINE = 50
"""Minimum length of a wrapped line of prose."""

_MARKED = re.compile(r"\s*+(?:[-*•>#]++|\d{1,2}[.)]|[a-z]\))\s++")
"""The beginning of a list item or quoted line."""

_END = re.compile(
    r"(?<=[.!?…])(?P<closing>[\"'”’)\]]*+)\s++(?=[\"'“‘(\[]*+[^\W_a-zà-ÿ])|(?<=[。！？])"
)
"""The end of a sentence: a mark and a space without a lower-case letter after it, or a full-width
mark."""

_ABBREVIATED = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|approx|no|nr|dr|mr|mrs|ms|fig|resp|bef|z\.b|d\.h|bzw|ca)\.$", re.I
)
_LONGEST_ABBREVIATED = 8
"""Maximum length of an abbreviation, with the character before it."""


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, with white space reduced to single blanks."""
    return [sentence for block in _blocks(text) for sentence in _of_block(block)]


def _blocks(text: str) -> list[str]:
    """Lines, joined if prose continues: after a long line without an end, or before a lower-case
    letter."""
    blocks: list[list[str]] = []
    last = ""  # the previous line; "" ends a block
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
    """The parts between ends of sentences, each with its closing brackets or quotation marks."""
    start = 0
    for found in _END.finditer(block):
        yield block[start : max(found.end("closing"), found.start())].strip()
        start = found.end()
    yield block[start:].strip()


def shortened(text: str, length: int) -> str:
    """At most `length` characters, cut at a space where there is one, with an ellipsis."""
    if len(text) <= length:
        return text
    begun = text[: length - 2].rsplit(maxsplit=1)  # blanks alone have no words
    return "".join(begun[:1]).rstrip(" ,;:.") + " …"


def clipped(text: str, length: int) -> str:
    """At most `length` characters of a text in one line, cut anywhere, with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
