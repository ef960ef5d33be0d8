"""A desk with the tiny model and a real store: asking, judging, changing tickets."""

from dataclasses import replace
from datetime import datetime, timedelta
from math import log

import numpy as np
import pytest

from ticketing import desk as desk_module
from ticketing.desk import judging, open_desk
from ticketing.errors import InputError, NotFound, NotReady, StoreFull
from ticketing.jobs import JobKind
from ticketing.model import calibration
from ticketing.model.recency import Recency
from ticketing.reasons import SharedTopic
from ticketing.recommendations import Outlook
from ticketing.settings import load_settings
from ticketing.tickets import Filters, Grade, Query, Ticket

NOON = datetime(2020, 1, 1, 12)


def everything(answer):
    """All proposals by rank, folded ones too."""
    items = [each for item in answer.items for each in (item, *item.like)]
    return sorted(items, key=lambda item: item.rank)


def ids(answer):
    return [item.ticket.id for item in everything(answer)]


ASKED = Query("Barring drive pawl faulty", "Break-away torque greater than the drive can give.")


def test_a_store_that_takes_no_writes_still_answers(desk, monkeypatch):
    def full(query):
        raise StoreFull("The disk is full.")

    monkeypatch.setattr(desk.store, "put_query", full)
    assert len(desk.recommend(ASKED).items) == 10
    assert desk.store.get_query(ASKED.id) is None


# asking --------------------------------------------------------------------------


def test_an_answer_whose_tickets_went_meanwhile_is_made_again(desk, monkeypatch):
    best, get = desk.recommend(ASKED).items[0].ticket.id, desk.store.read_tickets

    def first_deleted(found):
        desk.delete_tickets([best])
        return get(found)

    monkeypatch.setattr(desk.store, "read_tickets", first_deleted)
    answer = desk.recommend(ASKED)
    monkeypatch.undo()
    assert answer.searched == 39
    assert not answer.outdated
    assert answer == desk.recommend(ASKED)


def test_ten_tickets_at_most_best_first(desk):
    answer = desk.recommend(ASKED)
    assert len(answer.items) == 10
    assert answer.searched == 40
    assert [item.rank for item in answer.items] == list(range(1, 11))
    scores = [item.score for item in answer.items]
    assert scores == sorted(scores, reverse=True)
    assert all(1 <= score <= 5 for score in scores)
    assert desk.store.get_query(ASKED.id) == ASKED


@pytest.mark.parametrize(
    "query",
    [
        ASKED,
        replace(ASKED, description=""),
        Query("", "no lift"),
        Query("12345", "no lift"),  # a number has no terms, so none of them is lacked
    ],
)
def test_parts_add_up_to_the_distance(desk, query):
    for item in desk.recommend(query).items:
        assert sum(part.distance for part in item.parts) == pytest.approx(item.distance, rel=1e-4)
        asked = {
            name for name, text in (("SUB1", query.subject), ("DESC1", query.description)) if text
        }
        assert {part.query_component for part in item.parts} == asked
        assert {part.channel for part in item.parts} == {"h", "E", "T", "L"}


def test_time_apart_is_a_part_of_the_distance(desk, archive_tickets):
    """A query is as old as the ticket it is, a new one as the newest ticket."""
    ticket = archive_tickets[5]
    desk.put_tickets([Ticket("A-1", ticket.subject, ticket.description)])  # created: unknown
    as_it_was = Query(ticket.subject, ticket.description, ticket.id)
    plain = {item.ticket.id: item.distance for item in desk.recommend(as_it_was, limit=99).items}
    recency = desk.recommender().model.recency = Recency(0.5, 3.0, horizon=1e6)
    for item in desk.recommend(as_it_was, limit=99).items:
        *_, age = item.parts
        created = item.ticket.created
        days = abs(created - ticket.created) / timedelta(days=1) if created else None
        logs = recency.typical if days is None else log(1 + days)
        assert (age.channel, age.query_component, age.ticket_component) == ("age", "", "")
        assert age.distance == pytest.approx(0.5 * logs, abs=1e-3)
        assert item.distance - plain[item.ticket.id] == pytest.approx(age.distance, abs=1e-3)
        assert sum(part.distance for part in item.parts) == pytest.approx(item.distance, rel=1e-4)
    newest = max(ticket.created for ticket in archive_tickets)
    for item in desk.recommend(ASKED, Filters(created_since=datetime(1990, 1, 1))).items:  # dated
        days = abs(newest - item.ticket.created) / timedelta(days=1)
        assert item.parts[-1].distance == pytest.approx(0.5 * log(1 + days), abs=1e-3)


