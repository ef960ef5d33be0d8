"""BM25 with the time part, by hand."""

from datetime import datetime, timedelta
from math import log, sqrt

import numpy as np
import pytest

from ticketing.evaluation.indexed_words import IndexedWords
from ticketing.evaluation.measurement import Sample, measure_words
from ticketing.evaluation.runs import run_peer
from ticketing.evaluation.timed_peer import TimedPeer
from ticketing.model.recency import HORIZON_DAYS, Recency
from ticketing.retrieval.memory import TicketsInMemory
from ticketing.retrieval.rescoring import standard
from ticketing.tickets import Grade, Label, Query, Ticket

NOW = datetime(2013, 6, 1)
DAYS = {"Q": 0, "a": 1, "b": 20, "c": 400, "d": 2}
WORDS = {"Q": "pump trip", "a": "valve", "b": "pump trip", "c": "pump trip", "d": "valve"}
ASKED = Query("pump trip", ticket_id="Q")


@pytest.fixture
def words():
    """Q asks; b and c have its words, a and d are of late, u is of no date."""
    tickets = [
        Ticket(id, WORDS[id], created=NOW - timedelta(days)) for id, days in sorted(DAYS.items())
    ]
    tickets.append(Ticket("u", "valve"))
    return IndexedWords(TicketsInMemory(tickets))


def test_standard_scores_have_mean_0_and_deviation_1():
    assert standard(np.array([1.0, 2.0, 3.0])) == pytest.approx([-sqrt(1.5), 0, sqrt(1.5)])
    assert standard(np.array([2.0, 2.0])).tolist() == [0, 0]
    assert standard(np.zeros(0)).tolist() == []


def test_without_weight_the_order_is_that_of_the_words(words):
    labels = [Label(ASKED, "b", Grade.YES)]
    run = TimedPeer(words, "BM25").rank(labels, Recency()).run[ASKED.id]
    found = run_peer(words, [ASKED])[ASKED.id]
    assert [id for id, _ in run][: len(found)] == [id for id, _ in found] == ["b", "c"]
    assert {id for id, _ in run} == {"a", "b", "c", "d"}  # not Q itself, and u is of no known age


def test_time_is_added_to_standard_scores(words):
    """b and c have the words and the others none: standard scores of 1 and -1."""
    ranked = TimedPeer(words, "BM25").rank([Label(ASKED, "c", Grade.YES)], Recency(0.5, 2.0, 30))
    found = dict(ranked.run[ASKED.id])
    wanted = {"a": 1 + 0.5 * log(2), "b": -1 + 0.5 * log(21), "c": -1 + 0.5 * log(31)}
    assert {id: found[id] for id in wanted} == pytest.approx(wanted)
    assert ranked.places[ASKED.id]["c"] == (2, pytest.approx(wanted["c"]))


def test_a_new_query_is_asked_with_the_newest_ticket_and_finds_what_has_no_date(words):
    query = Query("pump trip")
    ranked = TimedPeer(words, "BM25").rank([Label(query, "b", Grade.YES)], Recency(9.0, 2.0, 30))
    found = dict(ranked.run[query.id])
    assert found["a"] - found["d"] == pytest.approx(9 * (log(2) - log(3)))
    assert found["u"] - found["a"] == pytest.approx(9 * (2.0 - log(2)))


def test_the_weight_is_fitted_to_dated_queries_alone(words):
    timed = TimedPeer(words, "BM25")
    fitted = timed.fit([Label(ASKED, "c", Grade.YES)])
    assert fitted.weight > 0 and fitted.horizon == HORIZON_DAYS
    assert fitted.typical == pytest.approx((log(2) + log(3) + log(21) + log(121)) / 4)
    for query, id, grade in ((Query("pump"), "c", "YES"), (ASKED, "u", "YES"), (ASKED, "c", "NO")):
        assert timed.fit([Label(query, id, Grade[grade])]) == Recency()


def test_bm25_has_a_line_with_time_where_other_queries_weigh_it(words):
    labels = [Label(ASKED, "c", Grade.YES)]
    other = Query("valve", ticket_id="d")
    [alone] = measure_words(words, Sample(labels, []))
    assert alone.name == "BM25" and "without time" in alone.about
    lines = measure_words(words, Sample(labels, [Label(other, "c", Grade.YES)]))
    assert [line.name for line in lines] == ["BM25", "BM25 with time"]
    assert "of the time part" in lines[1].about
