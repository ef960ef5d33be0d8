"""The template language of the catalogue's texts, and typing errors.

A text may contain slots in braces:

- `{rumbling}` (lower case): a term, which has several wordings;
- `{90..140}`, `{0.5..2.0}`, `{001..099}`: a number from that range, both ends included, with as
  many decimals or leading zeros as its lower end shows;
- `{UNIT}` (upper case): a slot filled by the ticket that is being written.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

from ticketing.errors import InputError

_SLOT = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"([+-]?\d+(?:\.\d+)?)\.\.([+-]?\d+(?:\.\d+)?)")
_WORD = re.compile(r"[A-Za-z]{6,}")


@dataclass(frozen=True)
class Number:
    """A range of numbers; `low` and `high` count steps of the last decimal shown."""

    low: int
    high: int
    decimals: int
    width: int

    def draw(self, rng: Random) -> str:
        """One number of the range, written as the range is written."""
        steps = self.low + int(rng.random() * (self.high - self.low + 1))
        if self.decimals:
            return f"{steps / 10**self.decimals:.{self.decimals}f}"
        return f"{steps:0{self.width}d}"


@dataclass(frozen=True)
class Slot:
    """A slot that is filled by name."""

    name: str


@cache
def parse(text: str) -> tuple[str | Number | Slot, ...]:
    """The pieces of a text in order; raises InputError for a slot that cannot be read."""
    pieces: list[str | Number | Slot] = []
    for i, piece in enumerate(_SLOT.split(text)):
        if i % 2:
            pieces.append(_number(piece) if ".." in piece else Slot(piece))
        elif "{" in piece or "}" in piece:
            raise InputError(f"the text {text!r} has an unmatched brace; close or remove it.")
        elif piece:
            pieces.append(piece)
    return tuple(pieces)


def _number(text: str) -> Number:
    match = _RANGE.fullmatch(text)
    if not match:
        raise InputError(f"the range {{{text}}} is no range; write it like {{90..140}}.")
    low, high = match.groups()
    decimals = len(low.partition(".")[2])
    scale = 10**decimals
    first, last = round(float(low) * scale), round(float(high) * scale)
    if first > last:
        raise InputError(f"the range {{{text}}} runs downwards; put the smaller end first.")
    padded = low.startswith("0") and not decimals
    return Number(first, last, decimals, len(low) if padded else 0)


def fill(text: str, rng: Random, value: Callable[[str], str]) -> str:
    """The text with numbers drawn and every named slot replaced by `value(name)`.

    A term's wording may not hold slots itself.
    """
    return "".join(
        piece
        if isinstance(piece, str)
        else piece.draw(rng)
        if isinstance(piece, Number)
        else value(piece.name)
        for piece in parse(text)
    )


def sentence(text: str) -> str:
    """The text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def shorten(text: str, shorthand: Mapping[str, str], rng: Random) -> str:
    """Most of the plain words that have a shorthand, written short."""
    words = text.split(" ")
    return " ".join(
        shorthand[word] if word in shorthand and rng.random() < 0.8 else word for word in words
    )


def misspell(text: str, rate: float, rng: Random) -> str:
    """Swap, drop or double one letter in a share `rate` of the longer words."""

    def slip(match: re.Match[str]) -> str:
        word: str = match[0]
        if rng.random() >= rate:
            return word
        at = 1 + int(rng.random() * (len(word) - 3))
        a, b = word[at], word[at + 1]
        changed = (b + a, b, a + a + b)[int(rng.random() * 3)]
        return word[:at] + changed + word[at + 2 :]

    return _WORD.sub(slip, text)
