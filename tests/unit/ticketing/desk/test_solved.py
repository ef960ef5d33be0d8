"""A query that a ticket solved is one more text of that ticket, as long as it is judged so."""

from dataclasses import replace

import numpy as np
import pytest

from ticketing.desk import measuring
from ticketing.desk.measuring import Measuring, sample_of
from ticketing.desk.solved import FEW, SolvedQueries
from ticketing.labels import is_test
from ticketing.people import Person, Role
from ticketing.recommendations import Outlook
from ticketing.retrieval import solved
from ticketing.retrieval.solved import nothing_solved
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import Filters, Grade, Judgment, Query
from ticketing.times import utc_now

TYPED = Query("Rumbling noise near the coupling", "It started after the last overhaul.")
AGAIN = Query("Coupling rumbling", "A noise since the overhaul.")


def judged(desk, ticket, grade, query=TYPED, judge="ann"):
    """Somebody judges a ticket for a query."""
    desk.store.put_query(query)
    return desk.judge(query.id, ticket.id, grade, judge)


def found(desk, ticket, query=AGAIN, filters=Filters()):
    """A ticket as it is found for a query among all."""
    items = desk.preview(query, filters, limit=100).every
    return next((item for item in items if item.ticket.id == ticket.id), None)


class Replaced:
    """A store in whose place comes another one."""

    def __init__(self, store):
        self.now = store

    def __getattr__(self, name):
        return getattr(self.now, name)


@pytest.fixture
def far(desk):
    """The ticket that is ranked last for AGAIN."""
    return desk.preview(AGAIN, limit=100).every[-1].ticket


def test_a_ticket_is_found_by_what_it_solved(desk, far):
    before = found(desk, far)
    assert (before.rank > 10, before.reason.solved) == (True, "")
    judged(desk, far, Grade.YES)
    after = found(desk, far)
    assert after.rank == 1
    assert after.distance < before.distance
    assert after.reason.solved == TYPED.subject
    assert f"Found by a query that it solved: “{TYPED.subject}”." in after.reason.sentence
    assert after.distance == pytest.approx(sum(p.distance for p in after.parts), rel=1e-4)
    assert after.ticket == far  # its text is its own


def test_a_query_that_was_solved_itself_is_sure_of_its_answer(desk, far):
    model = desk.recommender().model
    model.calibration = replace(
        model.calibration, topic=replace(model.calibration.topic, intercept=-50.0)
    )
    before = desk.preview(TYPED)
    assert (before.outlook, round(before.chance, 3)) == (Outlook.NOTHING, 0.0)
    judged(desk, far, Grade.YES)
    after = desk.preview(TYPED)
    assert (after.outlook, after.chance, after.note) == (Outlook.LIKELY, 1.0, "")
    assert (after.items[0].ticket.id, after.items[0].chance) == (far.id, 1.0)
    assert after.items[1].chance < 0.01
    assert desk.preview(AGAIN).outlook == Outlook.NOTHING  # that is another query


def test_a_query_without_a_known_word_draws_only_those_that_share_a_word_with_it(desk, far):
    """To the network all of them are alike."""
    judged(desk, far, Grade.YES, Query("xyzzyx-99 qwfpgj"))
    other, like = Query("arstdh zxcvbn-1"), Query("qwfpgj arstdh")
    assert not any(item.reason.solved for item in desk.preview(other, limit=100).every)
    assert desk.preview(Query("xyzzyx-99 qwfpgj")).items[0].ticket.id == far.id
    assert found(desk, far, like).reason.solved == "xyzzyx-99 qwfpgj"


def test_others_stay_where_they_were(desk, far):
    before = {item.ticket.id: item for item in desk.preview(AGAIN, limit=100).every}
    judged(desk, far, Grade.YES)
    for item in desk.preview(AGAIN, limit=100).every:
        if item.ticket.id != far.id:
            assert item.distance == before[item.ticket.id].distance
            assert item.reason.solved == ""


@pytest.mark.parametrize("grade", [None, Grade.NO, Grade.REL])
def test_a_yes_that_was_taken_back_is_no_text_any_more(desk, far, grade):
    before = found(desk, far)
    judged(desk, far, Grade.YES)
    assert found(desk, far).reason.solved
    judged(desk, far, grade)
    assert found(desk, far) == before


def test_judges_are_joined_as_in_labels(desk, far):
    judged(desk, far, Grade.YES, judge="ann")
    judged(desk, far, Grade.NO, judge="bob")
    assert found(desk, far).reason.solved == ""
    judged(desk, far, Grade.YES, judge="bob")
    assert found(desk, far).reason.solved == TYPED.subject


def test_a_query_that_is_a_ticket_is_found_as_that_ticket(desk, far):
    judged(desk, far, Grade.YES, replace(TYPED, ticket_id=desk.preview(TYPED).items[0].ticket.id))
    assert found(desk, far).reason.solved == ""


def test_a_filter_or_a_deletion_takes_the_ticket_with_its_texts(desk, far):
    judged(desk, far, Grade.YES)
    assert found(desk, far, filters=Filters(product="another")) is None
    desk.delete_tickets([far.id])
    assert found(desk, far) is None


def test_time_counts_as_for_the_ticket(desk, far, monkeypatch):
    judged(desk, far, Grade.YES)
    item = found(desk, far)
    [age] = [part.distance for part in item.parts if part.channel == "age"] or [0.0]
    own = found(desk, far, TYPED)
    [own_age] = [part.distance for part in own.parts if part.channel == "age"] or [0.0]
    assert age == pytest.approx(own_age)


