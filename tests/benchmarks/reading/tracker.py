"""A tracker: `tickets.jsonl.gz`, and `links.tsv` with newer, older and type.

A query is the newer ticket of a Duplicate link, asked among the older tickets.
"""

import csv
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from tests.benchmarks.reading.cases import DESK_QUERIES, Case, by_id, desk, right_answers
from ticketing.errors import InputError
from ticketing.importing import import_sources, open_source, read_mapping
from ticketing.stores.protocols import PutCounts
from ticketing.tickets import Grade, Label, Query, Ticket

FILE = "tickets.jsonl.gz"
GRADES = {
    "Duplicate": Grade.YES,
    "Relates": Grade.REL,
    "Depends": Grade.REL,
    "Blocks": Grade.REL,
    "Includes": Grade.REL,
}
NEAR_COPY = "Cloners"
SEEDS = range(5)


@dataclass(frozen=True)
class Tracker:
    """Tickets as they stood at some time, and what links them."""

    tickets: dict[str, Ticket]
    links: Sequence[tuple[str, str, str]]

    @classmethod
    def read(cls, folder: Path, before: datetime) -> "Tracker":
        """Tickets, replies and links from before that time; a ticket's product is its project."""
        source = open_source(folder / FILE, read_mapping(None, ["product=project"]), before)
        tickets: dict[str, Ticket] = {}

        def keep(read: Sequence[Ticket], _: Collection[str]) -> PutCounts:
            tickets.update((t.id, t) for t in read if t.created and t.created < before)
            return PutCounts()

        import_sources([source], keep)
        with open(folder / "links.tsv", encoding="utf-8", newline="") as lines:
            rows = [
                (x["newer"], x["older"], x["type"]) for x in csv.DictReader(lines, delimiter="\t")
            ]
        known = [(q, d, kind) for q, d, kind in rows if q in tickets and d in tickets]
        return cls(tickets, known)

    def query(self, id: str) -> Query:
        """A ticket as a query."""
        ticket = self.tickets[id]
        return Query(ticket.subject, ticket.description, id)

    def labels(self) -> list[Label]:
        """What the links say, the better grade where two link the same tickets."""
        best: dict[tuple[str, str], Grade] = {}
        for newer, older, kind in self.links:
            if kind in GRADES:
                best[newer, older] = max(GRADES[kind], best.get((newer, older), Grade.NO))
        return [Label(self.query(q), d, grade) for (q, d), grade in sorted(best.items())]

    def answers(self) -> dict[Query, set[str]]:
        """The older tickets that a newer one is a duplicate of."""
        found: dict[Query, set[str]] = defaultdict(set)
        for newer, older, kind in self.links:
            if kind == "Duplicate":
                found[self.query(newer)].add(older)
        return dict(found)

    def near_copies(self) -> dict[Query, set[str]]:
        """Tickets that copy the query for another release: neither right nor wrong."""
        found: dict[Query, set[str]] = defaultdict(set)
        for newer, older, kind in self.links:
            if kind == NEAR_COPY:
                found[self.query(newer)].add(older)
        return dict(found)


def read_tracker(folder: Path, part: str, before: datetime) -> list[Case]:
    """The cases of a part: a year (learned: what came before it), a project (learned: all the
    others), "half" (learned: what came before half of the queries), or "desk"."""
    if part == "desk":
        tracker = Tracker.read(folder, before)
        draw = partial(desk, tickets=[*tracker.tickets.values()], queries=DESK_QUERIES)
        asked, hidden = tracker.answers(), tracker.near_copies()
        return [draw(name="desk", asked=asked, hidden=hidden, seed=seed) for seed in SEEDS]
    if part.isdigit():
        year = datetime(int(part), 1, 1)
        return [_since(folder, year, year.replace(year=year.year + 1))]
    if part == "half":
        tracker = Tracker.read(folder, before)
        times = sorted(_created(tracker, query.ticket_id) for query in tracker.answers())
        return [_since(folder, times[len(times) // 2], before)]
    return [_project(Tracker.read(folder, before), part)]


def _created(tracker: Tracker, id: str) -> datetime:
    created = tracker.tickets[id].created
    assert created, "a tracker holds dated tickets only"
    return created


def _since(folder: Path, time: datetime, before: datetime) -> Case:
    """Queries of a time, learned from what there was before; solutions are as they were then."""
    old = Tracker.read(folder, time)
    whole = Tracker.read(folder, before)
    tickets = {**whole.tickets, **old.tickets}
    # Replies of the time itself would tell what the query's answer was.
    unsolved = {id: _unsolved(ticket) for id, ticket in tickets.items() if id not in old.tickets}
    tracker = Tracker({**tickets, **unsolved}, whole.links)
    asked = {q: ids for q, ids in tracker.answers().items() if q.ticket_id in unsolved}
    return _case(tracker, asked, [*old.tickets.values()], old.labels())


def _unsolved(ticket: Ticket) -> Ticket:
    return Ticket(ticket.id, ticket.subject, ticket.description, created=ticket.created)


def _project(tracker: Tracker, project: str) -> Case:
    """Queries of a project, learned from the tickets and links of all the others."""
    others = [ticket for ticket in tracker.tickets.values() if ticket.product != project]
    if len(others) == len(tracker.tickets):
        projects = sorted({ticket.product for ticket in others})
        raise InputError(f"There is no project {project}; there are {', '.join(projects)}.")
    known = {ticket.id for ticket in others}
    asked = {q: ids for q, ids in tracker.answers().items() if q.ticket_id not in known}
    labels = [x for x in tracker.labels() if {x.query.ticket_id, x.ticket_id} <= known]
    return _case(tracker, asked, others, labels)


def _case(
    tracker: Tracker, asked: dict[Query, set[str]], learned: list[Ticket], labels: list[Label]
) -> Case:
    hidden = {query.id: ids for query, ids in tracker.near_copies().items()}
    tickets = by_id([*tracker.tickets.values()])
    return Case("", tickets, right_answers(asked), learned, labels, hidden)