def test_a_query_of_unknown_time_has_no_part_of_time(desk):
    desk.put_tickets([Ticket("A-1", "Pawl stuck")])
    desk.recommender().model.recency = Recency(0.5, 3.0)
    answer = desk.recommend(Query("Pawl stuck", ticket_id="A-1"))
    assert all(part.channel != "age" for item in answer.items for part in item.parts)


def test_the_reason_names_the_words_in_common_without_masks(desk):
    desk.put_tickets([Ticket("A-1", "Pawl 12 stuck", "", "Drive greased 12 times")])
    answer = desk.recommend(Query("The pawl of drive 12"), limit=100)
    [item] = [item for item in answer.items if item.ticket.id == "A-1"]
    assert {word.word for word in item.reason.shared} == {"pawl", "drive"}
    assert item.reason.marks == {"pawl", "drive"}


def test_the_answer_is_a_sentence_of_the_solution(desk):
    items = everything(desk.recommend(ASKED))
    assert all(item.answer in " ".join(item.ticket.solution.split()) for item in items)
    assert all(bool(item.answer) == bool(item.ticket.solution) for item in items)


def test_near_copies_fold_into_the_best_and_keep_their_ranks(desk, archive_tickets):
    copied = archive_tickets[3]
    desk.put_tickets([replace(copied, id=f"{copied.id}-{i}") for i in range(5)])
    answer = desk.recommend(Query(copied.subject, copied.description))
    first = answer.items[0]
    assert {x.ticket.id for x in (first, *first.like)} >= {copied.id, f"{copied.id}-4"}
    assert len(answer.items) == 10
    assert [item.rank for item in everything(answer)] == list(range(1, len(ids(answer)) + 1))
    assert all(x.answer and x.reason.shared and x.parts for x in first.like)
    ranked = [id for id, _ in desk.recommender().rank(answer.query, limit=len(ids(answer)))]
    assert ids(answer) == ranked  # which is as it was without rows


def test_an_id_alone_is_answered_with_that_ticket_alone(desk, archive_tickets):
    wanted = archive_tickets[30]
    desk.put_tickets([replace(wanted, id=f"{wanted.id}-{i}") for i in range(3)])  # near-copies
    for typed in (wanted.id, f" {wanted.id.lower()} "):
        answer = desk.recommend(Query(typed))
        assert ids(answer) == [wanted.id] and answer.heading == "The ticket with this id"
        assert (answer.chance, answer.meant) == (1, {})
    assert len(desk.recommend(Query("TICKET-THAT-IS-NOT-HERE")).items) == 10


def test_an_id_typed_as_subject_is_the_first_ticket(desk, archive_tickets):
    wanted = archive_tickets[30]
    for typed in (wanted.id, f" {wanted.id.lower()} "):
        answer = desk.recommend(Query(typed, "The pawl is stuck"))
        first = answer.items[0]
        assert len(answer.items) == 10
        assert (first.ticket, first.rank, first.chance, first.score) == (wanted, 1, 1, 5)
        assert first.reason.by_id and first.reason.sentence.startswith("This is the ticket whose")
        assert answer.outlook == Outlook.LIKELY and answer.note == ""
        assert answer.promise == "", "that it was asked for says not that it solves this"
        assert ids(answer).count(wanted.id) == 1
        assert not any(item.reason.by_id for item in answer.items[1:])


