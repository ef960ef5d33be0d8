"""What a network is shown: labelled pairs, weak cuts that never repeat a text, negatives."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.labels import is_test
from ticketing.model.settings import NetworkSettings
from ticketing.tickets import Grade, Label, Query, Ticket
from ticketing.training.corpus import read_corpus
from ticketing.training.sampling import (
    WEAK_WEIGHT,
    Archive,
    all_tickets,
    graded,
    is_validation,
    labelled,
    parted,
    shown,
    some_tickets,
    views,
    weak,
)

CROSS = NetworkSettings()
FIELDS = {"subject": [1, 2], "description": [3, 4, 5, 6], "solution": [7]}
ASKED = Query("pump trip", "at start")
QUERIES = {ASKED.id: {"subject": [1, 9], "description": [8]}}


def archive(settings=CROSS, **tickets):
    return Archive(
        settings, tickets or {"A": FIELDS, "B": {"subject": [9]}, "C": {"solution": [7]}}
    )


def label(ticket, grade, query=ASKED):
    return Label(query, ticket, grade)


def test_fields_become_components_in_the_order_of_the_settings():
    assert archive().query(FIELDS) == ([1, 2], [3, 4, 5, 6])
    assert archive().ticket(FIELDS) == ([1, 2], [3, 4, 5, 6], [7])
    assert archive().ticket({"solution": [7]}) == ([], [], [7])
    multi = archive(NetworkSettings(pairs="multi-level"))
    assert multi.ticket(FIELDS) == ([1, 2], [3, 4, 5, 6])
    merged = archive(NetworkSettings(pairs="merged", merged_ticket=("SUB2", "SOL2")))
    assert merged.query(FIELDS) == ([1, 2, 3, 4, 5, 6],)
    assert merged.ticket(FIELDS) == ([1, 2, 7],)


def test_yes_and_rel_become_examples_with_a_ticket_that_was_refused():
    labels = [label("A", Grade.YES), label("B", Grade.REL), label("C", Grade.NO)]
    yes, rel = labelled(archive(), labels, QUERIES, random.Random(0))
    assert (yes.ticket_key, yes.label, yes.ticket) == ("A", 1.0, ([1, 2], [3, 4, 5, 6], [7]))
    assert (rel.ticket_key, rel.label) == ("B", 0.5)
    assert yes.refused == rel.refused == ("C", ([], [], [7]))
    assert yes.query == ([1, 9], [8]) and yes.query_key == ASKED.id


def test_a_query_without_no_refuses_none_and_a_ticket_asked_is_known_by_its_id():
    own = Query("pump trip", ticket_id="C")
    queries = {own.id: {"subject": [1]}}
    [only] = labelled(archive(), [label("A", Grade.YES, own)], queries, random.Random(0))
    assert only.refused is None
    assert only.query_key == "C"


def test_a_batchs_tickets_are_its_own_and_then_those_refused():
    labels = [label("A", Grade.YES), label("B", Grade.REL), label("C", Grade.NO)]
    judged = labelled(archive(), labels, QUERIES, random.Random(0))
    [plain] = labelled(archive(), labels[:1], QUERIES, random.Random(0))
    keys, tickets = all_tickets([*judged, plain])
    assert keys == ["A", "B", "A", "C", "C"]
    assert tickets == [x.ticket for x in (*judged, plain)] + [([], [], [7])] * 2


def test_a_teachers_text_is_shown_whole_or_less_one_field_and_never_empty():
    shown = [x for seed in range(60) for x in views(archive(), {"A": FIELDS}, random.Random(seed))]
    whole, subject, description = ([1, 2], [3, 4, 5, 6]), ([1, 2], []), ([], [3, 4, 5, 6])
    asked = [x.query for x in shown]
    assert asked.count(whole) > asked.count(subject) > 0 < asked.count(description)
    assert all(query in (whole, subject, description) for query in asked)
    assert {str(x.ticket) for x in shown} == {str((*whole, [7])), str((*whole, []))}
    assert {(x.query_key, x.ticket_key) for x in shown} == {("A", "A")}
    texts = {"B": {"subject": [9], "description": []}, "C": {"solution": [7]}}
    for seed in range(20):
        [only] = views(archive(), texts, random.Random(seed))
        assert (only.query, only.ticket) == (([9], []), ([9], [], []))


def test_every_grade_is_an_example_for_the_papers_loss():
    labels = [label("A", Grade.YES), label("B", Grade.REL), label("C", Grade.NO)]
    examples = graded(archive(), labels, QUERIES, random.Random(0))
    assert [(x.ticket_key, x.label) for x in examples] == [("A", 1.0), ("B", 0.5), ("C", 0.0)]


def test_an_archive_without_any_no_gets_a_random_one_for_each_label():
    labels = [label("A", Grade.YES)] * 3
    others = {str(i): {"subject": [i]} for i in range(1, 50)}
    examples = graded(archive(A=FIELDS, **others), labels, QUERIES, random.Random(0))
    assert [x.label for x in examples] == [1.0] * 3 + [0.0] * 3


def test_a_random_no_is_never_a_ticket_graded_right_for_that_query():
    labels = [label("A", Grade.YES), label("B", Grade.REL)]
    examples = [
        example
        for seed in range(20)
        for example in graded(archive(), labels, QUERIES, random.Random(seed))
    ]
    assert {x.ticket_key for x in examples if x.label == 0} == {"C"}


def test_a_ticket_that_asks_is_never_its_own_random_no():
    own = Query("pump trip", ticket_id="C")
    labels = [label("A", Grade.YES, own)]
    examples = [
        example
        for seed in range(20)
        for example in graded(archive(), labels, {own.id: {"subject": [1]}}, random.Random(seed))
    ]
    assert {x.ticket_key for x in examples if x.label == 0} == {"B"}


def test_labels_without_words_are_no_examples():
    empty = {ASKED.id: {"subject": [], "description": []}}
    assert labelled(archive(), [label("A", Grade.YES)], empty, random.Random(0)) == []
    assert graded(archive(), [label("A", Grade.NO)], empty, random.Random(0)) == []


def fields():
    """Fields whose words are all different, so that a word's place is known."""
    lengths = st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(0, 3))
    return lengths.map(
        lambda n: {
            "subject": list(range(1, 1 + n[0])),
            "description": list(range(10, 10 + n[1])),
            "solution": list(range(20, 20 + n[2])),
        }
    )


