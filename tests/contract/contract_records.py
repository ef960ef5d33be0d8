"""Queries, judgments, the serving bundle and accounts."""

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from tests.contract.contract_examples import (
    ASKING,
    AUDITED,
    EVENT,
    FORMER,
    NAMED,
    PUMP,
    SAVED,
    VERDICT,
    event,
    verdict,
)
from ticketing import times
from ticketing.errors import Conflict, InputError
from ticketing.history import (
    Asking,
    AuditEntry,
    FormerTicket,
    SavedQuery,
    TopicName,
)
from ticketing.tickets import Grade, ModelKind, Query


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
        today = datetime(2024, 1, 1, 12)
        monkeypatch.setattr(times, "utc_now", lambda: today)
        store.put_queries([old, again])
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

    def test_a_query_asked_by_a_clock_that_is_behind_stays_as_new_as_it_was(
        self, store, monkeypatch
    ):
        for day in (3, 1):
            monkeypatch.setattr(times, "utc_now", lambda now=datetime(2024, 1, day, 12): now)
            store.put_query(Query("pump"))
        assert store.forget_queries(date(2024, 1, 2)) == 0

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
        store.forget_queries(askings[1000].time.date(), {SAVED.query.id})
        assert list(store.events(Asking)) == askings[1000:]
        store.forget_queries(date(9999, 1, 1), {SAVED.query.id})
        assert list(store.events(Asking)) == []
        assert (list(store.events(SavedQuery)), list(store.events(TopicName))) == ([SAVED], [NAMED])

    def test_what_nobody_saves_any_more_is_forgotten_with_who_saved_it(self, store):
        kept = replace(SAVED, event_id="kept", query=Query("still wanted"))
        later = replace(SAVED, event_id="later", time=SAVED.time + timedelta(days=1))
        given_up = replace(SAVED, event_id="given up", kept=False)
        store.add_events([SAVED, given_up, kept, later])
        store.forget_queries(later.time.date(), {kept.query.id})
        assert list(store.events(SavedQuery)) == [kept, later]

    def test_an_asking_of_a_clock_that_was_ahead_keeps_no_later_one(self, store):
        ahead = replace(ASKING, event_id="ahead", time=ASKING.time + timedelta(days=900))
        later = replace(ASKING, event_id="later", time=ASKING.time + timedelta(days=1))
        store.add_events([ASKING, ahead, later])
        store.forget_queries(ahead.time.date())
        assert list(store.events(Asking)) == [ahead]

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

    def test_events_are_counted(self, store):
        assert store.count_judgments() == 0
        store.add_judgments([EVENT, event(2), EVENT])
        assert store.count_judgments() == 2

    def test_events_of_one_query(self, store):
        other = event(1, query=Query("flame"))
        store.add_judgments([EVENT, other, event(2)])
        assert list(store.judgments(EVENT.query.id)) == [EVENT, event(2)]
        assert list(store.judgments("unknown")) == []

    def test_events_of_one_ticket(self, store):
        other = event(1, query=Query("flame"))
        store.add_judgments([EVENT, event(2, ticket_id="T-9"), other])
        assert list(store.judgments(ticket_id=EVENT.ticket_id)) == [EVENT, other]
        assert list(store.judgments(other.query.id, EVENT.ticket_id)) == [other]
        assert list(store.judgments(ticket_id="unknown")) == []

    def test_the_log_goes_on_from_the_number_of_an_event(self, store):
        assert list(store.judgment_log()) == []
        events = [event(i * 7919 % 1109, judge=f"{i}") for i in range(1100)]
        store.put_query(Query("asked before"))
        store.add_judgments(events[:3])
        store.put_query(Query("asked between"))
        store.add_judgments([events[0], *events[3:]])
        log = list(store.judgment_log())
        assert [each for _, each in log] == events
        numbers = [number for number, _ in log]
        assert numbers == sorted(set(numbers))
        assert numbers[0] > 0
        assert list(store.judgment_log(numbers[2])) == log[2:]
        assert list(store.judgment_log(numbers[2] + 1)) == log[3:]
        assert list(store.judgment_log(numbers[-1] + 1)) == []

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
        assert store.add_events([*askings[:3], SAVED, NAMED, FORMER]) == 6
        assert store.add_events(askings[3:]) == 1097
        assert list(store.events(Asking)) == askings
        assert list(store.events(SavedQuery)) == [SAVED]
        assert list(store.events(TopicName)) == [NAMED]
        assert list(store.events(FormerTicket)) == [FORMER]

    def test_the_last_events_come_first_page_by_page(self, store):
        assert (store.last_events(AuditEntry, 10), store.count_events(AuditEntry)) == ([], 0)
        audit = [replace(AUDITED, event_id=f"d{i * 7919 % 1109}") for i in range(7)]
        store.add_events([ASKING, *audit, SAVED])
        assert store.last_events(AuditEntry, 3) == audit[:3:-1]
        assert store.last_events(AuditEntry, 10, offset=5) == audit[1::-1]
        assert store.count_events(AuditEntry) == 7

    def test_the_last_events_of_one_person(self, store):
        asked = [
            replace(ASKING, event_id=f"a{i}", person=("ann", "bob")[i % 3 == 0]) for i in range(6)
        ]
        store.add_events([*asked, AUDITED])
        assert store.last_events(Asking, 2, 1, "ann") == [asked[4], asked[2]]
        assert store.last_events(Asking, 9, person="bob") == [asked[3], asked[0]]
        assert (store.count_events(Asking, "ann"), store.count_events(Asking, "eve")) == (4, 0)

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
