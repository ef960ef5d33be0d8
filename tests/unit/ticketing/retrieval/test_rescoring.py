"""What moves the nearest tickets: as numbers, as an order and in words."""

import re
from copy import copy
from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.tiny import TINY
from ticketing.encoders.terms import bucket_of, term_of
from ticketing.model.rescoring import GENERAL, Rescoring
from ticketing.retrieval.memory import encoded
from ticketing.retrieval.recommend import Recommender
from ticketing.retrieval.rescoring import Moves, Rescorer, unmoved
from ticketing.tickets import Query, Ticket

NAMES = [field.name for field in fields(Rescoring)]
NONE = Rescoring()


@pytest.fixture
def model(model):
    return copy(model)  # each test weighs as it likes


@pytest.fixture
def rescorer(model):
    return Rescorer(model)


def features(rescorer, model, query, tickets):
    """By name, of some tickets."""
    found = rescorer.features(model.encode_query(query), model.encode_tickets(tickets))
    return dict(zip(NAMES, found.T, strict=True))


@pytest.mark.parametrize(("times", "spread"), [(1, 0.4), (2, 0.8), (3, 1)])
def test_every_feature_is_a_standard_score(rescorer, model, archive_tickets, times, spread):
    """Of 40, 80 and 120 tickets; of fewer than a hundred it counts in part."""
    query = Query(archive_tickets[0].subject, archive_tickets[1].description)
    for column in features(rescorer, model, query, archive_tickets * times).values():
        assert column.mean() == pytest.approx(0, abs=1e-6)
        assert column.std() == pytest.approx(spread, abs=1e-6)


def test_words_count_by_what_they_tell_and_for_a_ticket_of_few(rescorer, model):
    told = [
        Ticket("A", "Vibration of the generator bearing", "", ""),
        Ticket("B", "Generator bearing", "Vibration after the outage of the main gas valve", ""),
        Ticket("C", "Main gas valve", "", "Vibration of the generator bearing"),
    ]
    found = features(rescorer, model, Query("Generator bearing vibration"), told)
    assert found["shared"][0] > found["shared"][1] > found["shared"][2]
    assert found["subject"][1] >= found["subject"][0] > found["subject"][2]


def test_of_terms_in_one_bucket_the_most_telling_counts(rescorer, model, archive_tickets):
    """Whichever order a set of them has, which is another one in every process."""
    terms = {bucket_of(term): term for term in map(term_of, model.vocabulary.words) if term}
    other, *known = terms.values()
    made = {terms.get(bucket_of(word), ""): word for word in (f"q{i:x}" for i in range(50_000))}
    rows, query = model.encode_tickets(archive_tickets), model.encode_query(Query("pump"))
    pairs = [(term, made[term]) for term in known if term in made]
    assert len(pairs) > 10
    for term, clashing in pairs:  # no vocabulary knows it, so it tells more
        one, both = (
            rescorer.features(replace(query, words=words), rows)
            for words in ([clashing, other], [term, clashing, other])
        )
        assert (one == both).all()


def test_what_is_like_the_others_is_of_a_crowd(rescorer, model):
    many = [Ticket(f"{i}", "Generator bearing vibration", "", "") for i in range(8)]
    other = Ticket("Z", "Main gas valve", "Flame lost on burner four", "")
    found = features(rescorer, model, Query("Generator"), [*many, other])
    assert found["crowd"].argmax() == 8


def test_a_term_that_subject_and_description_have_counts_once(rescorer, model):
    words = "Generator bearing"
    told = [Ticket("A", words, words), Ticket("B", words)]
    assert features(rescorer, model, Query(words), told)["shared"].tolist() == [0, 0]


@pytest.mark.parametrize(("more", "fewer", "differ"), [(6, 5, True), (7, 6, False)])
def test_a_crowd_is_a_ticket_with_its_five_neighbours(rescorer, model, more, fewer, differ):
    """Where each has five that say the same, all are alike."""
    told = [Ticket(f"A{i}", "Generator bearing vibration") for i in range(more)]
    told += [Ticket(f"B{i}", "Main gas valve") for i in range(fewer)]
    assert features(rescorer, model, Query("Generator"), told)["crowd"].any() == differ


def test_a_channel_that_a_bundle_lacks_moves_nothing(model, archive_tickets):
    query = model.encode_query(Query(archive_tickets[0].subject))
    rows = model.encode_tickets(archive_tickets)
    without = SimpleNamespace(
        settings=TINY.model_copy(update={"channels": ("h", "T")}),
        layout=replace(model.layout, terms=0),
    )
    assert not Rescorer(without).features(query, rows).any()


def test_without_weights_the_order_is_that_of_the_distances(rescorer, model, archive_tickets):
    model.rescoring = NONE
    rows = model.encode_tickets(archive_tickets)
    distances = np.linspace(1, 3, 40, dtype=np.float32)
    moves = rescorer(model.encode_query(Query("Vibration")), rows, distances)
    assert moves.order.tolist() == list(range(40))
    assert moves.distances == pytest.approx(distances)
    assert not any(moves.said(rank) for rank in range(40))


