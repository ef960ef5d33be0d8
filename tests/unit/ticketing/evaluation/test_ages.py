"""Acc@10 by age of the youngest right ticket, by hand."""

from datetime import datetime, timedelta

import numpy as np

from ticketing.evaluation.ages import AGES, age_text, ages_of, by_age
from ticketing.evaluation.comparison import measured
from ticketing.evaluation.runs import Ranked
from ticketing.retrieval.memory import EncodedTickets
from ticketing.tickets import Grade, Label, Query, Ticket

NOW = datetime(2013, 6, 1)


def ticket(id, days):
    return Ticket(id, id, created=None if days is None else NOW - timedelta(days))


def store(**days):
    tickets = [ticket(id, ago) for id, ago in sorted(days.items())]
    return EncodedTickets(tickets, np.zeros((len(tickets), 1), np.uint8))


def asks(id, *right, grade=Grade.YES):
    query = Query(f"about {id}", ticket_id=id)
    return [Label(query, ticket, grade) for ticket in right]


def test_a_querys_age_is_that_of_its_youngest_yes():
    """Q is of today; 6.9 days is under 7, exactly 7 is the next age, 400 is older."""
    known = store(Q=0, a=6.9, b=7, c=400, d=None, now=0)
    [query] = {label.query.id for label in asks("Q", "a")}
    assert ages_of(known, asks("Q", "a")) == {query: 0}
    assert ages_of(known, asks("Q", "now")) == {query: 0}
    assert ages_of(known, asks("Q", "b", "c")) == {query: 1}
    assert ages_of(known, asks("Q", "c", "d")) == {query: 4}


def test_a_yes_that_came_later_is_never_found_so_it_has_no_age():
    known = store(Q=0, a=30, later=-4)
    [query] = {label.query.id for label in asks("Q", "a")}
    assert ages_of(known, asks("Q", "a", "later")) == {query: 2}
    assert ages_of(known, asks("Q", "later")) == {}


def test_what_has_no_date_or_no_yes_has_no_age():
    known = store(Q=0, a=3, d=None)
    assert ages_of(known, asks("Q", "d")) == {}
    assert ages_of(known, asks("d", "a")) == {}
    assert ages_of(known, asks("Q", "a", grade=Grade.REL)) == {}
    assert ages_of(known, [Label(Query("no ticket"), "a", Grade.YES)]) == {}


def test_shares_by_age_and_their_mean_by_hand():
    """Two queries of under 7 days, of which one is found, and one older that is found: .5 and 1
    are .75 on balance, where the plain mean is 2/3."""
    labels = [*asks("P", "a"), *asks("Q", "a"), *asks("R", "c")]
    p, q, r = (label.query.id for label in labels)
    run = {p: [("a", 0.1)], q: [("c", 0.1)], r: [("c", 0.1)]}
    ages = ages_of(store(P=0, Q=0, R=0, a=1, c=500), labels)
    [row] = by_age([measured("x", "", Ranked(run, {}), labels)], labels, ages)
    assert row.shares == (0.5, None, None, None, 1.0)
    assert row.balanced == 0.75
    head, counts, shown = age_text([row], ages)
    assert head.split("  ")[-1].strip() == "balanced"
    assert counts.split() == ["queries", "2", "0", "0", "0", "1", "3"]
    assert shown.split() == ["x", "0.500", "–", "–", "–", "1.000", "0.750"]
    assert len(AGES) == 5
