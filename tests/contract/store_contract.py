"""What every TicketStore does: inherit `StoreContract` and give it a `store` fixture."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ticketing.errors import InputError, NotFound, StoreError
from ticketing.stores.protocol import Clues, CodeRow, PutCounts
from ticketing.tickets import Account, Filters, Grade, Job, Judgment, Query, Ticket

PUMP = Ticket(
    "T-2",
    "Pump trips",
    "The lube oil pump trips at start.",
    "Replaced the relay.",
    product="SGT-400",
    status="Closed",
    created=datetime(2013, 5, 1, 8, 30),
)
FLAME = Ticket(
    "T-10",
    "Flame out",
    "Flame lost in can 3 after the pump changed over.",
    product="SGT-800",
    status="Open",
    created=datetime(2014, 1, 1),
)
BARE = Ticket("A-1", "Vibration")
ALL = (PUMP, FLAME, BARE)

EVENT = Judgment(
    event_id="e1",
    query=Query("pump", "does not start"),
    ticket_id="T-2",
    grade=Grade.YES,
    judge="ann",
    time=datetime(2024, 2, 3, 4, 5, 6, 789),
    rank=3,
    score=4.25,
    bundle_id="b1",
)

FILTERED = {
    "product": (Filters(product="SGT-400"), ["T-2"]),
    "status": (Filters(status="Open"), ["T-10"]),
    "since is inclusive": (Filters(created_since=datetime(2014, 1, 1)), ["T-10"]),
    "before is exclusive": (Filters(created_before=datetime(2014, 1, 1)), ["T-2"]),
    "a date filter drops the undated": (
        Filters(created_since=datetime(1900, 1, 1)),
        ["T-10", "T-2"],
    ),
    "all must hold": (Filters(product="SGT-400", status="Open"), []),
    "none restricts nothing": (Filters(), ["A-1", "T-10", "T-2"]),
}
OF_GROUPS = {
    "all": (None, ["A-1", "T-10", "T-2"]),
    "no group": (set(), ["A-1"]),
    "one group": ({"service"}, ["A-1", "T-2"]),
    "any group will do": ({"service", "lab", "other"}, ["A-1", "T-10", "T-2"]),
    "a stranger's group": ({"strange"}, ["A-1"]),
}
grouped = pytest.mark.parametrize(
    ("filters", "ids"),
    [
        (Filters(groups=None if groups is None else frozenset(groups)), ids)
        for groups, ids in OF_GROUPS.values()
    ],
    ids=OF_GROUPS,
)
HIDDEN = [
    replace(PUMP, groups=frozenset(["service", "sales"])),
    replace(FLAME, groups=frozenset(["lab"])),
    BARE,
]
filtered = pytest.mark.parametrize(("filters", "ids"), FILTERED.values(), ids=FILTERED)


def code(ticket: Ticket, fill: int, width: int = 4, topic: int | None = None) -> CodeRow:
    return CodeRow(ticket.id, ticket.version, bytes([fill]) * width, topic)


def located(row: CodeRow, *vector: int) -> CodeRow:
    return replace(row, vector=np.array(vector, np.int8).tobytes())


def scanned(block) -> dict[str, int]:
    """First byte of each searchable row, by ticket id."""
    return dict(zip(block.ids, (row[0] for row in block.codes[block.live].tolist()), strict=True))


def event(number: int, **changes) -> Judgment:
    return replace(EVENT, event_id=f"n{number}", **changes)


class StoreContract:
    """Each test is a sentence of `ticketing.stores.protocol.TicketStore`."""

    # tickets -----------------------------------------------------------------------

    def test_a_ticket_comes_back_as_it_was_put(self, store):
        store.put_tickets(ALL)
        assert store.get_tickets(["T-2", "T-10", "A-1"]) == {t.id: t for t in ALL}

    def test_any_text_comes_back_as_it_was_put(self, store):
        odd = Ticket("ä/ \"'%_ 漢", "\0null\0", "line\r\n\ttab", "🙂 \u200b'; DROP TABLE tickets")
        store.put_tickets([odd])
        assert store.get_tickets([odd.id]) == {odd.id: odd}

    def test_get_leaves_out_what_does_not_exist(self, store):
        store.put_tickets([PUMP])
        assert store.get_tickets(["T-2", "nobody"]) == {"T-2": PUMP}
        assert store.get_tickets([]) == {}

    def test_put_counts_added_changed_and_unchanged(self, store):
        assert store.put_tickets([PUMP, FLAME]) == PutCounts(added=2)
        changed = replace(FLAME, status="Closed")
        assert store.put_tickets([PUMP, changed, BARE]) == PutCounts(1, 1, 1)
        assert store.get_tickets(["T-10"])["T-10"] == changed

    def test_putting_the_same_twice_changes_nothing(self, store):
        store.put_tickets(ALL)
        store.put_codes("b1", [code(t, 1) for t in ALL])
        assert store.put_tickets(ALL) == PutCounts(unchanged=3)
        assert store.count_tickets() == 3
        assert store.stale_ids("b1") == []

    def test_of_one_id_put_twice_at_once_the_last_counts(self, store):
        later = replace(PUMP, subject="Pump trips again")
        assert store.put_tickets([PUMP, later]) == PutCounts(added=1)
        assert store.get_tickets(["T-2"]) == {"T-2": later}

    def test_putting_nothing_is_allowed(self, store):
        assert store.put_tickets([]) == PutCounts()

    @pytest.mark.parametrize("bad", ["", "a\0b", "\ud800", "é" * 257])
    def test_an_id_that_cannot_be_is_refused_and_nothing_is_put(self, store, bad):
        with pytest.raises(InputError):
            store.put_tickets([PUMP, Ticket(bad, "subject")])
        assert store.count_tickets() == 0

    def test_half_a_character_is_refused_and_nothing_is_put(self, store):
        with pytest.raises(InputError, match="half a character"):
            store.put_tickets([PUMP, Ticket("x", "broken \ud800 subject")])
        assert store.count_tickets() == 0

    def test_delete_counts_those_that_existed(self, store):
        store.put_tickets(ALL)
        assert store.delete_tickets(["T-2", "T-2", "nobody"]) == 1
        assert store.delete_tickets(["T-2"]) == 0
        assert list(store.iter_tickets()) == [BARE, FLAME]

    def test_delete_takes_words_and_codes_of_every_bundle(self, store):
        store.put_tickets(ALL)
        for bundle in ("b1", "b2"):
            store.put_codes(bundle, [code(t, 1) for t in ALL])
        store.delete_tickets(["T-2"])
        assert [id for id, _ in store.search_words(["pump"], 10)] == ["T-10"]
        for bundle in ("b1", "b2"):
            assert list(store.codes(bundle).ids) == ["A-1", "T-10"]
            assert store.count_codes(bundle) == 2

    def test_a_deleted_ticket_put_again_has_no_codes(self, store):
        store.put_tickets([PUMP])
        store.put_codes("b1", [code(PUMP, 1)])
        store.delete_tickets(["T-2"])
        store.put_tickets([PUMP])
        assert store.stale_ids("b1") == ["T-2"]
        assert scanned(store.codes("b1")) == {}

    def test_iterating_goes_by_ascending_id_across_pages(self, store):
        tickets = [Ticket(f"{i}", f"ticket {i}") for i in range(1203)]
        store.put_tickets(tickets)
        assert [t.id for t in store.iter_tickets()] == sorted(t.id for t in tickets)

    def test_ids_sort_by_code_point(self, store):
        ids = ["Z", "a", "é", "ｚ", "😀", "10", "9"]
        store.put_tickets([Ticket(id, "subject") for id in ids])
        assert [t.id for t in store.iter_tickets()] == ["10", "9", "Z", "a", "é", "ｚ", "😀"]
        assert store.stale_ids("b1") == ["10", "9", "Z", "a", "é", "ｚ", "😀"]

    def test_the_store_may_be_written_while_it_is_iterated(self, store):
        store.put_tickets([Ticket(f"{i:04}", "old") for i in range(600)])
        tickets = store.iter_tickets()
        while some := list(islice(tickets, 70)):
            store.put_tickets([replace(ticket, subject="new") for ticket in some])
        assert {t.subject for t in store.iter_tickets()} == {"new"}

    @filtered
    def test_filters_restrict_iteration_and_count(self, store, filters, ids):
        store.put_tickets(ALL)
        assert [t.id for t in store.iter_tickets(filters)] == ids
        assert store.count_tickets(filters) == len(ids)

    def test_the_newest_is_the_last_created_of_those_that_match(self, store):
        assert store.newest() is None
        store.put_tickets([BARE])
        assert store.newest() is None
        store.put_tickets(ALL)
        assert store.newest() == FLAME.created
        assert store.newest(Filters(product="SGT-400")) == PUMP.created

    def test_facets_are_distinct_sorted_and_not_empty(self, store):
        assert store.facets() == {"product": [], "status": []}
        store.put_tickets([*ALL, replace(PUMP, id="T-3")])
        assert store.facets() == {"product": ["SGT-400", "SGT-800"], "status": ["Closed", "Open"]}

    # access groups --------------------------------------------------------------------

    def test_groups_come_back_as_they_were_put_and_are_a_change(self, store):
        store.put_tickets(ALL)
        assert store.put_tickets(HIDDEN) == PutCounts(changed=2, unchanged=1)
        assert store.get_tickets(["T-2", "T-10"]) == {t.id: t for t in HIDDEN[:2]}

    @grouped
    def test_groups_restrict_all_that_can_be_read_or_counted(self, store, filters, ids):
        store.put_tickets([replace(ticket, subject="boom") for ticket in HIDDEN])
        for ticket in store.iter_tickets():
            store.put_codes("b1", [located(code(ticket, 1, topic=4), 1, 2)])
        assert [t.id for t in store.iter_tickets(filters)] == ids
        assert store.count_tickets(filters) == len(ids)
        assert sorted(id for id, _ in store.search_words(["boom"], 10, filters)) == ids
        assert list(store.codes("b1", filters).ids) == ids
        clues = Clues(["boom"], np.array([1, 2], np.int8), datetime(2013, 1, 1))
        found = store.candidates("b1", clues, filters)
        assert list(found.ids) == ids
        assert (len(found.live) if found.of is None else found.of) == len(ids)
        assert sum(store.topic_counts("b1", filters).values()) == len(ids)
        assert sorted(store.topic_tickets("b1", 4, filters)) == ids
        products = [t.product for t in HIDDEN if t.id in ids and t.product]
        assert store.facets(filters)["product"] == sorted(products)
        times = [t.created for t in HIDDEN if t.id in ids and t.created]
        assert store.newest(filters) == max(times, default=None)

    def test_a_ticket_that_is_hidden_later_is_hidden_everywhere_at_once(self, store):
        store.put_tickets([PUMP])
        for bundle in ("b1", "b2"):
            store.put_codes(bundle, [code(PUMP, 1)])
        store.put_tickets(HIDDEN[:1])
        stranger = Filters(groups=frozenset(["lab"]))
        for bundle in ("b1", "b2"):
            assert scanned(store.codes(bundle, stranger)) == {}
            assert scanned(store.codes(bundle)) == {"T-2": 1}
            assert store.stale_ids(bundle) == []

    def test_groups_and_other_filters_must_all_hold(self, store):
        store.put_tickets(HIDDEN)
        service = frozenset(["service"])
        assert store.count_tickets(Filters(product="SGT-400", groups=service)) == 1
        assert store.count_tickets(Filters(product="SGT-800", groups=service)) == 0

    # words --------------------------------------------------------------------------

    def test_any_one_word_of_any_component_may_match(self, store):
        store.put_tickets(ALL)
        found = {
            word: {id for id, _ in store.search_words([word], 10)}
            for word in ("vibration", "lube", "relay", "pump", "boiler")
        }
        assert found == {
            "vibration": {"A-1"},
            "lube": {"T-2"},
            "relay": {"T-2"},
            "pump": {"T-2", "T-10"},
            "boiler": set(),
        }
        assert {id for id, _ in store.search_words(["vibration", "relay"], 10)} == {"A-1", "T-2"}

    def test_the_rarer_word_and_the_shorter_ticket_score_higher(self, store):
        fill = [Ticket(f"F{i}", "filler about other things entirely") for i in range(20)]
        store.put_tickets(
            [*fill, Ticket("rare", "zebra pump"), Ticket("long", "zebra pump and so on")]
            + [Ticket(f"P{i}", "common pump") for i in range(5)]
        )
        found = store.search_words(["zebra", "pump"], 10)
        assert [id for id, _ in found[:2]] == ["rare", "long"]
        assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)
        assert all(score > 0 for _, score in found)

    def test_equal_scores_go_by_id_and_the_limit_cuts_after_that(self, store):
        store.put_tickets([Ticket(id, "same words here") for id in ("c", "a", "d", "b")])
        store.put_tickets([Ticket(f"x{i}", "nothing") for i in range(9)])
        assert [id for id, _ in store.search_words(["same"], 3)] == ["a", "b", "c"]

    def test_a_repeated_word_counts_once(self, store):
        store.put_tickets(ALL)
        assert store.search_words(["lube"] * 3, 10) == store.search_words(["lube"], 10)

    @filtered
    def test_filters_restrict_the_word_search(self, store, filters, ids):
        store.put_tickets([replace(ticket, subject="boom") for ticket in ALL])
        assert [id for id, _ in store.search_words(["boom"], 10, filters)] == ids

    def test_the_limit_counts_after_the_filter(self, store):
        others = [Ticket(f"A{i}", "boom", product="other") for i in range(30)]
        store.put_tickets([*others, Ticket("Z", "boom but further down the list", product="ours")])
        found = store.search_words(["boom"], 1, Filters(product="ours"))
        assert [id for id, _ in found] == ["Z"]

    def test_a_mask_is_one_word(self, store):
        store.put_tickets([Ticket("m", "error 4711 at start"), Ticket("w", "num of tries")])
        assert [id for id, _ in store.search_words(["<num>"], 10)] == ["m"]
        assert [id for id, _ in store.search_words(["num"], 10)] == ["w"]

    def test_a_changed_text_is_found_by_its_new_words_only(self, store):
        store.put_tickets([PUMP])
        store.put_tickets([replace(PUMP, solution="Swapped the breaker.")])
        assert store.search_words(["relay"], 10) == []
        assert [id for id, _ in store.search_words(["breaker"], 10)] == ["T-2"]

    def test_no_words_or_no_tickets_find_nothing(self, store):
        assert store.search_words(["pump"], 10) == []
        store.put_tickets(ALL)
        assert store.search_words([], 10) == []

    @given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=6))
    @settings(
        max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    def test_no_word_upsets_the_search(self, store, words):
        store.put_tickets([PUMP])
        assert [id for id, _ in store.search_words([*words, "pump"], 10)] == ["T-2"]

    def test_a_hundred_thousand_words_find_something(self, store):
        store.put_tickets(ALL)
        words = ["pump", *(f"word{i}" for i in range(100_000))]
        assert {id for id, _ in store.search_words(words, 10)} == {"T-10", "T-2"}

    # queries and judgments -----------------------------------------------------------

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

    def test_an_event_id_seen_before_is_skipped_even_with_other_content(self, store):
        store.add_judgments([EVENT])
        assert store.add_judgments([replace(EVENT, grade=Grade.NO), event(2), event(2)]) == 1
        assert list(store.judgments()) == [EVENT, event(2)]

    def test_an_event_that_cannot_be_is_refused_and_none_is_added(self, store):
        with pytest.raises(InputError):
            store.add_judgments([EVENT, event(2, judge="\ud800")])
        assert list(store.judgments()) == []

    def test_judgments_outlive_their_ticket(self, store):
        store.put_tickets([PUMP])
        store.add_judgments([EVENT])
        store.delete_tickets(["T-2"])
        assert list(store.judgments()) == [EVENT]

    # codes ------------------------------------------------------------------------------

    def test_an_unknown_bundle_has_no_codes(self, store):
        store.put_tickets(ALL)
        block = store.codes("b1")
        assert (len(block.live), len(block.ids), store.count_codes("b1")) == (0, 0, 0)
        assert block.codes.dtype == np.uint8
        assert block.live.dtype == np.int64
        assert block.codes.ndim == 2

    def test_codes_are_scanned_in_ascending_id_order(self, store):
        store.put_tickets(ALL)
        assert store.put_codes("b1", [code(PUMP, 2), code(BARE, 1), code(FLAME, 10)]) == 3
        block = store.codes("b1")
        assert list(block.ids) == ["A-1", "T-10", "T-2"]
        assert block.codes[block.live].tolist() == [[1] * 4, [10] * 4, [2] * 4]
        assert block.codes.dtype == np.uint8
        assert block.live.dtype == np.int64

    def test_bundles_do_not_mix(self, store):
        store.put_tickets(ALL)
        store.put_codes("b1", [code(PUMP, 1)])
        store.put_codes("b2", [code(PUMP, 2, width=6), code(BARE, 2, width=6)])
        assert scanned(store.codes("b1")) == {"T-2": 1}
        assert scanned(store.codes("b2")) == {"A-1": 2, "T-2": 2}

    def test_stale_are_tickets_without_codes_or_with_codes_of_another_text(self, store):
        store.put_tickets(ALL)
        assert store.stale_ids("b1") == ["A-1", "T-10", "T-2"]
        store.put_codes("b1", [code(PUMP, 1), code(BARE, 1)])
        assert store.stale_ids("b1") == ["T-10"]
        store.put_tickets([replace(PUMP, description="Other text.")])
        assert store.stale_ids("b1") == ["T-10", "T-2"]
        assert store.count_codes("b1") == 1

    def test_stale_ids_come_in_pages(self, store):
        store.put_tickets(ALL)
        assert store.stale_ids("b1", limit=2) == ["A-1", "T-10"]
        assert store.stale_ids("b1", limit=2, after="T-10") == ["T-2"]
        assert store.stale_ids("b1", after="T-2") == []

    def test_stale_ids_among_others(self, store):
        store.put_tickets(ALL)
        store.put_codes("b1", [code(PUMP, 1)])
        assert store.stale_ids("b1", among=["T-2", "T-10", "nobody"]) == ["T-10"]
        assert store.stale_ids("b1", among=[]) == []

    def test_product_and_status_do_not_make_codes_stale(self, store):
        store.put_tickets([PUMP])
        store.put_codes("b1", [code(PUMP, 1)])
        store.put_tickets([replace(PUMP, status="Open", product="")])
        assert store.stale_ids("b1") == []

    def test_another_time_of_creation_makes_codes_stale(self, store):
        """Codes hold it: how far a ticket is depends on when it was created."""
        store.put_tickets([PUMP])
        store.put_codes("b1", [code(PUMP, 1)])
        store.put_tickets([replace(PUMP, created=None)])
        assert store.stale_ids("b1") == [PUMP.id]

    def test_codes_already_there_are_skipped(self, store):
        store.put_tickets(ALL)
        assert store.put_codes("b1", [code(PUMP, 1)]) == 1
        assert store.put_codes("b1", [code(PUMP, 9), code(BARE, 2)]) == 1
        assert scanned(store.codes("b1")) == {"A-1": 2, "T-2": 1}

    def test_codes_given_twice_at_once_are_stored_once(self, store):
        store.put_tickets([PUMP])
        assert store.put_codes("b1", [code(PUMP, 5), code(PUMP, 5)]) == 1
        assert scanned(store.codes("b1")) == {"T-2": 5}

    def test_codes_of_a_deleted_ticket_or_an_older_text_are_skipped(self, store):
        store.put_tickets([PUMP, FLAME])
        store.delete_tickets(["T-10"])
        store.put_tickets([replace(PUMP, subject="Other")])
        assert store.put_codes("b1", [code(PUMP, 1), code(FLAME, 1)]) == 0
        assert store.count_codes("b1") == 0
        assert scanned(store.codes("b1")) == {}

    def test_a_changed_ticket_keeps_its_previous_codes_until_the_new_text_is_encoded(self, store):
        store.put_tickets(ALL)
        store.put_codes("b1", [code(t, 1) for t in ALL])
        changed = replace(PUMP, solution="Replaced the motor.")
        store.put_tickets([changed])
        assert scanned(store.codes("b1")) == {"A-1": 1, "T-10": 1, "T-2": 1}
        assert store.put_codes("b1", [code(changed, 7)]) == 1
        assert scanned(store.codes("b1")) == {"A-1": 1, "T-10": 1, "T-2": 7}
        assert store.stale_ids("b1") == []

    def test_a_block_stays_as_it_was_while_the_store_changes(self, store):
        store.put_tickets(ALL)
        store.put_codes("b1", [code(t, 1) for t in ALL])
        before = store.codes("b1")
        changed = replace(PUMP, subject="Other")
        store.put_tickets([changed, Ticket("new", "New")])
        store.put_codes("b1", [code(changed, 7), code(Ticket("new", "New"), 8)])
        store.delete_tickets(["A-1"])
        assert scanned(before) == {"A-1": 1, "T-10": 1, "T-2": 1}
        assert scanned(store.codes("b1")) == {"T-10": 1, "T-2": 7, "new": 8}

    def test_another_width_is_refused_and_nothing_is_stored(self, store):
        store.put_tickets(ALL)
        store.put_codes("b1", [code(PUMP, 1, width=4)])
        with pytest.raises(StoreError, match="width"):
            store.put_codes("b1", [code(BARE, 1, width=4), code(FLAME, 1, width=5)])
        assert scanned(store.codes("b1")) == {"T-2": 1}

    @filtered
    def test_filters_restrict_codes(self, store, filters, ids):
        store.put_tickets(ALL)
        store.put_codes("b1", [code(t, len(t.id)) for t in ALL])
        assert scanned(store.codes("b1", filters)) == {id: len(id) for id in ids}
        assert list(store.codes("b1", filters).ids) == ids

    def test_filters_on_an_unknown_bundle_find_nothing(self, store):
        store.put_tickets(ALL)
        assert len(store.codes("b1", Filters(product="SGT-400")).ids) == 0

    def test_dropped_codes_are_gone_and_may_be_built_again(self, store):
        store.put_tickets(ALL)
        for bundle in ("b1", "b2"):
            store.put_codes(bundle, [code(t, 1) for t in ALL])
        store.drop_codes("b1")
        store.drop_codes("unknown")
        assert (store.count_codes("b1"), store.count_codes("b2")) == (0, 3)
        assert scanned(store.codes("b1")) == {}
        store.put_codes("b1", [code(PUMP, 3, width=9)])
        assert scanned(store.codes("b1")) == {"T-2": 3}

    def test_bundles_with_codes_are_listed(self, store):
        assert store.bundles() == []
        store.put_tickets([PUMP])
        for bundle in ("b2", "b1", "b3"):
            store.put_codes(bundle, [code(PUMP, 1)])
        store.drop_codes("b3")
        assert store.bundles() == ["b1", "b2"]

    def test_fresh_code_rows_come_back_as_they_were_put(self, store):
        """PUMP's text changes after it was encoded, so its codes are no longer fresh."""
        store.put_tickets(ALL)
        rows = [code(FLAME, 1, topic=3), code(BARE, 255), code(PUMP, 2)]
        store.put_codes("b1", [located(row, -1, 7) for row in rows])
        store.put_tickets([replace(PUMP, subject="Other")])
        found = list(store.code_rows("b1"))
        assert [replace(row, vector=b"") for row in found] == [rows[1], rows[0]]
        assert {row.vector for row in found} in ({b""}, {bytes([255, 7])})
        assert list(store.code_rows("unknown")) == []

    def test_code_rows_come_in_ascending_order_across_pages(self, store):
        tickets = [Ticket(f"{i}", "pump") for i in range(1100)]
        store.put_tickets(tickets)
        store.put_codes("b1", [code(t, 1) for t in tickets])
        assert [row.ticket_id for row in store.code_rows("b1")] == sorted(t.id for t in tickets)

    def test_codes_of_the_serving_bundle_cannot_be_dropped(self, store):
        store.put_tickets([PUMP])
        store.put_codes("b1", [code(PUMP, 1)])
        store.set_serving("b1")
        with pytest.raises(StoreError, match="b1"):
            store.drop_codes("b1")
        assert store.count_codes("b1") == 1

    def test_two_threads_storing_the_same_codes_store_them_once(self, store):
        tickets = [Ticket(f"{i:03}", f"ticket {i}") for i in range(200)]
        store.put_tickets(tickets)
        batches = [[code(t, i) for t in tickets[i : i + 20]] for i in range(0, 200, 20)] * 4
        with ThreadPoolExecutor(4) as pool:
            stored = sum(pool.map(lambda batch: store.put_codes("b1", batch), batches))
        assert stored == store.count_codes("b1") == 200
        expected = {t.id: i // 20 * 20 for i, t in enumerate(tickets)}
        assert scanned(store.codes("b1")) == expected

    # candidates --------------------------------------------------------------------------

    def test_candidates_are_near_in_words_or_by_vector(self, store):
        """BARE shares the query's word, FLAME its vector; neither shares both."""
        store.put_tickets(ALL)
        vectors = {"T-2": (100, 100), "T-10": (3, 4), "A-1": (-100, 100)}
        store.put_codes("b1", [located(code(t, 1), *vectors[t.id]) for t in ALL])
        found = store.candidates("b1", Clues(["vibration"], np.array([3, 5], np.int8)))
        assert {"A-1", "T-10"} <= set(found.ids)
        assert list(found.ids) == sorted(found.ids)
        assert scanned(found) == dict.fromkeys(found.ids, 1)

    def test_candidates_without_any_word_or_vector_of_the_query_are_still_found(self, store):
        store.put_tickets(ALL)
        store.put_codes("b1", [located(code(t, 1), 1, 2) for t in ALL])
        nowhere = np.array([127, -127], np.int8)
        assert "T-2" in store.candidates("b1", Clues([], nowhere)).ids
        no_vector = np.zeros(0, np.int8)
        assert "T-2" in store.candidates("b1", Clues(["pump"], no_vector)).ids

    def test_the_nearest_of_its_time_is_a_candidate_however_many_are_nearer_at_other_times(
        self, store
    ):
        crowd = [replace(PUMP, id=f"old{i:04}", created=datetime(2001, 1, 1)) for i in range(1000)]
        store.put_tickets([*crowd, PUMP])
        store.put_codes("b1", [located(code(t, 1), 5, 5) for t in crowd])
        store.put_codes("b1", [located(code(PUMP, 2), 90, 90)])
        clues = Clues(["nothing"], np.array([5, 5], np.int8), asked=PUMP.created)
        assert "T-2" in store.candidates("b1", clues).ids

    @pytest.mark.parametrize("time", [datetime(1970, 1, 2), datetime(9999, 12, 31, 23, 59)])
    def test_candidates_are_found_for_any_time_of_asking(self, store, time):
        tickets = [PUMP, replace(FLAME, created=datetime.max), replace(BARE, created=datetime.min)]
        store.put_tickets(tickets)
        store.put_codes("b1", [located(code(t, 1), 1, 2) for t in tickets])
        found = store.candidates("b1", Clues([], np.array([1, 2], np.int8), time))
        assert list(found.ids) == ["A-1", "T-10", "T-2"]
        assert store.newest() == datetime.max

    @filtered
    def test_filters_restrict_candidates(self, store, filters, ids):
        store.put_tickets(ALL)
        store.put_codes("b1", [located(code(t, 1), 1, 2) for t in ALL])
        clues = Clues(["pump", "vibration"], np.array([1, 2], np.int8), datetime(2014, 1, 1))
        found = store.candidates("b1", clues, filters)
        assert list(found.ids) == ids
        assert (len(found.live) if found.of is None else found.of) == len(ids)

    def test_an_unknown_bundle_has_no_candidates(self, store):
        store.put_tickets(ALL)
        found = store.candidates("b1", Clues(["pump"], np.array([1, 2], np.int8)))
        assert (len(found.ids), len(found.live)) == (0, 0)

    def test_whoever_wants_many_gets_all(self, store):
        tickets = [Ticket(f"{i:03}", "other words") for i in range(600)]
        store.put_tickets(tickets)
        store.put_codes("b1", [located(code(t, 1), i % 90, 3) for i, t in enumerate(tickets)])
        found = store.candidates("b1", Clues(["pump"], np.array([1, 2], np.int8)), limit=600)
        assert list(found.ids) == [t.id for t in tickets]

    # topics -----------------------------------------------------------------------------

    def test_topics_are_counted_by_month(self, store):
        later = replace(PUMP, id="T-3", created=datetime(2013, 5, 31, 23, 59, 59, 999999))
        store.put_tickets([*ALL, later])
        store.put_codes("b1", [code(PUMP, 1, topic=7), code(later, 1, topic=7)])
        store.put_codes("b1", [code(FLAME, 1), code(BARE, 1, topic=0)])
        assert store.topic_counts("b1") == {
            (7, date(2013, 5, 1)): 2,
            (None, date(2014, 1, 1)): 1,
            (0, None): 1,
        }
        assert store.topic_counts("unknown") == {}

    def test_topics_of_a_bundle_are_its_own(self, store):
        store.put_tickets([BARE])
        store.put_codes("b1", [code(BARE, 1, topic=1)])
        store.put_codes("b2", [code(BARE, 1, topic=2)])
        assert store.topic_counts("b2") == {(2, None): 1}
        assert store.topic_tickets("b2", 1) == []
        store.drop_codes("b2")
        assert store.topic_counts("b2") == {}
        assert store.topic_counts("b1") == {(1, None): 1}

    def test_a_topic_is_as_fresh_as_the_codes_are(self, store):
        store.put_tickets([PUMP])
        assert store.topic_counts("b1") == {}
        store.put_codes("b1", [code(PUMP, 1, topic=1)])
        changed = replace(PUMP, subject="Other", created=None)
        store.put_tickets([changed])
        assert store.topic_counts("b1") == {(1, None): 1}
        store.put_codes("b1", [code(changed, 1, topic=2)])
        assert store.topic_counts("b1") == {(2, None): 1}
        assert store.topic_tickets("b1", 2) == ["T-2"]
        store.delete_tickets(["T-2"])
        assert store.topic_counts("b1") == {}
        assert store.topic_tickets("b1", 2) == []

    @filtered
    def test_filters_restrict_topics(self, store, filters, ids):
        store.put_tickets(ALL)
        store.put_codes("b1", [code(t, 1, topic=5) for t in ALL])
        assert sorted(store.topic_tickets("b1", 5, filters)) == ids
        assert sum(store.topic_counts("b1", filters).values()) == len(ids)

    def test_tickets_of_a_topic_come_newest_first_in_pages(self, store):
        """FLAME is of 2014, PUMP and its twin of one moment in 2013, BARE has no date."""
        other = replace(PUMP, id="T-4", created=datetime(2020, 1, 1))
        store.put_tickets([*ALL, replace(PUMP, id="T-1"), other])
        store.put_codes("b1", [code(t, 1, topic=5) for t in (BARE, PUMP, FLAME)])
        store.put_codes("b1", [code(replace(PUMP, id="T-1"), 1, topic=5), code(other, 1, topic=6)])
        assert store.topic_tickets("b1", 5) == ["T-10", "T-1", "T-2", "A-1"]
        assert store.topic_tickets("b1", 5, limit=2) == ["T-10", "T-1"]
        assert store.topic_tickets("b1", 5, limit=2, offset=2) == ["T-2", "A-1"]
        assert store.topic_tickets("b1", 5, limit=2, offset=4) == []

    # serving -------------------------------------------------------------------------------

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

    # jobs ----------------------------------------------------------------------------------

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

    # accounts ------------------------------------------------------------------------------

    def test_an_account_comes_back_as_it_was_put(self, store):
        assert store.get_account("ann") is None
        ann = Account("ann", "hash", "editor", frozenset(["service", "lab"]))
        store.put_account(ann)
        assert store.get_account("ann") == ann
        assert store.get_account("Ann") is None

    def test_an_account_put_again_is_replaced(self, store):
        for role in ("editor", "reader"):
            store.put_account(Account("ann", "hash", role))
        assert store.accounts() == [Account("ann", "hash", "reader")]

    def test_accounts_are_listed_by_name(self, store):
        accounts = [Account(name, "hash", "reader") for name in ("Zoe", "ann", "é😀 '%")]
        for account in accounts[::-1]:
            store.put_account(account)
        assert store.accounts() == accounts

    def test_a_deleted_account_is_gone(self, store):
        store.put_account(Account("ann", "hash", "editor"))
        assert [store.delete_account("ann"), store.delete_account("ann")] == [True, False]
        assert store.get_account("ann") is None
        assert store.accounts() == []

    @pytest.mark.parametrize("name", ["", " ", "\ud800"])
    def test_an_account_without_a_usable_name_is_refused(self, store, name):
        with pytest.raises(InputError):
            store.put_account(Account(name, "hash", "editor"))
        assert store.accounts() == []

    # closing -------------------------------------------------------------------------------

    def test_a_closed_store_says_so(self, store):
        store.put_tickets(ALL)
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.count_tickets()


def recent(time: datetime) -> bool:
    """Naive UTC, and within the last minute."""
    return timedelta(0) <= datetime.now(UTC).replace(tzinfo=None) - time < timedelta(minutes=1)
