"""Literals: numbers, codes and ids as they are written. The model does not read them, but stores
can find tickets by them.

A literal is a run of letters and digits (with "-", "_" and "." inside) that the tokenizer masks at
least in part: "1603", "ORA-00942", "E-1105", "CVE-2021-44228", "v1.2.3", "3VA1-112". Of a measure
("28MW") only the number is a literal. Parts of times, paths and addresses are no literals.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from ticketing.text.normal import normalise
from ticketing.text.remembering import Remembered
from ticketing.text.tokens import masks_in, tokenize

KINDS = frozenset({"<num>", "<id>", "<key>", "<version>", "<ip>"})
"""Masks of literals; not those of times, paths and addresses."""

MOST_LITERALS = 32
"""Maximum number of literals of a query: a pasted log has thousands."""

MOST_KEPT, LONGEST = 256, 128
"""Maximum number of literals kept for a ticket, and maximum length of each in characters."""

REMEMBERED, LONGEST_REMEMBERED = 1 << 16, 48
"""Number and maximum length of text stretches whose literals are cached, since many recur."""


class _Literal(NamedTuple):
    """A literal: its key, which equal literals share; its spelling here; its position in the
    stretch; further keys by which it can be found; and whether the model sees a mask of it."""

    key: str
    written: str
    start: int
    end: int
    parts: tuple[str, ...]
    masked: bool


def literals(text: str) -> list[str]:
    """The distinct literals of a text in their first spelling, at most MOST_LITERALS."""
    found: dict[str, str] = {}
    for literal in _literals(text):
        if literal.masked:
            found.setdefault(literal.key, literal.written)
            if len(found) == MOST_LITERALS:
                break
    return [*found.values()]


def key_of(literal: str) -> str:
    """The key of a literal, equal for all spellings: that of "ORA-7" and "ora7", or of "v1.2" and
    "1.2"."""
    key = _VERSION.sub("", literal.casefold())
    return key.translate(_NO_JOINTS) if any(map(str.isalpha, key)) else key


def literal_keys(*texts: str) -> list[str]:
    """The distinct keys that stores keep to find a ticket with these texts, without overlong ones.
    If there are more than MOST_KEPT, keys with a letter come first."""
    found = chain.from_iterable(map(_literals, texts))
    keys = dict.fromkeys(chain.from_iterable((one.key, *one.parts) for one in found))
    short = [key for key in keys if len(key) <= LONGEST]
    if len(short) > MOST_KEPT:
        short.sort(key=lambda key: not any(map(str.isalpha, key)))
    return short[:MOST_KEPT]


def named_in(text: str, wanted: Iterable[str]) -> list[str]:
    """Those of the `wanted` literals that a text contains; "77" does not contain "7"."""
    keys = {literal: key_of(literal) for literal in wanted}
    near = keys
    if text.isascii():  # a fast test for most texts
        plain = text.translate(_NO_JOINTS)
        near = {literal: key for literal, key in keys.items() if _digits_of(key) in plain}
    there = {key for one in (_literals(text) if near else ()) for key in (one.key, *one.parts)}
    return [literal for literal, key in near.items() if key in there]


def spans_naming(text: str, wanted: Iterable[str]) -> list[tuple[int, int]]:
    """Positions of any of the `wanted` literals in a text: half-open ranges, in order."""
    keys = set(map(key_of, filter(_DIGIT.search, wanted)))
    return [
        (stretch.start() + one.start, stretch.start() + one.end)
        for stretch in (_STRETCH.finditer(text) if keys else ())
        if _DIGIT.search(stretch[0])
        for one in _remembered[stretch[0]]
        if not keys.isdisjoint((one.key, *one.parts))
    ]


def words_beside(text: str) -> list[str]:
    """The tokens of a text without its literals: of "ORA-00942 at noon" those of "at noon"."""
    return tokenize(" ".join(map(_beside, text.split())))


def _beside(stretch: str) -> str:
    there = [x for x in (_remembered[stretch] if _DIGIT.search(stretch) else ()) if x.masked]
    ends, starts = [0, *(one.end for one in there)], [*(one.start for one in there), len(stretch)]
    return " ".join(stretch[end:start] for end, start in zip(ends, starts, strict=True))


_NO_JOINTS = str.maketrans("", "", "-_")
_DASHES = dict.fromkeys([*range(0x2010, 0x2016), 0x2212], "-")
_VERSION = re.compile(r"\Av(?=\d+\.)")
_DIGIT = re.compile(r"\d")
_DIGITS = re.compile(r"\d+")
_STRETCH = re.compile(r"\S+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_RUN = re.compile(r"[A-Za-z0-9]++(?>(?:[-_.][A-Za-z0-9]++|(?<=\d),\d++)*)")
_MEASURE = re.compile(r"(\d++(?>(?:[.,]\d++)*))[A-Za-z]{1,5}")


def _digits_of(key: str) -> str:
    """The longest run of digits of a key, which every text with that literal contains unbroken."""
    return max(_DIGITS.findall(key), key=len, default="")


def _literals(text: str) -> Iterator[_Literal]:
    """The literals of a text, in order."""
    stretches = filter(_DIGIT.search, text.split())
    return chain.from_iterable(map(_remembered.__getitem__, stretches))


def _in_stretch(stretch: str) -> tuple[_Literal, ...]:
    """The literals of a stretch of text. Masks are also searched in capitals, since "ora-00942" is
    a code too."""
    if stretch.isascii():
        return tuple(_in_ascii(stretch))
    normal, starts, ends = normalise(stretch)
    plain = _NOT_ASCII.sub(" ", normal.translate(_DASHES))
    return tuple(
        one._replace(start=starts[one.start], end=ends[one.end - 1]) for one in _in_ascii(plain)
    )


def _in_ascii(text: str) -> Iterator[_Literal]:
    masks, first, last = masks_in(text.upper()), 0, 0
    for run in _RUN.finditer(text):
        if not _DIGIT.search(run[0]):
            continue
        while first < len(masks) and masks[first].end <= run.start():
            first += 1
        while last < len(masks) and masks[last].start < run.end():
            last += 1
        within = masks[first:last]
        if any(mask.text not in KINDS for mask in within):
            continue
        measure = _MEASURE.fullmatch(run[0])
        written = measure[1] if measure else run[0]
        key, end = key_of(written), run.start() + len(written)
        spans = ((max(x.start, run.start()), min(x.end, end)) for x in within)
        parts = {key_of(text[start:stop].strip("+-#_.")) for start, stop in spans} - {key, ""}
        parts = {part for part in parts if len(part) > 1}
        yield _Literal(key, written, run.start(), end, (*sorted(parts),), bool(within))


_remembered = Remembered(_in_stretch, REMEMBERED, LONGEST_REMEMBERED)
