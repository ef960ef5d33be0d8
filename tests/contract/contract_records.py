"""Queries, judgments, the serving bundle, jobs and accounts."""

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from tests.contract.contract_examples import (
    ASKING,
    AUDITED,
    EVENT,
    NAMED,
    PUMP,
    SAVED,
    VERDICT,
    event,
    recent,
    verdict,
)
from ticketing import times
from ticketing.errors import Conflict, InputError, NotFound
from ticketing.history import Asking, AuditEntry, SavedQuery, TopicName
from ticketing.tickets import Grade, Job, ModelKind, Query


class RecordContract:
    """Each test is a sentence of Store."""

    # queries and judgments -------------------------------------------------------------------

    def test_a_query_is_remembered_under_its_id(self, store):
        query = Query("pump", "does not start", "T-9")
        assert store.get_query(query.id) is None
        assert store.put_query(query) == query.id == store.put_query(query)
        assert store.get_query(query.id) == query

    def test_all_queries_put_or_judged_are_listed(self, store):
        assert list(store.queries()) == []
        put = [Query(f"query {i}") for i in range(600)]
        store.put_query(put[0])
        store.put_queries(put[:300])
        store.add_judgments([event(i, query=query) for i, query in enumerate(put[200:])])
        assert sorted(q.subject for q in store.queries()) == sorted(q.subject for q in put)

    def test_queries_last_asked_before_a_day_are_forgotten(self, store, monkeypatch):
        old, again, new = (Query(subject) for subject in ("old", "again", "new"))
        store.put_queries([old, again])
        today = times.utc_now()
        monkeypatch.setattr(times, "utc_now", lambda: today + timedelta(days=3))
        assert store.forget_queries(today.date()) == 0
        store.put_query(again)
        store.put_query(new)
        later = today.date() + timedelta(days=1)
        assert [store.forget_queries(later), store.forget_queries(later)] == [1, 0]
        assert store.get_query(old.id) is None
        assert {query.subject for query in store.queries()} == {"again", "new"}
        assert store.put_query(old) == old.id
        assert store.get_query(old.id) == old

    def test_judged_and_kept_queries_are_never_forgotten(self, store):
        queries = [Query(f"query {i}") for i in range(1200)]
        store.put_queries(queries)
        store.add_judgments([event(i, query=query) for i, query in enumerate(queries[:600])])
        keep = {query.id for query in queries[500:700]}
        assert store.forget_queries(date(9999, 1, 1), keep) == 500
        assert {query.subject for query in store.queries()} == {q.subject for q in queries[:700]}
        assert len(list(store.judgments(queries[0].id))) == 1

    def test_askings_before_a_day_are_forgotten_and_nothing_else_of_the_history(self, store):
        askings = [
            replace(ASKING, event_id=f"a{i}", time=ASKING.time + timedelta(days=i))
            for i in range(1100)
        ]
        store.add_events([SAVED, NAMED, *askings])
        store.forget_queries(askings[1000].time.date())
        assert list(store.events(Asking)) == askings[1000:]
        store.forget_queries(date(9999, 1, 1))
        assert list(store.events(Asking)) == []
        assert (list(store.events(SavedQuery)), list(store.events(TopicName))) == ([SAVED], [NAMED])

    def test_a_judged_query_is_remembered(self, store):
        store.add_judgments([EVENT])
        assert store.get_query(EVENT.query.id) == EVENT.query

    def test_an_event_comes_back_as_it_was_added(self, store):
        bare = event(2, grade=None, rank=None, score=None, bundle_id="", query=Query("", "", "T-9"))
        store.add_judgments([EVENT, bare])
        assert list(store.judgments()) == [EVENT, bare]

    def test_events_come_in_the_order_they_were_added_across_pages(self, store):
        events = [event(i * 7919 % 1109, judge=f"{i}") for i in range(1100)]
        assert store.add_judgments(events[:3]) == 3
        assert store.add_judgments(events[3:]) == 1097
        assert list(store.judgments()) == events

    def test_events_of_one_query(self, store):
        other = event(1, query=Query("flame"))
        store.add_judgments([EVENT, other, event(2)])
        assert list(store.judgments(EVENT.query.id)) == [EVENT, event(2)]
        assert list(store.judgments("unknown")) == []

    def test_an_event_seen_before_is_skipped_whenever_it_was_sent(self, store):
        store.add_judgments([EVENT])
        later = replace(EVENT, time=EVENT.time + timedelta(days=1), bundle_id="b2")
        assert store.add_judgments([later, event(2), event(2)]) == 1
        assert list(store.judgments()) == [EVENT, event(2)]

    @pytest.mark.parametrize(
        "other",
        [
            {"grade": Grade.NO},
            {"grade": None},
            {"judge": "bob"},
            {"ticket_id": "T-10"},
            {"query": Query("another")},
            {"note": ""},
            {"rank": None},
        ],
    )
    def test_an_event_id_is_not_used_again_for_another_event(self, store, other):
        with pytest.raises(Conflict, match="'e1' stands for something else"):
            store.add_judgments([event(2), EVENT, replace(EVENT, **other)])
        store.add_judgments([EVENT])
        with pytest.raises(Conflict):
            store.add_judgments([event(2), replace(EVENT, **other)])
        assert list(store.judgments()) == [EVENT]

    def test_an_event_that_cannot_be_is_refused_and_none_is_added(self, store):
        with pytest.raises(InputError):
            store.add_judgments([EVENT, event(2, judge="\ud800")])
        assert list(store.judgments()) == []

    def test_judgments_outlive_their_ticket(self, store):
        store.put_tickets([PUMP])
        store.add_judgments([EVENT])
        store.delete_tickets(["T-2"])
        assert list(store.judgments()) == [EVENT]

    # verdicts --------------------------------------------------------------------------------

    def test_verdicts_come_back_in_the_order_they_were_added_across_pages(self, store):
        assert list(store.verdicts()) == []
        rights = (True, False, None)
        verdicts = [verdict(i * 7919 % 1109, right=rights[i % 3]) for i in range(1100)]
        assert store.add_verdicts(verdicts[:3]) == 3
        assert store.add_verdicts(verdicts[3:]) == 1097
        assert list(store.verdicts()) == verdicts

    def test_verdicts_on_one_subject_letter_by_letter(self, store):
        texts = ("pump", "Pump", "P" * 40_000)
        others = [verdict(i, subject=text) for i, text in enumerate(texts, 2)]
        store.add_verdicts([VERDICT, *others, verdict(9, bundle_id="")])
        assert list(store.verdicts(VERDICT.subject)) == [VERDICT, verdict(9, bundle_id="")]
        for other in others:
            assert list(store.verdicts(other.subject)) == [other]
        assert list(store.verdicts("unknown")) == []

    def test_a_verdict_seen_before_is_skipped_whenever_it_was_sent(self, store):
        store.add_verdicts([VERDICT])
        later = replace(VERDICT, time=VERDICT.time + timedelta(days=1), bundle_id="b2")
        assert store.add_verdicts([later, verdict(2), verdict(2)]) == 1
        assert list(store.verdicts()) == [VERDICT, verdict(2)]

    def test_an_event_id_is_not_used_again_for_another_verdict(self, store):
        store.add_verdicts([VERDICT])
        for other in ({"right": False}, {"right": None}, {"judge": "bob"}, {"subject": "x"}):
            with pytest.raises(Conflict, match="stands for something else"):
                store.add_verdicts([verdict(2), replace(VERDICT, **other)])
        assert list(store.verdicts()) == [VERDICT]

    def test_a_verdict_on_a_subject_of_several_lines_comes_back(self, store):
        odd = verdict(2, subject="line\u2028line\x0b\x0c\x1c\x85\r\nline")
        store.add_verdicts([VERDICT, odd])
        assert list(store.verdicts()) == [VERDICT, odd]

    def test_a_verdict_that_cannot_be_is_refused_and_none_is_added(self, store):
        with pytest.raises(InputError):
            store.add_verdicts([VERDICT, verdict(2, category="\ud800")])
        assert list(store.verdicts()) == []

    def test_a_verdict_is_no_judgment(self, store):
        store.add_verdicts([VERDICT])
        store.add_judgments([EVENT])
        assert (list(store.verdicts()), list(store.judgments())) == ([VERDICT], [EVENT])

    # history ---------------------------------------------------------------------------------

    def test_history_comes_back_by_kind_in_the_order_it_was_added_across_pages(self, store):
        assert list(store.events(Asking)) == []
        askings = [replace(ASKING, event_id=f"a{i * 7919 % 1109}") for i in range(1100)]
        assert store.add_events([*askings[:3], SAVED, NAMED]) == 5
        assert store.add_events(askings[3:]) == 1097
        assert list(store.events(Asking)) == askings
        assert list(store.events(SavedQuery)) == [SAVED]
        assert list(store.events(TopicName)) == [NAMED]

    def test_the_last_events_come_first_page_by_page(self, store):
        assert (store.last_events(AuditEntry, 10), store.count_events(AuditEntry)) == ([], 0)
        audit = [replace(AUDITED, event_id=f"d{i * 7919 % 1109}") for i in range(7)]
        store.add_events([ASKING, *audit, SAVED])
        assert store.last_events(AuditEntry, 3) == audit[:3:-1]
        assert store.last_events(AuditEntry, 10, offset=5) == audit[1::-1]
        assert store.count_events(AuditEntry) == 7

    def test_history_of_one_person_letter_by_letter(self, store):
        others = [
            replace(ASKING, event_id=name, person=name) for name in ("Ann", "ann b", "é😀 '%")
        ]
        store.add_events([ASKING, *others, SAVED])
        assert list(store.events(Asking, "ann")) == [ASKING]
        for other in others:
            assert list(store.events(Asking, other.person)) == [other]
        assert list(store.events(Asking, "nobody")) == []

    def test_history_whose_event_id_was_seen_before_is_skipped(self, store):
        store.add_events([SAVED])
        unsaved = replace(SAVED, event_id="s2", kept=False)
        assert store.add_events([replace(SAVED, kept=False), unsaved, unsaved]) == 1
        assert list(store.events(SavedQuery)) == [SAVED, unsaved]

    @pytest.mark.parametrize(
        "bad", [{"person": "\ud800"}, {"query": Query("a", "\ud800")}, {"shown": ("T", "\ud800")}]
    )
    def test_history_that_cannot_be_is_refused_and_none_is_added(self, store, bad):
        with pytest.raises(InputError):
            store.add_events([ASKING, replace(ASKING, event_id="a2", **bad)])
        assert list(store.events(Asking)) == []

    # serving ---------------------------------------------------------------------------------

    def test_nothing_serves_at_first(self, store):
        assert (store.serving(), store.previous_serving()) == ("", "")

    def test_a_switch_keeps_the_previous_bundle(self, store):
        store.set_serving("b1")
        assert (store.serving(), store.previous_serving()) == ("b1", "")
        store.set_serving("b2")
        assert (store.serving(), store.previous_serving()) == ("b2", "b1")

    def test_naming_the_serving_bundle_again_changes_nothing(self, store):
        store.set_serving("b1")
        store.set_serving("b2")
        store.set_serving("b2")
        assert (store.serving(), store.previous_serving()) == ("b2", "b1")

    def test_each_kind_of_bundle_has_one_that_serves(self, store):
        store.set_serving("b1")
        for bundle_id in ("c1", "c2"):
            store.set_serving(bundle_id, ModelKind.CATEGORIES)
        assert (store.serving(), store.previous_serving()) == ("b1", "")
        kind = ModelKind.CATEGORIES
        assert (store.serving(kind), store.previous_serving(kind)) == ("c2", "c1")
        assert store.serving(ModelKind.SENTENCES) == ""

    # jobs ------------------------------------------------------------------------------------

    def test_a_new_job_is_queued(self, store):
        job = store.create_job("reindex", "b1", 120)
        assert (job.kind, job.bundle_id, job.state) == ("reindex", "b1", "queued")
        assert (job.total, job.done, job.errors, job.message) == (120, 0, {}, "")
        assert (job.heartbeat, job.started, job.finished) == (None, None, None)
        assert not job.cancel_requested
        assert recent(job.created)
        assert store.get_job(job.id) == job

    def test_an_unknown_job_is_none_or_not_found(self, store):
        assert store.get_job("nope") is None
        with pytest.raises(NotFound, match="nope"):
            store.update_job("nope", done=1)
        with pytest.raises(NotFound, match="nope"):
            store.request_cancel("nope")

    def test_asking_twice_gives_the_unfinished_job(self, store):
        job = store.create_job("reindex", "b1", 120)
        store.update_job(job.id, state="running")
        assert store.create_job("reindex", "b1", 5).id == job.id
        others = {store.create_job("reindex", "b2", 1).id, store.create_job("other", "b1", 1).id}
        assert job.id not in others
        assert len(others) == 2

    @pytest.mark.parametrize("state", ["done", "cancelled", "failed"])
    def test_after_the_end_a_new_job_is_made(self, store, state):
        job = store.create_job("reindex", "b1", 120)
        store.update_job(job.id, state=state)
        assert store.create_job("reindex", "b1", 120).id != job.id

    def test_an_update_changes_what_is_given_and_sets_the_heartbeat(self, store):
        job = store.create_job("reindex", "b1", 120)
        running = store.update_job(job.id, state="running", done=7)
        assert (running.state, running.done, running.total) == ("running", 7, 120)
        assert recent(running.started)
        assert recent(running.heartbeat)
        again = store.update_job(job.id, state="running", total=130, message="half way")
        assert (again.done, again.total, again.message) == (7, 130, "half way")
        assert again.started == running.started
        assert again.heartbeat > running.heartbeat
        assert again.finished is None
        assert store.get_job(job.id) == again

    def test_errors_are_merged(self, store):
        job = store.create_job("reindex", "b1", 3)
        store.update_job(job.id, errors={"a": "first", "b": "second"})
        updated = store.update_job(job.id, errors={"b": "again", "c": "third"})
        assert updated.errors == {"a": "first", "b": "again", "c": "third"}

    def test_a_finished_job_is_left_as_it_is(self, store):
        job = store.create_job("reindex", "b1", 3)
        done = store.update_job(job.id, state="done", done=3, message="done")
        assert recent(done.finished)
        assert store.update_job(job.id, state="running", done=1, errors={"a": "late"}) == done
        assert store.request_cancel(job.id) == done
        assert store.get_job(job.id) == done

    def test_a_cancel_request_is_kept_until_the_worker_ends_the_job(self, store):
        job = store.create_job("reindex", "b1", 3)
        assert store.request_cancel(job.id).cancel_requested
        running = store.update_job(job.id, done=1)
        assert (running.cancel_requested, running.state) == (True, "queued")

    def test_a_cancel_request_is_no_heartbeat(self, store):
        job = store.create_job("reindex", "b1", 3)
        assert store.request_cancel(job.id).heartbeat is None

    def test_jobs_are_listed_newest_first(self, store):
        ids = [store.create_job("reindex", f"b{i}", 1).id for i in range(4)]
        assert [job.id for job in store.jobs()] == ids[::-1]
        assert [job.id for job in store.jobs(limit=2)] == ids[:1:-1]

    def test_a_job_made_elsewhere_comes_back_as_it_was_put(self, store):
        elsewhere = Job(
            *("j1", "reindex", "b1", "running", 10, 4),
            created=datetime(2024, 1, 2, 3, 4, 5),
            heartbeat=datetime(2024, 1, 2, 3, 4, 5, 6),
            cancel_requested=True,
            errors={"T.1.": "half", "": "a text"},
            message="half way",
        )
        store.put_job(elsewhere)
        store.put_job(replace(elsewhere, done=9))
        assert store.get_job("j1") == elsewhere
        assert store.create_job("reindex", "b1", 7) == elsewhere
        done = store.update_job("j1", state="done")
        assert store.create_job("reindex", "b1", 7).id != done.id
