"""Numbers, codes and ids as they are written: a model learns none, but who asks may name one."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from operator import attrgetter
from typing import NamedTuple

from ticketing.text.tokens import masks_in, tokenize

KINDS = frozenset({"<num>", "<id>", "<key>", "<version>", "<ip>"})
"""The masks of what two texts may both name; not of times, paths and addresses."""

MOST_LITERALS = 32
"""Of one query: a pasted log names thousands."""

MOST_KEPT, LONGEST = 256, 128
"""Of one ticket, and characters of each, by which it can be found."""

REMEMBERED, LONGEST_REMEMBERED = 1 << 16, 48
"""Stretches of text whose literals are remembered, and their length: many return."""


class _Literal(NamedTuple):
    """What texts that name the same have in common, how this one writes it, and where in its
    stretch."""

    key: str
    written: str
    start: int
    end: int


_KEY = attrgetter("key")


def literals(text: str) -> list[str]:
    """The distinct numbers, codes, ids and versions of a text, each as it is written first, the
    first MOST_LITERALS."""
    found: dict[str, str] = {}
    for literal in _literals(text):
        found.setdefault(literal.key, literal.written)
        if len(found) == MOST_LITERALS:
            break
    return [*found.values()]


def key_of(literal: str) -> str:
    """What a literal has in common with all that name the same: "ORA-7" with "ora-7", "v1.2" with
    "1.2", "-107" with "#107"."""
    return _BEFORE.sub("", literal.casefold())


def literal_keys(*texts: str) -> list[str]:
    """The distinct keys of what texts name, but for overlong ones, the first MOST_KEPT: what stores
    keep of their tickets."""
    keys = dict.fromkeys(map(_KEY, chain.from_iterable(map(_literals, texts))))
    return [*islice((key for key in keys if len(key) <= LONGEST), MOST_KEPT)]


def named_in(text: str, wanted: Iterable[str]) -> list[str]:
    """Those of the `wanted` literals that a text names too; "77" does not name "7"."""
    folded = text.casefold()
    wanted = [literal for literal in wanted if key_of(literal) in folded]  # soon said of most
    there = {literal.key for literal in _literals(text)} if wanted else set()
    return [literal for literal in wanted if key_of(literal) in there]


def spans_naming(text: str, wanted: Iterable[str]) -> list[tuple[int, int]]:
    """Where a text names any of the `wanted` literals: half-open ranges, in order."""
    keys = set(map(key_of, filter(_DIGIT.search, wanted)))
    return [
        (stretch.start() + one.start, stretch.start() + one.end)
        for stretch in (_STRETCH.finditer(text) if keys else ())
        if _DIGIT.search(stretch[0])
        for one in _remembered[stretch[0]]
        if one.key in keys and _shown(stretch[0]) == stretch[0]
    ]


def words_beside(text: str) -> list[str]:
    """The tokens of a text without its literals: of "ora-00942 at noon" those of "at noon"."""
    return tokenize(" ".join(map(_beside, text.split())))


def _beside(stretch: str) -> str:
    shown, there = _shown(stretch), _in_stretch(stretch) if _DIGIT.search(stretch) else ()
    ends, starts = [0, *(one.end for one in there)], [*(one.start for one in there), len(shown)]
    return " ".join(shown[end:start] for end, start in zip(ends, starts, strict=True))


_BEFORE = re.compile(r"\A[+#-]?v?(?=\d)")
_DIGIT = re.compile(r"\d")
_STRETCH = re.compile(r"\S+")


def _literals(text: str) -> Iterator[_Literal]:
    """Those of a text in order; none is without a digit."""
    stretches = filter(_DIGIT.search, text.split())
    return chain.from_iterable(map(_remembered.__getitem__, stretches))


def _in_stretch(stretch: str) -> tuple[_Literal, ...]:
    """Those of a stretch. It is read in capitals, by which keys are known: "ora-00942" is one."""
    shown = _shown(stretch)
    found = [one for one in masks_in(shown.upper()) if one.text in KINDS]
    spans = ((one, shown[one.start : one.end]) for one in found)
    return tuple([_Literal(key_of(written), written, one.start, one.end) for one, written in spans])


def _shown(stretch: str) -> str:
    """A stretch that is as long as its capitals: these themselves, where it has "ß"."""
    capitals = stretch.upper()
    return stretch if len(stretch) == len(capitals) else capitals


class _Remembered(dict[str, tuple[_Literal, ...]]):
    """Those of each stretch; of short ones, many of which return, REMEMBERED are kept and found
    without a step of Python."""

    def __missing__(self, stretch: str) -> tuple[_Literal, ...]:
        found = _in_stretch(stretch)
        if len(stretch) <= LONGEST_REMEMBERED:
            if len(self) >= REMEMBERED:
                self.clear()
            self[stretch] = found
        return found


_remembered = _Remembered()