def test_a_ticket_judged_for_the_very_query_is_not_said_to_be_found_by_another(desk, far):
    judged(desk, far, Grade.YES)
    [same] = [x for x in desk.preview(TYPED, limit=100).every if x.ticket.id == far.id]
    assert "It was judged YES for this query." in same.reason.sentence
    assert "Found by" not in same.reason.sentence


def test_what_is_solved_is_followed_by_every_process(desk, far):
    here = SolvedQueries(desk.recommender().model, desk.store)
    assert here().queries == []
    judged(desk, far, Grade.YES)
    codes = here().codes
    assert (here().queries, here().ticket_ids, len(codes)) == ([TYPED], [far.id], 1)
    many = [Query(f"Burner {i}") for i in range(FEW + 1)]
    desk.store.add_judgments(
        [
            Judgment(f"many {i}", query, far.id, Grade.YES, "ann", utc_now())
            for i, query in enumerate(many)
        ]
    )
    both = here()
    assert set(both.queries) == {TYPED, *many}
    place = both.queries.index(TYPED)
    np.testing.assert_array_equal(both.codes[place], codes[0])
    fresh = SolvedQueries(desk.recommender().model, desk.store)()
    assert sorted(map(bytes, fresh.codes)) == sorted(map(bytes, both.codes))


def test_another_log_is_read_anew(desk, far, tmp_path):
    """As after a restore, when the last judgment that was read is gone."""
    judged(desk, far, Grade.YES)
    store = Replaced(desk.store)
    here = SolvedQueries(desk.recommender().model, store)
    assert here().queries == [TYPED]
    store.now = other = SQLiteStore(tmp_path / "other")
    assert here().queries == []
    event = Judgment("e9", AGAIN, far.id, Grade.YES, "ann", utc_now())
    other.add_judgments([event])
    assert here().queries == [AGAIN]
    other.close()


def test_no_more_tickets_than_can_be_shown_are_brought_nearer(desk, archive_tickets):
    for ticket in archive_tickets:
        judged(desk, ticket, Grade.YES)
    brought = [x for x in desk.preview(TYPED, limit=100).every if x.reason.solved]
    assert (len(brought), len(archive_tickets)) == (30, 40)


def test_a_measurement_knows_nothing_of_the_queries_that_it_asks(desk, far, monkeypatch):
    words = ("rumbling", "noise", "coupling", "overhaul", "vibration", "pump", "valve", "trip")
    queries = [Query(f"{one} {other}") for one in words for other in words]
    for query in queries:
        judged(desk, far, Grade.YES, query)
    told = {}
    in_memory = measuring.in_memory

    def spied(store, model, solved):
        told["solved"] = {label.query for label in solved}
        return in_memory(store, model, solved)

    monkeypatch.setattr(measuring, "in_memory", spied)
    sample = sample_of(desk, Measuring())
    measured = measuring.measure(desk, Measuring(), sample)
    asked = {label.query for label in sample.all}
    assert {query for query in queries if is_test(query.id)} <= asked
    assert told["solved"] == set(queries) - asked != set()
    ranked = measured.recommender.recommend(queries[0], limit=100).every
    assert {x.reason.solved for x in ranked} <= {"", *(q.subject for q in told["solved"])}
    of_a_time = Measuring(since=utc_now())
    measuring.measure(desk, of_a_time, sample)
    assert told["solved"] == set()


def test_nor_of_one_in_the_same_words(desk, far, monkeypatch):
    words = ("rumbling", "noise", "coupling", "overhaul", "vibration", "pump", "valve", "trip")
    asked = [Query(f"{one} {other}") for one in words for other in words]
    asked = [query for query in asked if is_test(query.id)]
    others = [Query("Compressor stalls"), Query("Filter clogged"), Query("Display dark")]
    for query in (*asked, *others):
        judged(desk, far, Grade.YES, query)
        judged(desk, far, Grade.YES, Query(f"{query.subject.upper()}!"))
    told = []
    monkeypatch.setattr(measuring, "in_memory", lambda store, model, solved: told.extend(solved))
    sample = sample_of(desk, Measuring())
    with pytest.raises(AttributeError):
        measuring.measure(desk, Measuring(), sample)
    assert set(asked) <= {label.query for label in sample.labels}
    solved = {label.query.subject.lower().strip("!") for label in told}
    assert solved and solved <= {query.subject.lower() for query in others}


@pytest.mark.parametrize(("read", "hidden"), [(1, 1), (2, 3), (2, 5)])
def test_hidden_tickets_solved_nearer_queries_and_push_out_none(
    desk, far, archive_tickets, monkeypatch, read, hidden
):
    """However few queries are read."""
    monkeypatch.setattr(solved, "READ", read)
    before = found(desk, far)
    judged(desk, far, Grade.YES)
    others = [ticket for ticket in archive_tickets if ticket.id != far.id][:hidden]
    for number, ticket in enumerate(others):
        judged(desk, ticket, Grade.YES, Query(AGAIN.subject, f"{AGAIN.description} {number}"))
    desk.put_tickets([replace(ticket, groups=frozenset(["hr"])) for ticket in others])
    seen = desk.seen_by(Person("eve", Role.ENGINEER, frozenset()))
    assert found(seen, far).reason.solved == TYPED.subject
    assert found(desk, far).rank > 1 and found(desk, far).distance == before.distance
    assert found(seen, far).rank == 1


def test_where_nothing_is_solved_nothing_is_nearer(desk):
    encoded = desk.recommender().encode(AGAIN, Filters())
    assert nothing_solved().nearest(encoded, desk.recommender().model.layout) == []