def test_a_code_finds_the_tickets_that_name_it(desk):
    named = [
        Ticket("C-1", "Door stuck", "Panel says E98765.", created=datetime(2012, 1, 1)),
        Ticket("C-2", "Fan dead", "", "Reset e98765.", created=datetime(2013, 1, 1)),
    ]
    desk.put_tickets(named)
    answer = desk.recommend(Query("E98765"))
    assert ids(answer) == ["C-2", "C-1"] and answer.named == ("E98765",)
    for query in (Query("E98765"), Query("C-1"), Query("C-1", "The pawl is stuck")):
        desk.ask(query, Filters(), "ann")
        assert next(iter(desk.history("ann"))).chance is None, "nothing is known of it"
    desk.delete_tickets(["C-1", "C-2"])
    assert desk.recommend(Query("E98765")).note.startswith("No ticket here names “E98765”")


def test_an_id_finds_only_a_ticket_that_may_be_seen(desk, archive_tickets):
    wanted = archive_tickets[30]
    hidden = Filters(
        product=next(t.product for t in archive_tickets if t.product != wanted.product)
    )
    assert wanted.id not in ids(desk.recommend(Query(wanted.id), hidden))
    own = desk.recommend(Query(wanted.id, "Pawl", ticket_id=wanted.id))
    assert wanted.id not in ids(own)
    for odd in ("\0", "x" * 10_000, "' OR 1=1"):
        assert not any(item.reason.by_id for item in desk.recommend(Query(odd)).items)


def test_five_tickets_are_explained_as_well(empty):
    texts = ["Pump leaks oil", "Pump makes noise", "The pump stops", "Fan is loud", "Oil is low"]
    empty.put_tickets([Ticket(f"T-{i}", text) for i, text in enumerate(texts)])
    answer = empty.recommend(Query("Pump leaks oil"))
    [first] = [item for item in answer.items if item.ticket.id == "T-0"]
    assert {word.word for word in first.reason.shared} == {"Pump", "leaks", "oil"}


def test_slips_are_asked_about(desk):
    assert desk.recommend(Query("Strong Vibraton")).meant == {"Vibraton": "vibration"}
    assert desk.recommend(ASKED).meant == {}
    assert desk.recommend(Query("Strong Vibraton", ticket_id="a ticket's own text")).meant == {}


def test_usual_distances_are_by_channel(desk):
    answer = desk.recommend(ASKED)
    assert set(answer.typical) == {part.channel for part in answer.items[0].parts}
    assert sum(answer.typical.values()) > answer.items[0].distance


def test_shared_topics_come_with_words(desk):
    """One word speaks for topic 3, by .8: it is all of the query and half of the ticket."""
    model = desk.recommender().model
    encoder, words = model.topics, model.vocabulary.words
    loadings = np.zeros_like(encoder.loadings)
    loadings[0, 3] = 0.8
    encoder.loadings = loadings
    word, other = (words[id - 1] for id in encoder.words.ids[:2])
    desk.put_tickets([Ticket("A-1", f"{word} {other}")])
    [item] = [x for x in everything(desk.recommend(Query(word), limit=99)) if x.ticket.id == "A-1"]
    assert item.topics == (SharedTopic(3, (word, other), pytest.approx(0.4)),)


def test_equal_tickets_come_in_the_order_of_their_ids(desk, archive_tickets):
    twins = [replace(archive_tickets[3], id=id) for id in ("Z-2", "A-1", "M-9")]
    desk.put_tickets(twins)
    found = ids(desk.recommend(Query(twins[0].subject, twins[0].description), limit=40))
    places = [found.index(id) for id in ("A-1", "M-9", archive_tickets[3].id, "Z-2")]
    assert places == list(range(places[0], places[0] + 4))


