"""Of near-copies the one leads that names the query's own numbers."""

from dataclasses import replace

import numpy as np
import pytest

from tests.unit.ticketing.retrieval.untrained import recommender_of
from ticketing.retrieval.folding import Row
from ticketing.retrieval.leading import led
from ticketing.retrieval.match import Match
from ticketing.tickets import Query, Ticket


def match(rank, subject):
    ticket = Ticket(f"T{rank}", subject)
    return Match(rank, ticket, np.zeros(1, np.uint8), rank / 10, 1 / rank, 0.1 * rank, moved="up")


FIRST, SECOND, THIRD = (match(rank, f"Pump {rank} leaks") for rank in (1, 2, 3))
ROW = Row(FIRST, [SECOND, THIRD])


def test_the_copy_with_the_querys_number_takes_rank_and_chances_of_the_first():
    row = led(Query("pump 3 is leaking"), ROW)
    assert row.best == replace(THIRD, rank=1, chance=1.0, chance_related=0.1, moved="")
    assert row.like == [
        SECOND,
        replace(FIRST, rank=3, chance=1 / 3, chance_related=pytest.approx(0.3), moved=""),
    ]


@pytest.mark.parametrize("subject", ["pump leaks", "pump 4 leaks", "pump 1 leaks"])
def test_the_first_stays_where_no_copy_names_more(subject):
    assert led(Query(subject), ROW) is ROW


def test_one_that_was_judged_for_the_query_or_whose_id_was_typed_stays_first():
    query = Query("pump 3 leaks")
    for first in (replace(FIRST, by_id=True), replace(FIRST, solved=query)):
        row = Row(first, [THIRD])
        assert led(query, row) is row


def test_an_answer_begins_with_the_number_that_was_asked_for():
    """All are one ticket to the model, and fold into one row."""
    tickets = [Ticket(f"K{i:03}", f"Pump {i} leaks at flange gasket") for i in range(150)]
    found = recommender_of(tickets).recommend(Query("Pump 77 leaks at flange gasket"))
    [row] = found.items
    assert (row.ticket.id, row.rank, len(row.like)) == ("K077", 1, 149)
    assert sorted(copy.rank for copy in row.like) == [*range(2, 151)]
