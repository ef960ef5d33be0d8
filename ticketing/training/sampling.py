"""Training examples, made from labels and from the archive itself."""

import random
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

import numpy as np

from ticketing.model.components import Components
from ticketing.model.settings import QUERY_FIELDS, TICKET_FIELDS, NetworkSettings
from ticketing.tickets import Grade, Label, typed_words
from ticketing.training.texts import FieldIds

WEAK_WEIGHT = 0.5
"""Weight of a weak positive (a ticket against itself), relative to a YES."""

CUTS = (0.4, 0.6, 0.8)
"""Boundaries in [0, 1) between the ways to cut a ticket in two: the query is the subject in 40 of
100, the description in 20, the subject with half of the description in 20, that half alone in
20."""


VIEWS = (0.75, 0.1, 0.15)
"""Probabilities that a text is used as a query whole, without its subject, and without its
description, when imitating a teacher."""


def is_validation(query_id: str) -> bool:
    """Whether a query is a validation query (15 in 100, by its id)."""
    return int(query_id[8:16], 16) % 100 < 15


def parted(
    labels: Sequence[Label], held_out: Callable[[str], bool]
) -> tuple[list[Label], list[Label]]:
    """Split labels into those for training and those of queries whose ids are `held_out`. Queries
    with the same words as a held-out one are also held out. A pair of tickets that is held out in
    the other direction is in neither."""
    asked = [label for label in labels if held_out(label.query.id)]
    words = typed_words(label.query for label in asked)
    pairs = {(label.ticket_id, label.query.ticket_id) for label in asked}
    learned: list[Label] = []
    kept: list[Label] = []
    for label in labels:
        if held_out(label.query.id) or not words.isdisjoint(typed_words([label.query])):
            kept.append(label)
        elif (label.query.ticket_id, label.ticket_id) not in pairs:
            learned.append(label)
    return learned, kept


@dataclass(frozen=True)
class Example:
    """A query and a ticket that match to the degree `label` in [0, 1].

    `query_key` and `ticket_key` identify the owners of the texts, so that a right answer in a batch
    is not treated as wrong. `refused` is a ticket judged NO for this query, with its key, if there
    is one.
    """

    query: Components
    ticket: Components
    label: float
    query_key: str
    ticket_key: str
    refused: tuple[str, Components] | None = None


def all_tickets(batch: Sequence[Example]) -> tuple[list[str], list[Components]]:
    """All tickets of a batch: the B own ones, then the refused ones (N in all). Returns their keys
    and the tickets."""
    own = [(x.ticket_key, x.ticket) for x in batch]
    keys, tickets = zip(*own, *(x.refused for x in batch if x.refused), strict=True)
    return list(keys), list(tickets)


class Archive:
    """Word ids of tickets, and their conversion to components.

    `created` gives the date of a ticket, if known.
    """

    def __init__(
        self,
        settings: NetworkSettings,
        tickets: Mapping[str, FieldIds],
        created: Mapping[str, datetime] = MappingProxyType({}),
    ):
        self.settings = settings
        self.tickets = tickets
        self.created = created
        self._compared = [
            (p, r)
            for p, row in enumerate(settings.pair_weights())
            for r, weight in enumerate(row)
            if weight
        ]

    def query(self, fields: FieldIds) -> Components:
        """The components of a text as a query."""
        return _join(fields, self.settings.query_components, QUERY_FIELDS)

    def ticket(self, fields: FieldIds) -> Components:
        """The components of a text as a ticket."""
        return _join(fields, self.settings.ticket_components, TICKET_FIELDS)

    def comparable(self, query: Components, ticket: Components) -> bool:
        """Whether any pair of components that the network compares is present."""
        return any(query[p] and ticket[r] for p, r in self._compared)


def _join(fields: FieldIds, names: Sequence[str], of: Mapping[str, str]) -> Components:
    return tuple(
        [word for part in name.split("+") for word in fields.get(of[part], ())] for name in names
    )


def labelled(
    archive: Archive,
    labels: Sequence[Label],
    queries: Mapping[str, FieldIds],
    chance: random.Random,
) -> list[Example]:
    """An example for each YES and REL label, with a random NO ticket of the query if there is
    one."""
    refused = defaultdict(list)
    for label in labels:
        if label.grade == Grade.NO:
            refused[label.query.id].append(label.ticket_id)
    examples = []
    for label in labels:
        if label.grade == Grade.NO:
            continue
        example = _example(archive, label, queries)
        if others := refused[label.query.id]:
            id = chance.choice(others)
            example = replace(example, refused=(id, archive.ticket(archive.tickets[id])))
        examples.append(example)
    return _usable(archive, examples)


