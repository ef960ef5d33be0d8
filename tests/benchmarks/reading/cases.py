"""What reading is measured on: queries whose answers are known, among some tickets."""

import random
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ticketing.evaluation.metrics import Run, evaluate
from ticketing.evaluation.runs import DEPTH
from ticketing.tickets import Grade, Label, Query, Ticket, queries_of

DESK_TICKETS, DESK_QUERIES = 200, 60

Asked = Mapping[Query, Collection[str]]
"""The ids of the tickets that answer a query."""

Scores = npt.NDArray[np.float64]
"""[queries, tickets] in the case's order, greater is closer; -inf is not found."""


@dataclass(frozen=True)
class Case:
    """Queries, the tickets they are asked among, and what a bundle is trained on.

    A query that is itself a ticket is asked among older ones. `hidden` tickets are never shown
    to a query; one in `among` is asked among those alone, and all of them are ranked, found or not.
    Both are by query id.
    """

    name: str
    tickets: Sequence[Ticket]
    """In ascending order of id."""
    answers: Sequence[Label]
    """A YES for each right ticket."""
    learned: Sequence[Ticket]
    labels: Sequence[Label] = ()
    hidden: Mapping[str, Collection[str]] = field(default_factory=dict)
    among: Mapping[str, Collection[str]] = field(default_factory=dict)

    @cached_property
    def queries(self) -> list[Query]:
        """The distinct queries."""
        return queries_of(self.answers)

    @cached_property
    def ids(self) -> list[str]:
        """The tickets' ids, ascending."""
        return [ticket.id for ticket in self.tickets]

    @cached_property
    def eligible(self) -> npt.NDArray[np.bool_]:
        """Which tickets may answer which query: bool [queries, tickets]."""
        created = np.array([ticket.created for ticket in self.tickets], dtype="datetime64[us]")
        rows = []
        for query in self.queries:
            row = np.full(len(self.ids), query.id not in self.among)
            row[self._places(self.among.get(query.id, ()))] = True
            row[self._places(self.hidden.get(query.id, ()))] = False
            if own := self._places([query.ticket_id]):
                row[own] = False
                if not np.isnat(created[own[0]]):
                    row &= created < created[own[0]]
            rows.append(row)
        return np.array(rows)

    def _places(self, ids: Collection[str]) -> list[int]:
        """Where those of the ids stand that are searched."""
        places = [(id, bisect_left(self.ids, id)) for id in ids]
        return [i for id, i in places if i < len(self.ids) and self.ids[i] == id]

    def measure(self, scores: Scores) -> dict[str, list[float]]:
        """Every measure by query, as `evaluation.metrics.evaluate` gives them."""
        return evaluate(self.answers, self._run(scores))

    def _run(self, scores: Scores) -> Run:
        run = {}
        for query, row, allowed in zip(self.queries, scores, self.eligible, strict=True):
            ranked = np.flatnonzero(allowed & (np.isfinite(row) | (query.id in self.among)))
            best = ranked[np.argsort(-row[ranked], kind="stable")[:DEPTH]]
            run[query.id] = [(self.ids[i], float(-row[i])) for i in best]
        return run


def by_id(tickets: Sequence[Ticket]) -> list[Ticket]:
    """In ascending order of id."""
    return sorted(tickets, key=lambda ticket: ticket.id)


def right_answers(asked: Asked) -> list[Label]:
    """A YES for each answer."""
    return [Label(query, id, Grade.YES) for query, ids in asked.items() for id in sorted(ids)]


def desk(
    name: str, tickets: Sequence[Ticket], asked: Asked, hidden: Asked, seed: int, queries: int
) -> Case:
    """A desk of DESK_TICKETS tickets and no label: one answer each to `queries` of the queries,
    drawn by `seed`, and others drawn from the rest. A query that is a ticket is new to the desk,
    and asked among all its tickets; those of one text are one query."""
    chance = random.Random(seed)
    known = {ticket.id: ticket for ticket in tickets}
    drawn = chance.sample(sorted(asked, key=lambda query: query.id), min(queries, len(asked)))
    new = {query.ticket_id for query in drawn}
    needed: dict[str, None] = {}
    answerable = []
    for query in drawn:
        if there := sorted(set(asked[query]) & set(known) - new):
            needed.setdefault(chance.choice(there))
            answerable.append(query)
    rest = sorted(set(known) - new - set(needed))
    chosen = {*needed, *chance.sample(rest, max(min(DESK_TICKETS - len(needed), len(rest)), 0))}
    answers: dict[Query, set[str]] = defaultdict(set)
    concealed: dict[str, set[str]] = defaultdict(set)
    for query in answerable:
        text = Query(query.subject, query.description)
        answers[text] |= set(asked[query]) & chosen
        concealed[text.id] |= set(hidden.get(query, ()))
    found = by_id([known[id] for id in chosen])
    return Case(name, found, right_answers(answers), found, hidden=concealed)
