"""The taxonomy: titles and their groups, from which a category classifier learns and among which it
chooses."""

import hashlib
import random
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ticketing.errors import InputError
from ticketing.tables import Reject, read_rows, text_in
from ticketing.tickets import Ticket

LONGEST = 100
"""Maximum length of a title in characters (Neculoiu et al. 2016); the rest is cut."""

READ = 3 * LONGEST
"""Characters read before normalisation, which may shorten a text to LONGEST; normalising more takes
long."""

LEAST_TRAINING = 2
"""Minimum number of titles of a group that remain in training."""


def normalise(text: str) -> str:
    """Normalise case, width and blanks of a text."""
    folded = unicodedata.normalize("NFKC", text.lstrip()[:READ]).casefold().replace("\u200b", "")
    return " ".join(folded.split())[:LONGEST].rstrip()


@dataclass(frozen=True)
class Title:
    """A normalised text and the name of its group."""

    text: str
    group: str


class Taxonomy:
    """Distinct titles in a fixed order; a text may be in several groups."""

    def __init__(
        self, titles: Iterable[Title], subjects: Mapping[Title, Collection[str]] | None = None
    ):
        self.titles: tuple[Title, ...] = tuple(dict.fromkeys(titles))
        self.subjects = subjects
        """The spellings in tickets of each title taken from tickets; None if the titles come from a
        file and reveal nothing about tickets."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Distinct texts, in the order of their first title."""
        return tuple(dict.fromkeys(title.text for title in self.titles))

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """Texts by group."""
        texts: dict[str, list[str]] = defaultdict(list)
        for title in self.titles:
            texts[title.group].append(title.text)
        return dict(texts)

    @cached_property
    def groups_of(self) -> dict[str, frozenset[str]]:
        """The groups of each text."""
        groups: dict[str, set[str]] = defaultdict(set)
        for title in self.titles:
            groups[title.text].add(title.group)
        return {text: frozenset(names) for text, names in groups.items()}

    def without(self, titles: Iterable[Title]) -> "Taxonomy":
        """All titles except those with one of the given titles' texts."""
        gone = {title.text for title in titles}
        return Taxonomy(title for title in self.titles if title.text not in gone)


def read_taxonomy(path: Path) -> Taxonomy:
    """Read titles from a table with columns `label` and `group` (.csv, .tsv, .jsonl, each also
    .gz, or .xlsx).

    Raises InputError naming a line that lacks one of them or has no text there.
    """
    titles: list[Title] = []
    for row in read_rows(path):
        if isinstance(row, Reject):
            raise InputError(f"{row}; mend or remove that line.")
        values = [normalise(text_in(row, "label")), text_in(row, "group")]
        for column, value in zip(("label", "group"), values, strict=True):
            if not titles and column not in row.values:
                raise InputError(
                    f"{path} has no column {column!r}; it has: {', '.join(row.values)}."
                )
            if not value.strip():
                raise InputError(
                    f"{path}:{row.line} has no {column}; a line needs a label and its group."
                )
        titles.append(Title(values[0], values[1].strip()))
    return _usable(Taxonomy(titles), str(path))


def tickets_taxonomy(tickets: Iterable[Ticket]) -> Taxonomy:
    """Subjects of tickets, grouped by product: a desk's own categories."""
    subjects: dict[Title, dict[str, None]] = {}
    for ticket in tickets:
        title = Title(normalise(ticket.subject), ticket.product.strip())
        if title.text and title.group:
            subjects.setdefault(title, {})[ticket.subject] = None
    return _usable(Taxonomy(subjects, subjects), "The desk's tickets")


def _usable(taxonomy: Taxonomy, source: str) -> Taxonomy:
    """Raises InputError if nothing can be learned: fewer than two groups, or no group with two
    titles."""
    if len(taxonomy.groups) < 2 or all(len(texts) < 2 for texts in taxonomy.groups.values()):
        raise InputError(
            f"{source}: {len(taxonomy.titles)} titles in {len(taxonomy.groups)} groups are too few "
            "to learn from; at least two groups are needed, one of them with two titles."
        )
    return taxonomy


@dataclass(frozen=True)
class Parts:
    """The titles to train on, and those of each other part; no text is in two parts."""

    training: Taxonomy
    others: dict[str, list[Title]]


def split_titles(taxonomy: Taxonomy, shares: Mapping[str, float], seed: int | None = None) -> Parts:
    """Draw titles for each part, by share of all titles.

    A hash of the text determines the order in which titles are drawn, so mostly the same titles are
    drawn whatever others there are; with a seed, they are shuffled instead. A group's own name and
    a text in two groups are never drawn, and at least LEAST_TRAINING titles of a group stay for
    training.
    """
    left = {name: len(texts) for name, texts in taxonomy.groups.items()}
    free = [
        title
        for title in taxonomy.titles
        if title.text != title.group and len(taxonomy.groups_of[title.text]) == 1
    ]
    if seed is None:
        free.sort(key=lambda title: hashlib.sha256(title.text.encode()).digest())
    else:
        random.Random(seed).shuffle(free)
    others: dict[str, list[Title]] = {}
    for part, share in shares.items():
        others[part] = []
        while free and len(others[part]) < share * len(taxonomy.titles):
            title = free.pop()
            if left[title.group] > LEAST_TRAINING:
                left[title.group] -= 1
                others[part].append(title)
    return Parts(taxonomy.without(t for part in others.values() for t in part), others)


def sample_titles(titles: Sequence[Title], most: int, chance: random.Random) -> list[Title]:
    """At most `most` of the titles, in their order."""
    chosen = sorted(chance.sample(range(len(titles)), min(most, len(titles))))
    return [titles[i] for i in chosen]