def graded(
    archive: Archive,
    labels: Sequence[Label],
    queries: Mapping[str, FieldIds],
    chance: random.Random,
) -> list[Example]:
    """An example for each label, as in the paper. If there is no NO label, each label adds a random
    ticket as NO, unless that happens to be right."""
    examples = [_example(archive, label, queries) for label in labels]
    if all(label.grade != Grade.NO for label in labels):
        ids = sorted(archive.tickets)
        right = {(x.query.id, id) for x in labels for id in (x.ticket_id, x.query.ticket_id)}
        for label in labels:
            other = Label(label.query, chance.choice(ids), Grade.NO)
            if (other.query.id, other.ticket_id) not in right:
                examples.append(_example(archive, other, queries))
    return _usable(archive, examples)


def _example(archive: Archive, label: Label, queries: Mapping[str, FieldIds]) -> Example:
    return Example(
        archive.query(queries[label.query.id]),
        archive.ticket(archive.tickets[label.ticket_id]),
        label.grade.label,
        label.query.key,
        label.ticket_id,
    )


def shown(ids: Sequence[str], most: int, epoch: int, seed: int) -> list[str]:
    """The tickets of an epoch (numbered from 0): at most `most` of them, in a seeded order that
    continues from epoch to epoch and starts over at its end."""
    if len(ids) <= most:
        return list(ids)
    order = np.random.default_rng(seed).permutation(len(ids))
    return [
        ids[place] for place in order.take(range(epoch * most, (epoch + 1) * most), mode="wrap")
    ]


def some_tickets(
    ids: Sequence[str], labelled: Collection[str], most: int, chance: random.Random
) -> list[str]:
    """The tickets with labels and a sample of others, up to `most` in total, in their order."""
    others = sorted(set(ids) - set(labelled))
    room = min(max(most - (len(ids) - len(others)), 0), len(others))
    left_out = set(others) - set(chance.sample(others, room))
    return [id for id in ids if id not in left_out]


def weak(archive: Archive, ids: Sequence[str], chance: random.Random) -> list[Example]:
    """Weak positives: each ticket against itself, cut in two at random. The query is its subject,
    its description, the subject with half of the description, or that half."""
    examples = []
    for id in ids:
        query, ticket = _cut(archive.tickets[id], chance)
        examples.append(Example(archive.query(query), archive.ticket(ticket), WEAK_WEIGHT, id, id))
    return _usable(archive, examples)


def _cut(fields: FieldIds, chance: random.Random) -> tuple[FieldIds, FieldIds]:
    subject, description, solution = (
        fields.get(name, []) for name in ("subject", "description", "solution")
    )
    half = len(description) // 2
    first, second = description[:half], description[half:]
    match bisect(CUTS, chance.random()):
        case 0:
            return {"subject": subject}, {"description": description, "solution": solution}
        case 1:
            return {"description": description}, {"subject": subject, "solution": solution}
        case 2:
            query = {"subject": subject, "description": first}
            return query, {"description": second, "solution": solution}
    return {"description": first}, {"subject": subject, "description": second, "solution": solution}


def views(archive: Archive, texts: Mapping[str, FieldIds], chance: random.Random) -> list[Example]:
    """Each text as a query and as a ticket, for imitating a teacher that reads whole texts.

    VIEWS gives what queries lack; every second ticket lacks its solution.
    """
    examples = []
    for key, fields in texts.items():
        query = _without(fields, chance.choices(("", "subject", "description"), VIEWS)[0])
        ticket = _without(fields, chance.choice(("", "solution")))
        examples.append(Example(archive.query(query), archive.ticket(ticket), 1.0, key, key))
    return _usable(archive, examples)


def _without(fields: FieldIds, name: str) -> FieldIds:
    """A text without one field, unless nothing would be left."""
    rest = {field: words for field, words in fields.items() if field != name}
    return rest if any(rest.values()) else fields


def _usable(archive: Archive, examples: list[Example]) -> list[Example]:
    return [example for example in examples if archive.comparable(example.query, example.ticket)]
