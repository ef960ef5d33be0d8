"""Validation queries: whom they ask, whom they never propose, and how the network is judged."""

from datetime import datetime, timedelta
from math import inf, log

import pytest
import torch

from ticketing.model.recency import Recency
from ticketing.model.settings import NetworkSettings
from ticketing.networks.making import new_network
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Grade, Label, Query
from ticketing.training.sampling import Archive
from ticketing.training.validation import ValidationSet, of_some_queries
from ticketing.training.weight_search import search_weights

SETTINGS = NetworkSettings(channels=("E",), word_dims=4, character_dims=2)
VOCABULARY = Vocabulary([f"word{i}" for i in range(9)], [1] * 9, 9)
TICKETS = {
    "A": {"subject": [1], "description": [2]},
    "B": {"subject": [3], "description": [4]},
    "C": {"subject": [5], "solution": [6]},
}
ASKED = Query("asked", ticket_id="C")


def network(settings=SETTINGS, **weights):
    torch.manual_seed(0)
    vectors = torch.randn(len(VOCABULARY), settings.word_dims)
    return new_network(settings, VOCABULARY, vectors, {}).eval()


def validation(labels, words, tickets=TICKETS, settings=SETTINGS, days=None):
    queries = {label.query.id: {"subject": words} for label in labels}
    created = {id: datetime(1970, 1, 1) + timedelta(days) for id, days in (days or {}).items()}
    return ValidationSet(Archive(settings, tickets, created), queries, labels, seed=0)


class Distances:
    """Stands in for a network in `ValidationSet.quality`."""

    def __init__(self, monkeypatch, rows):
        monkeypatch.setattr(ValidationSet, "distances", lambda *_: torch.tensor(rows))


YES_B = [Label(ASKED, "B", Grade.YES)]


def test_candidates_are_all_tickets_of_a_small_archive():
    assert validation(YES_B, [3]).candidates == ["A", "B", "C"]


def test_a_query_that_is_a_ticket_never_meets_itself():
    apart = validation(YES_B, [5]).distances(network())
    assert torch.isinf(apart).tolist() == [[False, False, True]]


def test_a_ticket_that_came_later_is_no_answer_unless_it_was_graded():
    """C asks on day 5. A is younger; B, which is graded, may be."""
    days = {"A": 6, "B": 7, "C": 5}
    asked = validation(YES_B, [5], days=days)
    assert asked.eligible.tolist() == [[False, True, False]]
    assert asked.graded.tolist() == [[False, True, False]]
    earlier = validation(YES_B, [5], days=days | {"A": 5})
    assert earlier.eligible.tolist() == [[True, True, False]]


@pytest.mark.parametrize("days", [{}, {"C": 5}, {"A": 5}])
def test_where_a_time_is_unknown_a_ticket_may_be_an_answer(days):
    assert validation(YES_B, [5], days=days).eligible.tolist() == [[True, True, False]]


def test_times_apart_by_hand():
    """C asks on day 5, A is of day 2, the date of B is unknown: it is the mean, of A and C."""
    days, typical = validation(YES_B, [5], days={"A": 2, "C": 5}).times_apart()
    assert typical == pytest.approx(log(4) / 2)
    assert days.tolist() == [pytest.approx([log(4), log(4) / 2, 0])]


def test_a_query_of_unknown_time_is_no_days_from_anything():
    [label] = [Label(Query("asked"), "B", Grade.YES)]
    days, typical = validation([label], [3], days={"A": 2}).times_apart()
    assert (days.tolist(), typical) == ([[0, 0, 0]], 0)


def test_days_to_the_youngest_right_ticket_of_known_time():
    assert validation(YES_B, [5], days={"A": 6, "B": 2, "C": 5}).days_to_right() == [3]
    both = [Label(ASKED, "A", Grade.YES), Label(ASKED, "B", Grade.YES)]
    assert validation(both, [5], days={"A": 3, "B": 2, "C": 5}).days_to_right() == [2]
    assert validation(both, [5], days={"B": 2, "C": 5}).days_to_right() == [3]
    assert validation(both, [5], days={"A": 6, "B": 2, "C": 5}).days_to_right() == [3]
    assert validation(YES_B, [5], days={"B": 6, "C": 5}).days_to_right() == [inf]
    assert validation(YES_B, [5], days={"A": 2, "C": 5}).days_to_right() == [inf]
    assert validation(YES_B, [5], days={"A": 2, "B": 2}).days_to_right() == [inf]


def test_time_apart_is_added_to_the_distance():
    asked = validation(YES_B, [5], days={"A": 2, "C": 5})
    more = asked.distances(network(), Recency(0.5, 3.0)) - asked.distances(network())
    assert more[0, :2].tolist() == pytest.approx([0.5 * log(4), 0.5 * 3.0], abs=1e-5)


