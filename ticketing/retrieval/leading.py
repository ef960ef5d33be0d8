"""Which of several near-copies is shown for its group: the one that contains the query's numbers.

Tickets of one template differ in a number, which the model does not read: to it "Pump 7 leaks"
equals "Pump 12 leaks".
"""

from dataclasses import replace

from ticketing.retrieval.folding import Row
from ticketing.retrieval.match import READ, Match
from ticketing.text.literals import literals, named_in
from ticketing.tickets import Query

MOST_LOOKED_AT = 200
"""Maximum number of near-copies of one row whose texts are searched."""


def led(query: Query, row: Row) -> Row:
    """The row with another near-copy in front: the first of those that contain most of the query's
    numbers and codes. It swaps place, rank and chances with the former first. A first ticket that
    is certain (it solved this query, or its id was asked for) stays."""
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
    """A match with the rank and chances of another."""
    return replace(
        match,
        rank=other.rank,
        chance=other.chance,
        chance_related=other.chance_related,
        moved="",
    )
