"""Which tickets name what a query names, letter by letter: the model reads no numbers and codes.

Where they are all that a query tells, these tickets are its answer. A query in words keeps its
ranking, and rare codes bring tickets to the end of it: few texts share one by chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ticketing.retrieval.folding import READ
from ticketing.retrieval.solved import Solved
from ticketing.stores.protocols import SearchedTickets
from ticketing.text.literals import CODES, key_of, literals, named_in, words_beside
from ticketing.text.telling import TellingWords
from ticketing.tickets import Filters, Query

RARE = 10
"""Tickets at most that name a code which brings them by itself."""

MOST_BROUGHT = 3
"""Rows that rare codes bring."""


@dataclass(frozen=True)
class Naming:
    """A ticket's id, and the numbers and codes of a query that it names, as the query has them, or
    that another query names which it `solved`; none for one that solved the very query."""

    ticket_id: str
    named: tuple[str, ...]
    solved: Query | None = None


def codes_alone(query: Query, telling: TellingWords) -> list[str]:
    """The numbers and codes of a query that has no telling word beside them."""
    codes = literals(query.text[:READ])
    return [] if codes and telling.of(words_beside(query.text[:READ])) else codes


def naming_any(
    store: SearchedTickets,
    solved: Solved,
    query: Query,
    codes: Sequence[str],
    filters: Filters,
    most: int,
) -> list[Naming]:
    """The tickets that name any of some codes, `most` at most, each once. First come those that
    solved the very query, then those that solved one that names any, and of all others those that
    name most of them, the last created first. The ticket that asks is left out."""
    found = store.naming([*map(key_of, codes)], filters, most + 1)
    every = [*_solved(solved, query, codes), *_in_order(codes, found)]
    first: dict[str, Naming] = {}
    for one in every:
        first.setdefault(one.ticket_id, one)
    first.pop(query.ticket_id, None)
    return [*first.values()][:most]


def naming_rare(store: SearchedTickets, query: Query, filters: Filters) -> list[Naming]:
    """The tickets that name a code of the query that RARE at most name: those that name most of
    them first, then the last created. The ticket that asks is left out."""
    codes = literals(query.text[:READ], CODES)
    found = store.naming([*map(key_of, codes)], filters, RARE + 2) if codes else {}
    others = {key: [id for id in ids if id != query.ticket_id] for key, ids in found.items()}
    return _in_order(codes, {key: ids for key, ids in others.items() if len(ids) <= RARE})


def _solved(solved: Solved, query: Query, codes: Sequence[str]) -> list[Naming]:
    pairs = list(zip(solved.queries, solved.ticket_ids, strict=True))
    settled = [Naming(id, (), one) for one, id in pairs if one.id == query.id]
    others = (
        Naming(id, tuple(named), one)
        for one, id in pairs
        if one.id != query.id and (named := named_in(one.text[:READ], codes))
    )
    return [*settled, *sorted(others, key=lambda one: -len(one.named))]


def _in_order(codes: Sequence[str], found: Mapping[str, Sequence[str]]) -> list[Naming]:
    named: dict[str, list[str]] = {}
    place: dict[str, int] = {}
    for code in codes:
        for i, id in enumerate(found.get(key_of(code), ())):
            named.setdefault(id, []).append(code)
            place[id] = min(i, place.get(id, i))
    ids = sorted(named, key=lambda id: (-len(named[id]), place[id], id))
    return [Naming(id, tuple(named[id])) for id in ids]
