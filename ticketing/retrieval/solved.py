"""Solved queries: each query that a ticket solved counts as one more text of that ticket.

The words of a typed query are in no ticket, so they would be lost once it is answered. A query that
was judged YES is encoded like a ticket's text, and the distance of a ticket is that of its nearest
text. A query that is itself a ticket is left out, since it is found as that ticket.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ticketing.model.inference import Model
from ticketing.model.layout import CodeLayout
from ticketing.queries import EncodedQuery
from ticketing.retrieval.scan import nearest, scan_distances
from ticketing.retrieval.wording import asked_terms, held_by
from ticketing.stores.blocks import CodeBlock
from ticketing.tickets import Grade, Label, Query

READ = 300
"""Number of nearest solved queries that are considered; a filter may exclude the tickets of
most."""

BROUGHT = 30
"""Maximum number of tickets brought nearer by solved queries; ten tickets are shown."""


@dataclass(frozen=True)
class SolvedQuery:
    """A query that a ticket solved, its distance to the present query, and its row of codes uint8
    [width]."""

    query: Query
    ticket_id: str
    distance: float
    code: npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Solved:
    """Solved queries, the tickets that solved them, and the queries' codes uint8 [n, width],
    without a time. `seen` returns which of some tickets the person may see; None if all."""

    queries: Sequence[Query]
    ticket_ids: Sequence[str]
    codes: npt.NDArray[np.uint8]
    seen: Callable[[Sequence[str]], Collection[str]] | None = None

    def nearest(self, query: EncodedQuery, layout: CodeLayout) -> list[SolvedQuery]:
        """The READ nearest solved queries whose tickets may be seen, nearest first, without the
        time part. If no word of the query is known, all queries look alike to the network; then
        only those that share a term are returned."""
        apart = scan_distances(self.codes, np.arange(len(self.codes)), query, layout)
        places = self._nearest_seen(apart)
        if len(places) and not query.known:
            places = places[held_by(self.codes[places], asked_terms(query), layout).any(1)]
        return [
            SolvedQuery(self.queries[i], self.ticket_ids[i], float(apart[i]), self.codes[i])
            for i in places.tolist()
        ]

    def _nearest_seen(self, apart: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
        """Indices of the READ nearest that may be seen. Tickets are looked up in growing pages
        until enough are found. If there are at most READ queries, nothing is looked up here."""
        if self.seen is None or len(apart) <= READ:
            return nearest(apart, READ)
        order, start, size = nearest(apart, len(apart)), 0, READ
        found: list[int] = []
        while start < len(order) and len(found) < READ:
            page = order[start : start + size].tolist()
            seen = self.seen(sorted({self.ticket_ids[i] for i in page}))
            found += [i for i in page if self.ticket_ids[i] in seen]
            start, size = start + size, 2 * size
        return np.array(found[:READ], np.int64)


SolvedNow = Callable[[], Solved]
"""Returns the present solved queries."""


def nothing_solved() -> Solved:
    """No solved queries: nobody has judged, or judgments are not to count."""
    return Solved((), (), np.zeros((0, 0), np.uint8))


def solved_of(model: Model, labels: Iterable[Label], known: Solved | None = None) -> Solved:
    """The solved queries among labels; codes in `known` are reused."""
    found = [x for x in labels if x.grade == Grade.YES and not x.query.ticket_id]
    row = {query.id: place for place, query in enumerate(known.queries)} if known else {}
    new = {x.query.id: x.query for x in found if x.query.id not in row}
    made = model.encode_solved([*new.values()])
    codes = np.concatenate([known.codes, made]) if known else made
    row |= {id: place for place, id in enumerate(new, len(codes) - len(made))}
    places = np.array([row[x.query.id] for x in found], np.int64)
    return Solved([x.query for x in found], [x.ticket_id for x in found], codes[places])


def solved_seen(solved: SolvedNow, seen: Callable[[Sequence[str]], Collection[str]]) -> SolvedNow:
    """Solved queries as seen by a person; `seen` returns which of some tickets they may see."""
    return lambda: replace(solved(), seen=seen)


def tickets_of(solved: Iterable[SolvedQuery]) -> list[str]:
    """Ids of the tickets that solved them."""
    return list(dict.fromkeys(one.ticket_id for one in solved))


def bring_nearer(
    model: Model,
    query: EncodedQuery,
    block: CodeBlock,
    distances: npt.NDArray[np.float32],
    solved: Iterable[SolvedQuery],
    query_id: str,
) -> dict[int, SolvedQuery]:
    """Set the distance of each ticket to that of its nearest text; `distances` float32 [n] is
    changed. `solved` are ordered nearest first.

    Returns, by index, the solved query that brought a ticket nearer, with the ticket's time in its
    codes and its distance. A ticket that solved the present query (`query_id`) is always included,
    with that query.
    """
    held: dict[int, SolvedQuery] = {}
    settled: dict[int, Query] = {}
    for one in solved:
        place = block.place(one.ticket_id)
        if place is not None and np.isfinite(distances[place]):  # own ticket: infinite
            held.setdefault(place, one)
            if one.query.id == query_id:
                settled[place] = one.query
        if len(held) == BROUGHT:
            break
    if not held:
        return {}
    rows = np.asarray(block.codes[block.live[list(held)]])
    minutes = model.layout.minutes(rows, np.arange(len(rows)))
    ages = model.recency.distances(query.time, minutes)  # zeros without a time
    nearer = {}
    for (place, one), row, age in zip(held.items(), rows, ages.tolist(), strict=True):
        own, distance, code = float(distances[place]), one.distance + age, row
        if distance < own:
            distances[place], code = distance, model.layout.dated_as(one.code, row)
        elif place not in settled:
            continue
        said = settled.get(place, one.query)
        nearer[place] = replace(one, query=said, distance=min(distance, own), code=code)
    return nearer