@given(fields(), st.integers(0, 10_000), st.sampled_from(["cross-level", "multi-level", "merged"]))
def test_a_weak_cut_never_shows_the_same_text_on_both_sides(ticket, seed, pairs):
    settings = NetworkSettings(pairs=pairs)
    shown = weak(archive(settings, A=ticket), ["A"], random.Random(seed))
    for example in shown:
        query, found = (
            {w for text in side for w in text} for side in (example.query, example.ticket)
        )
        assert query and found and not query & found
        assert (query | found) <= {word for text in ticket.values() for word in text}
        assert example.label == WEAK_WEIGHT
        assert example.query_key == example.ticket_key == "A"


@pytest.mark.parametrize("pairs", ["cross-level", "multi-level", "merged"])
def test_every_example_has_a_pair_that_is_compared(pairs):
    """Otherwise its distance is infinite, whatever the network does."""
    settings = NetworkSettings(pairs=pairs)
    shown = weak(archive(settings), ["A"] * 200, random.Random(0))
    shown += labelled(
        archive(settings), [label("B", Grade.YES), label("A", Grade.YES)], QUERIES, random.Random(0)
    )
    assert shown
    for example in shown:
        assert any(
            query and ticket and weight > 0
            for query, row in zip(example.query, settings.pair_weights(), strict=True)
            for ticket, weight in zip(example.ticket, row, strict=True)
        )


def test_all_the_cuts_occur():
    cuts = {
        tuple(map(bool, [*x.query, *x.ticket]))
        for x in weak(archive(), ["A"] * 200, random.Random(0))
    }
    assert cuts == {
        (True, False, False, True, True),
        (False, True, True, False, True),
        (True, True, False, True, True),
        (False, True, True, True, True),
    }


def test_about_fifteen_queries_in_a_hundred_are_held_back_and_always_the_same():
    ids = [Query(f"problem {i}").id for i in range(2000)]
    held = [is_validation(id) for id in ids]
    assert held == [is_validation(id) for id in ids]
    assert 0.12 < sum(held) / len(held) < 0.18


@pytest.mark.parametrize("held_out", [is_validation, is_test])
def test_a_query_that_was_typed_again_is_on_the_side_of_its_first(held_out):
    firsts = (Query(f"pump {n} trips") for n in range(99))
    first = next(query for query in firsts if held_out(query.id))
    again = next(
        query
        for marks in range(1, 99)
        if not held_out((query := Query(first.subject.upper(), "!" * marks)).id)
    )
    same = next(
        query
        for n in range(99)
        if not held_out((query := Query(first.subject, ticket_id=f"T{n}")).id)
    )
    other = next(query for query in map(Query, "abcdefghij") if not held_out(query.id))
    labels = [label("A", Grade.YES, query) for query in (again, same, first, other)]
    learned, kept = parted(labels, held_out)
    assert [x.query for x in kept] == [again, first]
    assert [x.query for x in learned] == [same, other], "a ticket is no copy of what was typed"
    assert parted(learned, held_out) == (learned, [])


