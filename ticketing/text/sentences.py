"""Sentences of ticket texts: mails, lists and logs as well as prose, cut by rule."""

import re

_ENDS = re.compile(
    r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[^\W_a-z])"  # a mark, a space, no small letter
    r"|(?<=[。！？])"
    r"|\n\s*\n|\n(?=\s*(?:[-*•>]|\d{1,2}[.)])\s)"  # a paragraph, an item of a list
)
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|no|nr|dr|mr|mrs|ms|fig|resp|z\.b|d\.h|bzw|ca)|(?:^|\s)[A-Za-z])\.$",
    re.I,
)


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, each with its white space made single spaces."""
    found: list[str] = []
    for piece in filter(None, (" ".join(part.split()) for part in _ENDS.split(text))):
        if found and _ABBREVIATED.search(found[-1]):
            found[-1] += f" {piece}"
        else:
            found.append(piece)
    return found


def shortened(text: str, length: int) -> str:
    """At most `length` characters, cut at a space where there is one, with an ellipsis."""
    if len(text) <= length:
        return text
    return text[: length - 1].rsplit(maxsplit=1)[0].rstrip(" ,;:.") + " …"
