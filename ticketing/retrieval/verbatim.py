"""Tickets that contain the numbers and codes of a query verbatim; the model does not read these.

If a query consists of numbers and codes alone, these tickets are the answer. A query in words keeps
its ranking: tickets that share a rare code with it but were not found by words hardly ever help.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ticketing.retrieval.match import READ
from ticketing.retrieval.naming import spelled
from ticketing.retrieval.solved import Solved
from ticketing.stores.protocols import SearchedTickets
from ticketing.text.literals import key_of, literals, named_in, words_beside
from ticketing.text.telling import TellingWords
from ticketing.tickets import Filters, Query

MOST_CODES = 8
"""Maximum number of codes of a query that are searched for."""

MOST = 300
"""Maximum number of tickets returned by a search."""

SHORTEST = 2
"""Minimum length of a number or code searched for: "5" is in every other ticket."""

LONGEST_ALONE = 300
"""Maximum length in characters of a query that may consist of codes alone."""


@dataclass(frozen=True)
class Verbatim:
    """A ticket's id and the query's numbers and codes that it contains. If it was found because it
    `solved` an earlier query, the codes are those in that query, or none if it is the present
    query."""

    ticket_id: str
    named: tuple[str, ...]
    solved: Query | None = None


def codes_alone(query: Query, telling: TellingWords) -> list[str]:
    """The numbers and codes of a query that contains nothing else, apart from words like "error
    code"; otherwise empty."""
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
) -> list[Verbatim]:
    """Tickets that contain any of the codes, each once. First come tickets with such an id, and
    those that solved the present query or another query of these codes alone; some of these may not
    exist or not match the filters. Then come at most MOST tickets that contain the most codes,
    newest first. The query's own ticket is left out."""
    written = {key_of(code): code for code in codes}
    found = store.naming(list(written), filters, MOST)
    naming = [Verbatim(id, tuple(written[key] for key in keys)) for id, keys in found.items()]
    ids = [Verbatim(id, (code,)) for code in codes for id in spelled(code)]
    first: dict[str, Verbatim] = {}
    for one in (*ids, *_solved(solved, query, codes, telling), *naming):
        first.setdefault(one.ticket_id, one)
    first.pop(query.ticket_id, None)
    return [*first.values()]


def named_somewhere(store: SearchedTickets, query: Query, filters: Filters) -> list[str]:
    """The first numbers and codes of a query that a matching ticket contains."""
    codes = [code for code in literals(query.text[:READ]) if len(code) > SHORTEST][:MOST_CODES]
    return [code for code in codes if store.naming([key_of(code)], filters, 1)]


def _solved(
    solved: Solved, query: Query, codes: Sequence[str], telling: TellingWords
) -> list[Verbatim]:
    pairs = list(zip(solved.queries, solved.ticket_ids, strict=True))
    settled = [Verbatim(id, (), one) for one, id in pairs if one.id == query.id]
    others = [
        Verbatim(id, tuple(named), one)
        for one, id in pairs
        if one.id != query.id
        and len(one.text) <= LONGEST_ALONE
        and (named := named_in(one.text, codes))
        and codes_alone(one, telling)
    ]
    return [*settled, *sorted(others, key=lambda one: -len(one.named))]