def test_a_ticket_that_asks_is_never_proposed_to_itself(desk, archive_tickets):
    own = archive_tickets[5]
    query = Query(own.subject, own.description, own.id)
    assert own.id in ids(desk.recommend(replace(query, ticket_id=""), limit=40))
    answer = desk.recommend(query, limit=100)
    assert own.id not in ids(answer)
    assert len(answer.items) == 39
    ranked = [id for id, _ in desk.recommender().rank(query, limit=100)]
    assert ranked == [item.ticket.id for item in answer.items]


def test_limit_and_filters(desk, archive_tickets):
    assert len(desk.recommend(ASKED, limit=3).items) == 3
    product = archive_tickets[0].product
    of_product = {ticket.id for ticket in archive_tickets if ticket.product == product}
    answer = desk.recommend(ASKED, Filters(product=product), limit=100)
    assert set(ids(answer)) == of_product
    assert answer.searched == len(of_product)
    whole = [id for id in ids(desk.recommend(ASKED, limit=100)) if id in of_product]
    assert ids(answer) == whole


def test_filters_that_nothing_passes_are_said_to_be_the_reason(desk):
    answer = desk.recommend(ASKED, Filters(product="no such product"))
    assert answer.items == () and answer.searched == 0 and answer.outlook == Outlook.NOTHING
    assert answer.note == "No ticket has the product 'no such product'; leave that filter out."


def test_an_empty_knowledge_base_says_so(empty):
    answer = empty.recommend(ASKED)
    assert answer.items == () and answer.outlook == Outlook.NOTHING
    assert "no ticket" in answer.note


@pytest.mark.parametrize("query", [Query(""), Query(" \n", "\t")])
def test_a_blank_query_is_refused(desk, query):
    with pytest.raises(InputError, match="query is blank"):
        desk.recommend(query)
    assert desk.store.get_query(query.id) is None


def test_a_query_without_any_word_says_that_and_blames_nothing_else(desk):
    answer = desk.recommend(Query("?!", "..."))
    assert answer.items == () and answer.outlook == Outlook.NOTHING
    assert "no word" in answer.note
    assert "no word" in desk.recommend(Query("?!"), Filters(status="Closed")).note


def test_a_query_of_unknown_words_is_answered_by_spelling_and_says_so(desk):
    answer = desk.recommend(Query("xyzzyx", "qwfpgj arstdh"))
    assert len(answer.items) == 10
    assert answer.outlook == Outlook.NOTHING
    assert "spelling alone" in answer.note


@pytest.mark.parametrize("subject", ["x", "a b", "i", "of the"])
def test_a_query_that_tells_nothing_matches_nothing_well(desk, subject):
    assert desk.recommend(Query(subject)).outlook == Outlook.NOTHING


def test_chances_say_no_more_than_what_stands_above_them(desk):
    model = desk.recommender().model
    sure = replace(model.calibration.answered, intercept=50.0)
    sure_of_all = {"topic": replace(model.calibration.topic, intercept=50.0), "answered": sure}
    model.calibration = replace(model.calibration, possible=0.3, **sure_of_all)
    nothing = desk.recommend(Query("of the"))
    assert nothing.outlook == Outlook.NOTHING
    assert nothing.chance == pytest.approx(0.98 * 0.3)
    assert nothing.items[0].chance <= nothing.chance
    assert "tells one ticket from another" in nothing.note
    possible = desk.recommend(Query("pawl"))
    assert possible.outlook == Outlook.POSSIBLE
    assert possible.chance == pytest.approx(0.98 * 0.5)
    assert possible.items[0].chance <= possible.chance and possible.note == ""
    likely = desk.recommend(ASKED)
    assert (likely.outlook, round(likely.chance, 3)) == (Outlook.LIKELY, 1.0)


