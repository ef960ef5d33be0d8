"""Augmentation of titles: typos, synonyms, and extra words, as people type them."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence

LETTERS = "abcdefghijklmnopqrstuvwxyz"
FILLERS = (
    "again always asap anyone because before calling currently customer every hello help how "
    "immediately issue just keeps kindly maybe morning need never now often our please question "
    "regarding request seems since site sometimes still suddenly thanks today tomorrow urgent "
    "very we week yesterday your"
)
"""Words without information about the problem."""
EXTRA = 3
"""Maximum number of words added to a title."""

_WORD = re.compile(r"[^\W\d_]{2,}")


def typos(text: str, substituted: float, deleted: float, chance: random.Random) -> str:
    """Substitute a share of the characters by random letters, and delete a share.

    At least one character is changed, and at least one is left.
    """
    drawn = [chance.random() for _ in text]
    drawn[chance.randrange(len(text))] *= substituted + deleted
    kept = []
    for character, draw in zip(text, drawn, strict=True):
        if draw < deleted:
            continue
        kept.append(_other_letter(character, chance) if draw < deleted + substituted else character)
    return " ".join("".join(kept).split()) or text[0]


def _other_letter(character: str, chance: random.Random) -> str:
    return chance.choice([letter for letter in LETTERS if letter != character])


def extra_words(text: str, words: Sequence[str], chance: random.Random) -> str:
    """Add one to EXTRA words before or after a title."""
    added = [chance.choice(words) for _ in range(chance.randint(1, EXTRA))]
    before = chance.randint(0, len(added))
    return " ".join([*added[:before], text, *added[before:]])


def filler_words(titles: Iterable[str], descriptions: Iterable[str]) -> list[str]:
    """Words in at least two descriptions and in no title, which may surround any title.

    If there are none, FILLERS that are in no title; if all of them are, all FILLERS.
    """
    named = {word for title in titles for word in title.split()}
    counts: Counter[str] = Counter()
    for text in descriptions:
        counts.update(set(_WORD.findall(text.casefold())))
    found = sorted(word for word, n in counts.items() if n > 1 and word not in named)
    fillers = FILLERS.split()
    return found or [word for word in fillers if word not in named] or fillers
