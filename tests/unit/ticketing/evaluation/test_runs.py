"""Whom a query is matched against, and rankings by words."""

from datetime import datetime

from tests.rankings import Ranks
from ticketing.evaluation.runs import run_queries, run_words
from ticketing.tickets import Filters, Query


def test_a_query_that_is_a_ticket_is_matched_against_older_ones_only(store):
    recommender = Ranks(store, "A")
    queries = [Query("pump trip", ticket_id="B"), Query("pump"), Query("x", ticket_id="D")]
    run = run_queries(recommender, queries)
    assert set(run) == {query.id for query in queries}
    before = Filters(created_before=datetime(2013, 1, 1))
    assert [filters for _, filters in recommender.asked] == [before, Filters(), Filters()]


def test_words_are_ranked_best_first_without_the_ticket_itself_or_younger_ones(store):
    own, free = Query("pump trip", ticket_id="C"), Query("trip")
    run = run_words(store, [own, free])
    assert [id for id, _ in run[own.id]] == ["A", "B"]
    assert [id for id, _ in run[free.id]] == ["A", "C"]
    assert all(distance < 0 for found in run.values() for _, distance in found)