def test_one_word_alone_makes_nothing_likely(desk, monkeypatch):
    model = desk.recommender().model
    model.calibration = replace(model.calibration, possible=0.0)
    monkeypatch.setattr(calibration, "LIKELY", 1e-6)
    assert desk.recommend(Query("pawl")).outlook == Outlook.POSSIBLE
    assert desk.recommend(ASKED).outlook == Outlook.LIKELY


@pytest.mark.parametrize("word", ["torque ", "xyzzyx{} "])
def test_a_query_of_a_hundred_thousand_words_could_be_answered(desk, word):
    text = "".join(word.format(chr(97 + i % 26)) for i in range(100_000))
    assert len(desk.recommender().recommend(Query("Pawl", text)).items) == 10
    with pytest.raises(InputError, match=r"The description has .* keep the lines that matter"):
        desk.recommend(Query("Pawl", text))


def test_the_chance_of_a_yes_makes_the_outlook(desk, monkeypatch):
    chance = desk.recommend(ASKED).chance
    model = desk.recommender().model
    model.calibration = replace(model.calibration, possible=0.8 * chance)
    for likely, outlook in [(0.9, Outlook.LIKELY), (1.1, Outlook.POSSIBLE)]:
        monkeypatch.setattr(calibration, "LIKELY", likely * chance)
        assert desk.recommend(ASKED).outlook == outlook
        assert desk.recommend(ASKED).note == ""
    model.calibration = replace(model.calibration, possible=1.0)
    answer = desk.recommend(ASKED)
    assert answer.outlook == Outlook.NOTHING and "only the nearest" in answer.note


# the knowledge base --------------------------------------------------------------


def test_a_new_changed_or_deleted_ticket_is_seen_by_the_very_next_query(desk):
    new = Ticket("A-1", ASKED.subject, ASKED.description, "Grease the pawl.")
    assert "A-1" not in ids(desk.recommend(ASKED, limit=100))
    desk.put_tickets([new])
    [added] = [x for x in everything(desk.recommend(ASKED)) if x.ticket.id == "A-1"]
    desk.put_tickets([replace(new, description="Vibration", solution="Balanced the rotor.")])
    [changed] = [x for x in everything(desk.recommend(ASKED)) if x.ticket.id == "A-1"]
    assert changed.ticket.solution == "Balanced the rotor."
    assert changed.distance != added.distance
    assert desk.delete_tickets(["A-1"]) == 1
    assert "A-1" not in ids(desk.recommend(ASKED, limit=100))


def test_tickets_that_a_killed_process_left_without_codes_are_found(desk, trained, monkeypatch):
    """They were stored, and no query found them until somebody ran `ticketing check --repair`."""
    left = [Ticket(id, ASKED.subject, ASKED.description) for id in ("A-1", "A-2", "A-3")]
    desk.store.put_tickets([*left, Ticket("A-0", "cannot be encoded")])
    job = desk.store.create_job(JobKind.REINDEX, trained[1], 44)
    desk.store.update_job(job.id, errors={"A-0": "no"})
    monkeypatch.setattr(desk_module, "MOST_LEFT", 2)
    desk.encode_left()
    assert desk.store.stale_ids(trained[1]) == ["A-0", "A-3"], "many are encoded bit by bit"
    desk.encode_left()
    assert desk.store.stale_ids(trained[1]) == ["A-0"], "it was set aside"
    assert {"A-1", "A-2", "A-3"} <= set(ids(desk.recommend(ASKED)))


def test_where_no_bundle_serves_nothing_is_left_to_encode(tmp_path):
    desk = open_desk(load_settings(home=tmp_path))
    desk.store.put_tickets([Ticket("A-1", "pump")])
    desk.encode_left()
    assert desk.store.bundles() == []


def test_a_ticket_deleted_while_a_query_runs_is_left_out(desk, monkeypatch):
    first = ids(desk.recommend(ASKED))
    get = desk.store.read_tickets
    monkeypatch.setattr(
        desk.store,
        "read_tickets",
        lambda asked: {k: v for k, v in get(asked).items() if k != first[0]},
    )
    answer = desk.recommend(ASKED)
    assert len(answer.items) == 10
    assert ids(answer)[: len(first) - 1] == first[1:]
    assert [item.rank for item in everything(answer)] == list(range(1, len(ids(answer)) + 1))