def two_way(subject, other, held_out):
    """Two tickets that each answer the other: the first asks as a query that is held out, the
    second as none."""
    for number in range(999):
        one, two = Query(subject, ticket_id=f"A{number}"), Query(other, ticket_id=f"B{number}")
        if held_out(one.id) and not held_out(two.id):
            return one, two
    raise AssertionError("no such tickets")


@pytest.mark.parametrize("held_out", [is_validation, is_test])
def test_a_pair_that_is_held_out_is_not_learned_from_the_other_way_round(held_out):
    asked, back = two_way("pump", "trip", held_out)
    there = label(back.ticket_id, Grade.YES, asked)
    mirror = label(asked.ticket_id, Grade.REL, back)
    other = label("T", Grade.YES, back)
    assert parted([mirror, there, other], held_out) == ([other], [there])
    unasked = [mirror, other]
    assert parted(unasked, held_out) == (unasked, []), "nobody is asked about that pair"


def test_a_corpus_counts_each_text_once_and_drops_unknown_words():
    tickets = [
        Ticket("T2", "Pump trip", "", "Restarted pump"),
        Ticket("T1", "Trip of the pump", "noise", ""),
    ]
    query = Query("Noise", "pump", ticket_id="T1")
    corpus = read_corpus(tickets, [Label(query, "T2", Grade.YES)], CROSS)
    assert corpus.vocabulary.words == ["pump", "trip"]
    assert corpus.vocabulary.documents == 2
    assert corpus.archive.tickets["T2"] == {"subject": [1, 2], "description": [], "solution": [1]}
    assert corpus.queries == {query.id: {"subject": [], "description": [1]}}


def test_of_many_tickets_a_teacher_reads_those_with_labels_and_a_sample():
    ids, labelled = [f"T{i:02d}" for i in range(60)], {"T07", "T42", "gone"}
    found = some_tickets(ids, labelled, 10, random.Random(0))
    assert len(found) == 10 and {"T07", "T42"} < set(found) and found == sorted(found)
    assert some_tickets(ids, labelled, 10, random.Random(1)) != found
    assert some_tickets(ids, labelled, 1, random.Random(0)) == ["T07", "T42"]
    assert some_tickets(ids, labelled, 60, random.Random(0)) == ids


def test_epochs_go_on_through_a_large_archive_and_round_again():
    ids = [f"T{i}" for i in range(10)]
    epochs = [shown(ids, 4, epoch, seed=0) for epoch in range(5)]
    assert all(len(set(epoch)) == 4 for epoch in epochs)
    assert {*epochs[0], *epochs[1], *epochs[2]} == set(ids)
    assert [*epochs[2], *epochs[3], *epochs[4]][2:] == [*epochs[0], *epochs[1], *epochs[2]][:10]
    assert shown(ids, 4, 0, seed=1) != epochs[0]
    assert shown(ids, 10, 3, seed=0) == ids


def test_the_digest_names_texts_and_labels_and_not_their_order():
    one, two = Ticket("T1", "pump"), Ticket("T2", "trip")
    yes = Label(Query("x"), "T1", Grade.YES)

    def digest(tickets, labels):
        return read_corpus(tickets, labels, CROSS).digest

    assert digest([one, two], [yes]) == digest([two, one], [yes])
    others = [
        digest([one], [yes]),
        digest([one, two], []),
        digest([one, Ticket("T2", "trips")], [yes]),
        digest([one, two], [Label(Query("x"), "T1", Grade.REL)]),
    ]
    assert digest([one, two], [yes]) not in others


def test_the_texts_digest_knows_no_labels_but_the_queries_that_are_no_tickets():
    one, two = Ticket("T1", "pump"), Ticket("T2", "trip")

    def digest(*labels):
        return read_corpus([one, two], labels, CROSS).texts_digest

    own = Query("pump", ticket_id="T1")
    assert digest() == digest(Label(own, "T2", Grade.YES)) == digest(Label(own, "T2", Grade.NO))
    assert digest() != digest(Label(Query("x"), "T1", Grade.YES))
    assert digest() != read_corpus([one], [], CROSS).texts_digest
