"""Which tickets name what a query names, letter by letter: the model reads no numbers and codes.

Where they are all that a query tells, these tickets are its answer. A query in words keeps its
ranking: of tickets that share a rare code with one, and that words did not find, hardly any helps.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ticketing.retrieval.match import READ
from ticketing.retrieval.solved import Solved
from ticketing.stores.protocols import SearchedTickets
from ticketing.text.literals import key_of, literals, named_in, words_beside
from ticketing.text.telling import TellingWords
from ticketing.tickets import Filters, Query

MOST_CODES = 8
"""Of a query: what it tells beside the first is not worth looking for."""

MOST = 300
"""Tickets that are looked at."""

SHORTEST = 2
"""Characters of a number or code that is looked for: "5" is in every other ticket."""

LONGEST_ALONE = 300
"""Characters of a query that codes alone may make."""


@dataclass(frozen=True)
class Naming:
    """A ticket's id, and the numbers and codes of a query that it names, as the query has them; of
    one that it `solved`, those which that query names, or none where it is the very one."""

    ticket_id: str
    named: tuple[str, ...]
    solved: Query | None = None


def codes_alone(query: Query, telling: TellingWords) -> list[str]:
    """The numbers and codes of a query that says nothing else, but for what is said of any."""
    text = query.text.strip()
    if len(text) > LONGEST_ALONE:
        return []
    codes = [code for code in literals(text) if len(code) >= SHORTEST][:MOST_CODES]
    return codes if all(map(telling.is_said_of_codes, words_beside(text))) else []


def naming_any(
    store: SearchedTickets,
    solved: Solved,
    query: Query,
    codes: Sequence[str],
    filters: Filters,
    telling: TellingWords,
) -> list[Naming]:
    """The tickets that name any of some codes, each once. First come those whose ids they are and
    those that solved the very query, or another one of the same codes alone, of which some may not
    be there or not match; then the MOST that name most of them, the last created first. The ticket
    that asks is left out."""
    written = {key_of(code): code for code in codes}
    found = store.naming(list(written), filters, MOST)
    naming = [Naming(id, tuple(written[key] for key in keys)) for id, keys in found.items()]
    ids = [Naming(id, (code,)) for code in codes for id in dict.fromkeys((code, code.upper()))]
    first: dict[str, Naming] = {}
    for one in (*ids, *_solved(solved, query, codes, telling), *naming):
        first.setdefault(one.ticket_id, one)
    first.pop(query.ticket_id, None)
    return [*first.values()]


def named_somewhere(store: SearchedTickets, query: Query, filters: Filters) -> list[str]:
    """The first numbers and codes of a query that a matching ticket names."""
    codes = [code for code in literals(query.text[:READ]) if len(code) > SHORTEST][:MOST_CODES]
    return [code for code in codes if store.naming([key_of(code)], filters, 1)]


def _solved(
    solved: Solved, query: Query, codes: Sequence[str], telling: TellingWords
) -> list[Naming]:
    pairs = list(zip(solved.queries, solved.ticket_ids, strict=True))
    settled = [Naming(id, (), one) for one, id in pairs if one.id == query.id]
    others = [
        Naming(id, tuple(named), one)
        for one, id in pairs
        if one.id != query.id
        and len(one.text) <= LONGEST_ALONE
        and (named := named_in(one.text, codes))
        and codes_alone(one, telling)
    ]
    return [*settled, *sorted(others, key=lambda one: -len(one.named))]