def test_the_nearest_move_and_the_others_stay_behind_them(rescorer, model, archive_tickets):
    model.rescoring = Rescoring(shared=50.0)
    rows = model.encode_tickets(archive_tickets[:30])
    query = model.encode_query(Query(archive_tickets[20].subject))
    moves = rescorer(query, rows, np.linspace(1, 3, 40, dtype=np.float32))
    assert moves.order[0] == rescorer.features(query, rows)[:, 0].argmax() != 0
    assert sorted(moves.order[:30]) == list(range(30))
    assert moves.order[30:].tolist() == list(range(30, 40))
    assert (np.diff(moves.distances) >= 0).all() and (moves.distances >= 0).all()


def test_a_rank_does_not_depend_on_how_many_are_asked_for(model, archive_tickets):
    model.rescoring = Rescoring(shared=2.0, crowd=1.0)
    recommender = Recommender(encoded(model, archive_tickets, "x"), model)
    query = Query(archive_tickets[7].subject)
    assert recommender.rank(query, limit=3) == recommender.rank(query, limit=40)[:3]
    assert [x.rank for x in recommender.recommend(query).every] == list(range(1, 11))


def test_one_ticket_and_none_are_left_where_they_are(model, archive_tickets):
    model.rescoring = Rescoring(shared=2.0, crowd=1.0)
    one = Recommender(encoded(model, archive_tickets[:1], "x"), model)
    [(id, _)] = one.rank(Query("Vibration"))
    assert id == archive_tickets[0].id
    assert Recommender(encoded(model, [], "x"), model).rank(Query("Vibration")) == []


def test_a_proposal_says_what_moved_it(model, archive_tickets):
    query = Query(archive_tickets[7].subject)
    store = encoded(model, archive_tickets, "x")
    by_distance = [id for id, _ in Recommender(store, model, rescored=False).rank(query, limit=40)]
    model.rescoring = Rescoring(crowd=9.0)
    items = Recommender(store, model).recommend(query).every
    for item in items:
        before = by_distance.index(item.ticket.id) + 1
        if before == item.rank:
            assert item.reason.moved == ""
        else:
            assert item.reason.moved.startswith(f"By distance alone it would be number {before}: ")
        assert sum(part.distance for part in item.parts) == pytest.approx(item.distance, rel=1e-4)
    assert any("few of those found are like it" in item.reason.moved for item in items)


def test_where_a_ticket_is_asked_for_by_its_id_numbers_are_those_that_are_shown(
    model, archive_tickets
):
    model.rescoring = Rescoring(shared=1.0, crowd=1.0)
    recommender = Recommender(encoded(model, archive_tickets, "x"), model)
    numbers = {}
    for ticket in archive_tickets[:20]:
        asked, *others = recommender.recommend(Query(ticket.id, ticket.subject)).every
        assert asked.reason.by_id and asked.rank == 1
        for item in others:
            said = re.search(r"be number (\d+)", item.reason.moved)
            numbers[ticket.id, item.rank] = int(said[1]) if said else item.rank
            assert not said or int(said[1]) not in (1, item.rank)
    assert any(rank != number for (_, rank), number in numbers.items())


WORDS = "for its length, its problem has more of the query’s telling words"


def moved(order, *scores):
    """Moves of tickets with these scores; those without any have zeros."""
    rows = [*scores, *[[0] * 3] * (len(order) - len(scores))]
    return Moves(np.array(order), np.zeros(len(order)), np.array(rows, float), np.ones(3))


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([1.0, 0.2, 0], WORDS),
        ([0.1, 0.6, 0.2], "its subject says little but what the query says"),
        ([-0.1, 0, 0.2], "few of those found are like it"),
        ([-1, -1, 0], "others fell behind it"),
    ],
)
def test_what_brought_a_ticket_farthest_up_is_named(scores, said):
    moves = moved([2, 0, 1], scores)
    assert moves.said(0) == f"By distance alone it would be number 3: {said}."
    assert moves.said(1) == "By distance alone it would be number 1: others moved past it."


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([-1, -0.2, 2], "for its length, its problem has fewer of the query’s telling words"),
        ([0, -0.6, -0.2], "its subject says other things too"),
        ([0.1, 0, -0.2], "many of those found are like it"),
    ],
)
def test_what_pushed_a_ticket_farthest_down_is_named(scores, said):
    moves = moved([1, 2, 0], [0] * 3, [0] * 3, scores)
    assert moves.said(2) == f"By distance alone it would be number 1: {said}."


def test_numbers_count_the_ticket_that_is_ahead_of_all():
    """By distance A, B, C, D; rescored C, A, B, D. B is asked for by its id: B, C, A, D."""
    moves = moved([2, 0, 1, 3], [1, 0, 0])
    assert moves.said(0, 2) == f"By distance alone it would be number 3: {WORDS}."
    assert moves.said(1, 2) == "By distance alone it would be number 2: others moved past it."
    assert moves.said(3, 2) == ""
    assert moves.said(0, 4) == f"By distance alone it would be number 4: {WORDS}."


def test_by_distance_alone_nothing_is_said_to_move():
    moves = unmoved(np.array([1.0, 2.0], np.float32)).first(1)
    assert moves.order.tolist() == [0] and moves.said(0) == ""


def test_the_manifest_keeps_it():
    weights = replace(NONE, crowd=0.5)
    assert Rescoring.from_json(weights.to_json()) == weights


def test_a_bundle_of_five_numbers_is_served_by_the_general_weights():
    earlier = {"shared": 0.1, "subject": 0.3, "pairs": -0.2, "whole": 0.0, "crowd": 0.05}
    assert Rescoring.from_json(earlier) == GENERAL