# judging -------------------------------------------------------------------------


def test_judging_records_one_event_and_its_undo(desk):
    answer = desk.recommend(ASKED)
    ticket = ids(answer)[0]
    for _ in range(2):
        desk.judge(ASKED.id, ticket, Grade.YES, "ann", rank=1, score=4.0, event_id="e1")
    assert desk.grades(ASKED.id, "ann") == {ticket: Grade.YES}
    [label] = desk.labels()
    assert (label.query, label.ticket_id, label.grade) == (ASKED, ticket, Grade.YES)
    [event] = desk.store.judgments()
    assert event.bundle_id == answer.bundle_id
    desk.judge(ASKED.id, ticket, None, "ann")
    assert desk.grades(ASKED.id, "ann") == {} and desk.labels() == []


def test_the_grade_given_last_counts_whatever_the_clock_says(desk, monkeypatch):
    [ticket, *_] = ids(desk.recommend(ASKED))
    monkeypatch.setattr(judging, "utc_now", lambda: datetime(2100, 1, 1))  # a clock that is ahead
    desk.judge(ASKED.id, ticket, Grade.YES, "ann")
    monkeypatch.undo()
    desk.judge(ASKED.id, ticket, Grade.NO, "ann")
    assert desk.grades(ASKED.id, "ann") == {ticket: Grade.NO}
    desk.judge(ASKED.id, ticket, None, "ann")
    assert desk.grades(ASKED.id, "ann") == {}


def test_a_ticket_is_no_answer_to_itself(desk):
    [ticket, *_] = ids(desk.recommend(ASKED))
    itself = replace(ASKED, ticket_id=ticket)
    desk.store.put_query(itself)
    with pytest.raises(InputError, match="is the query itself"):
        desk.judge(itself.id, ticket, Grade.YES, "ann")
    assert list(desk.store.judgments()) == []


def test_judging_an_unknown_query_or_ticket_is_refused(desk):
    with pytest.raises(NotFound, match="no query"):
        desk.judge("0" * 16, "SR-100001", Grade.YES, "ann")
    desk.recommend(ASKED)
    with pytest.raises(NotFound, match="no ticket nowhere"):
        desk.judge(ASKED.id, "nowhere", Grade.YES, "ann")


# opening -------------------------------------------------------------------------


def test_without_a_serving_bundle_asking_says_what_to_do(tmp_path):
    desk = open_desk(load_settings(home=tmp_path))
    with pytest.raises(NotReady, match="ticketing train"):
        desk.recommend(ASKED)
    with pytest.raises(NotReady, match="ticketing train"):
        desk.bundle()
    with pytest.raises(NotReady, match="nothing to go back to"):
        desk.rollback()


def test_a_home_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/home cannot be used .* TICKETING_HOME"):
        desk_module.open_desk(load_settings(home=tmp_path / "file" / "home"))


def test_a_teacher_is_found_from_any_folder(desk, monkeypatch, tmp_path):
    """A worker that ran elsewhere did not find it, nor did a bundle with S that was served."""
    monkeypatch.chdir(tmp_path)
    asked = desk.training_arguments(training={"teacher": "encoder"})
    assert asked["training"] == {"teacher": str(tmp_path / "encoder")}
    for teacher in ("", "installed"):
        assert (
            desk.training_arguments(training={"teacher": teacher})["training"]["teacher"] == teacher
        )


def test_a_notice_in_another_encoding_is_shown_as_far_as_it_reads(desk):
    """Each page was an error of ours."""
    (desk.settings.home / "notice.txt").write_bytes("für alle".encode("latin-1"))
    assert desk.notice == "f\ufffdr alle"