def test_right_is_yes_and_rel_only_where_nobody_said_yes():
    labels = [Label(ASKED, "A", Grade.REL), Label(ASKED, "B", Grade.YES)]
    assert validation(labels, [3]).right.tolist() == [[False, True, False]]
    assert validation(labels[:1], [3]).right.tolist() == [[True, False, False]]


def test_queries_with_nothing_but_no_ask_nothing():
    assert validation([Label(ASKED, "A", Grade.NO)], [1]).queries == []


@pytest.mark.parametrize(
    ("row", "quality"),
    [
        ([1.0, 0.5, 2.0], 1.0),
        ([0.2, 0.5, 2.0], 1 / 2),
        ([0.2, 0.5, 0.1], 1 / 3),
        ([0.2, float("inf"), float("inf")], 1 / 3),
    ],
)
def test_quality_is_the_mean_reciprocal_rank(monkeypatch, row, quality):
    asked = validation(YES_B, [3])
    Distances(monkeypatch, [row])
    assert asked.quality(None) == pytest.approx(quality)


@pytest.mark.parametrize("same", [1.0, float("nan"), float("inf")])
def test_a_network_to_which_all_tickets_are_alike_is_worth_the_last_rank(monkeypatch, same):
    """Otherwise one that collapsed, or diverged, would be taken for the best epoch."""
    asked = validation(YES_B, [3])
    Distances(monkeypatch, [[same] * 3])
    assert asked.quality(None) == pytest.approx(1 / 3)


def test_several_right_tickets_do_not_push_each_other_down(monkeypatch):
    both = [Label(ASKED, "A", Grade.YES), Label(ASKED, "B", Grade.YES)]
    asked = validation(both, [3])
    Distances(monkeypatch, [[1.0, 1.0, 2.0]])
    assert asked.quality(None) == 1.0


def test_without_queries_quality_is_nothing():
    nobody = validation([], [])
    assert nobody.quality(network()) == 0.0


def test_of_many_validation_queries_a_sample_is_asked_with_all_their_labels(monkeypatch):
    """Memory grows with queries times tickets."""
    labels = [Label(Query(f"q{i % 9}"), id, Grade.YES) for i, id in enumerate("ABC" * 9)]
    assert of_some_queries(labels, 0) == labels
    monkeypatch.setattr("ticketing.training.validation.MOST_QUERIES", 9)
    assert of_some_queries(labels, 0) == labels
    monkeypatch.setattr("ticketing.training.validation.MOST_QUERIES", 4)
    some = of_some_queries(labels, 0)
    asked = {label.query.id for label in some}
    assert len(asked) == 4
    assert some == [label for label in labels if label.query.id in asked]
    assert of_some_queries(labels[::-1], 0) == some[::-1]
    assert {label.query.id for label in of_some_queries(labels, 1)} != asked


def many(count=30):
    return {f"T{i:02}": {"subject": [1 + i % 4], "description": [5 + i % 5]} for i in range(count)}


def test_few_queries_are_joined_by_tickets_that_ask_their_own_subject():
    asked = validation([], [], many())
    assert len(asked.queries) == len(asked.left_out) == 3
    for query in asked.queries:
        [own] = query.grades
        assert own in asked.left_out
        assert query.components == ([many()[own]["subject"][0]], [])
        assert asked.components[own][0] == []


@torch.no_grad()
def test_the_grid_search_keeps_the_scale_and_finds_the_least_error():
    settings = SETTINGS.model_copy(update={"channels": ("h", "E")})
    learner = network(settings)
    learner.set_weights(learner.pair_weights, torch.tensor([1.0, 0.6]))
    labels = [
        Label(Query(f"q{i}"), id, grade)
        for i, (id, grade) in enumerate([("A", Grade.YES), ("B", Grade.NO), ("C", Grade.REL)])
    ]
    queries = {label.query.id: {"subject": [1 + i]} for i, label in enumerate(labels)}
    archive = Archive(settings, TICKETS)

    def error():
        query = learner.encode([archive.query(queries[x.query.id]) for x in labels])
        ticket = learner.encode([archive.ticket(TICKETS[x.ticket_id]) for x in labels])
        parts = learner.matched_parts(query, ticket)
        wanted = torch.tensor([x.grade.label for x in labels])
        return float((torch.exp(-parts.sum((1, 2, 3))) - wanted).square().mean())

    search_weights(learner, archive, queries, labels)
    found = error()
    assert float(learner.channel_weights.sum()) == pytest.approx(1.6, rel=1e-4)
    ratios = learner.channel_weights[0] / learner.channel_weights[1]
    assert any(
        ratios.item() == pytest.approx(h / e, rel=1e-3)
        for h in (0.6, 0.7, 0.8)
        for e in (0.1, 0.2, 0.3)
    )
    for h, e in ((0.6, 0.3), (0.8, 0.1), (0.7, 0.2)):
        weights = torch.tensor([h, e]) / (h + e) * 1.6
        learner.set_weights(learner.pair_weights, weights)
        assert found <= error() + 1e-6
