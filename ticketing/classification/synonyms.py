"""Words that may stand for one another: from a list, and by induction from the titles of a group.

Two titles of one group that share a string of words ("java developer", "java programmer") make
what is left of each a candidate ("developer", "programmer"). A candidate is accepted where the
shared string has at least one word, each rest one to three words, no word of one rest is in the
other, and at least so many groups speak for it.
"""

import random
from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

from ticketing.classification.taxonomy import Taxonomy, normalise
from ticketing.errors import InputError
from ticketing.tables import Reject, read_rows, text_in

Phrase = tuple[str, ...]
LONGEST_REST = 3
LEAST_GROUPS = 2
MOST_COMPARED = 300
"""Titles of a group that are compared, each with each."""


class Synonyms:
    """Pairs of phrases, each standing for the other."""

    def __init__(self, pairs: Iterable[tuple[Phrase, Phrase]]):
        found: dict[Phrase, set[Phrase]] = defaultdict(set)
        for one, other in pairs:
            found[one].add(other)
            found[other].add(one)
        self._of = {phrase: sorted(others) for phrase, others in found.items()}

    def __len__(self) -> int:
        return sum(len(others) for others in self._of.values()) // 2

    @property
    def pairs(self) -> list[tuple[Phrase, Phrase]]:
        """Every phrase with each that stands for it, in one order."""
        return sorted((one, other) for one, others in self._of.items() for other in others)

    def of(self, phrase: Phrase) -> list[Phrase]:
        """Phrases that may stand for this one."""
        return self._of.get(phrase, [])

    def __or__(self, other: "Synonyms") -> "Synonyms":
        return Synonyms([*self.pairs, *other.pairs])

    def variants(self, text: str) -> list[str]:
        """Every title that one substitution makes of this one."""
        words = tuple(text.split())
        found = []
        for length in range(1, LONGEST_REST + 1):
            for start in range(len(words) - length + 1):
                for other in self.of(words[start : start + length]):
                    found.append(" ".join(words[:start] + other + words[start + length :]))
        return found

    def substitute(self, text: str, chance: random.Random) -> str:
        """One substitution at random; the title itself where none is known."""
        variants = self.variants(text)
        return chance.choice(variants) if variants else text


def induce(taxonomy: Taxonomy, least_groups: int = LEAST_GROUPS) -> Synonyms:
    """Synonyms that the titles of enough groups speak for."""
    groups: dict[tuple[Phrase, Phrase], set[str]] = defaultdict(set)
    for name, texts in taxonomy.groups.items():
        for one, other in combinations([tuple(t.split()) for t in texts[:MOST_COMPARED]], 2):
            if pair := rests(one, other):
                groups[pair].add(name)
    return Synonyms(pair for pair, names in groups.items() if len(names) >= least_groups)


def rests(one: Phrase, other: Phrase) -> tuple[Phrase, Phrase] | None:
    """What two titles do not share around or beside a shared beginning and end, in order."""
    shorter = min(len(one), len(other))
    start = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    end = next((i for i in range(shorter - start) if one[-1 - i] != other[-1 - i]), shorter - start)
    first, second = sorted((one[start : len(one) - end], other[start : len(other) - end]))
    fits = all(1 <= len(rest) <= LONGEST_REST for rest in (first, second))
    return (first, second) if start + end and fits and not set(first) & set(second) else None


def read_synonyms(path: Path) -> Synonyms:
    """A table with columns `word` and `synonym`. Raises InputError naming a line without one."""
    pairs = []
    for row in read_rows(path):
        if isinstance(row, Reject):
            raise InputError(f"{row}; mend or remove that line.")
        pair = [tuple(normalise(text_in(row, c)).split()) for c in ("word", "synonym")]
        if not all(pair):
            raise InputError(
                f"{path}:{row.line} needs a word and its synonym, in columns so named; it has:"
                f" {', '.join(row.values)}."
            )
        pairs.append((pair[0], pair[1]))
    return Synonyms(pairs)
