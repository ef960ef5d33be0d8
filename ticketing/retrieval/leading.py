"""Which of several near-copies stands for them: the one that names what the query names.

Tickets of one template differ in a number, which the model does not read: to it "Pump 7 leaks" is
"Pump 12 leaks".
"""

from dataclasses import replace

from ticketing.retrieval.folding import Row
from ticketing.retrieval.match import READ, Match
from ticketing.text.literals import literals, named_in
from ticketing.tickets import Query

MOST_LOOKED_AT = 200
"""Near-copies of one row whose texts are looked at."""


def led(query: Query, row: Row) -> Row:
    """The row, led by the first of its near-copies that names most of the query's numbers and
    codes. It and the one that was first change places, ranks and chances; one that is certain, or
    named by its id, stays."""
    wanted = literals(query.text[:READ])
    if not wanted or not row.like or row.best.by_id or row.best.settles(query):
        return row
    every = [row.best, *row.like]
    named = [len(named_in(match.text, wanted)) for match in every[:MOST_LOOKED_AT]]
    place = named.index(max(named))
    if place == 0:
        return row
    first, leader = every[0], every[place]
    every[place] = _in_place_of(leader, first)
    return Row(_in_place_of(first, leader), every[1:])


def _in_place_of(other: Match, match: Match) -> Match:
    """A match with another one's rank and chances."""
    return replace(
        match,
        rank=other.rank,
        chance=other.chance,
        chance_related=other.chance_related,
        moved="",
    )
