"""Numbers, codes and ids as they are written: a model learns none, but who asks may name one."""

from collections.abc import Iterable, Iterator
from itertools import islice

from ticketing.text.tokens import tokens_with_spans

KINDS = frozenset({"<num>", "<id>", "<key>", "<version>", "<ip>"})
"""The masks of what two texts may both name; not of times, paths and addresses."""

MOST_LITERALS = 32
"""Of one query: a pasted log names thousands."""


def literals(text: str) -> list[str]:
    """The distinct numbers, codes, ids and versions of a text, each as it is written first, the
    first MOST_LITERALS."""
    found: dict[str, str] = {}
    for literal in _written(text):
        found.setdefault(literal.casefold(), literal)
    return [*islice(found.values(), MOST_LITERALS)]


def named_in(text: str, wanted: Iterable[str]) -> list[str]:
    """Those of the `wanted` literals that a text names too, in either case; "77" does not name
    "7"."""
    folded = text.casefold()
    wanted = [literal for literal in wanted if literal.casefold() in folded]  # soon said of most
    there = {literal.casefold() for literal in _written(text)} if wanted else set()
    return [literal for literal in wanted if literal.casefold() in there]


def _written(text: str) -> Iterator[str]:
    """Each as it is written, but in a text that grows with capitals ("ß"), by which keys are
    known: "ora-00942" is one too."""
    capitals = text.upper()
    text = text if len(text) == len(capitals) else capitals
    return (text[x.start : x.end] for x in tokens_with_spans(capitals) if x.text in KINDS)
