"""Which tickets name what a query names, letter by letter: the model reads no numbers and codes.

Where they are all that a query tells, these tickets are its answer. A query in words keeps its
ranking: of tickets that share a rare code with one, and that words did not find, hardly any helps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ticketing.retrieval.folding import READ
from ticketing.retrieval.solved import Solved
from ticketing.stores.protocols import SearchedTickets
from ticketing.text.literals import key_of, literals, named_in, words_beside
from ticketing.text.telling import TellingWords
from ticketing.tickets import Filters, Query

MOST = 100
"""Tickets that are looked at of those that name one code."""


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
) -> list[Naming]:
    """The tickets that name any of some codes, each once, MOST of each code. First come those that
    solved the very query and those that solved one that names any, of which some may not be there
    or not match; then those that name most of the codes, the last created first. The ticket that
    asks is left out."""
    found = store.naming([*map(key_of, codes)], filters, MOST)
    every = [*_solved(solved, query, codes), *_in_order(codes, found)]
    first: dict[str, Naming] = {}
    for one in every:
        first.setdefault(one.ticket_id, one)
    first.pop(query.ticket_id, None)
    return [*first.values()]


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
