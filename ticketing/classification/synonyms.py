"""Synonyms, from a list and induced from titles of a group.

If two titles of one group share a string of words ("java developer", "java programmer"), their
rests ("developer", "programmer") are a candidate. A candidate is accepted if the shared string has
at least one word, each rest has one to three words, no word is in both rests, and it occurs in at
least LEAST_GROUPS groups.
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
"""Maximum number of titles of a group that are compared pairwise."""


class Synonyms:
    """Pairs of phrases that are synonyms."""

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
        """All pairs of synonyms, in a fixed order."""
        return sorted((one, other) for one, others in self._of.items() for other in others)

    def of(self, phrase: Phrase) -> list[Phrase]:
        """The synonyms of a phrase."""
        return self._of.get(phrase, [])

    def __or__(self, other: "Synonyms") -> "Synonyms":
        return Synonyms([*self.pairs, *other.pairs])

    def variants(self, text: str) -> list[str]:
        """All titles that result from one substitution in this one."""
        words = tuple(text.split())
        found = []
        for length in range(1, LONGEST_REST + 1):
            for start in range(len(words) - length + 1):
                for other in self.of(words[start : start + length]):
                    found.append(" ".join(words[:start] + other + words[start + length :]))
        return found

    def substitute(self, text: str, chance: random.Random) -> str:
        """Make one random substitution; the title itself if there is none."""
        variants = self.variants(text)
        return chance.choice(variants) if variants else text


def induce(taxonomy: Taxonomy) -> Synonyms:
    """Synonyms that occur in the titles of enough groups."""
    groups: dict[tuple[Phrase, Phrase], set[str]] = defaultdict(set)
    for name, texts in taxonomy.groups.items():
        for one, other in combinations([tuple(t.split()) for t in texts[:MOST_COMPARED]], 2):
            if pair := rests(one, other):
                groups[pair].add(name)
    return Synonyms(pair for pair, names in groups.items() if len(names) >= LEAST_GROUPS)


def rests(one: Phrase, other: Phrase) -> tuple[Phrase, Phrase] | None:
    """What two titles do not share, before, between or after a common beginning and end, in
    order."""
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
