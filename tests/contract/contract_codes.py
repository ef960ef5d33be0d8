"""Codes: bundles apart, never older than they say, found as their tickets are."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, datetime

import numpy as np
import pytest

from tests.contract.contract_examples import (
    ALL,
    BARE,
    FLAME,
    PUMP,
    code,
    filtered,
    located,
    scanned,
)
from tests.examples import query_by
from ticketing.errors import Conflict, StoreError
from ticketing.tickets import Filters, Ticket


class CodeContract:
    """Each test is a sentence of Store."""

    # codes -----------------------------------------------------------------------------------

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

    def test_forgotten_codes_are_gone_and_may_be_put_again(self, store):
        store.put_tickets(ALL)
        for bundle in ("b1", "b2"):
            store.put_codes(bundle, [code(t, 1) for t in ALL])
        store.forget_codes("b1", ["T-2", "A-1", "nobody"])
        store.forget_codes("unknown", ["T-2"])
        assert store.stale_ids("b1") == ["A-1", "T-2"]
        assert scanned(store.codes("b1")) == {"T-10": 1}
        assert (store.count_codes("b1"), store.count_codes("b2")) == (1, 3)
        assert store.put_codes("b1", [code(PUMP, 5)]) == 1
        assert scanned(store.codes("b1")) == {"T-10": 1, "T-2": 5}

    def test_whole_codes_are_not_damaged(self, store):
        store.put_tickets(ALL)
        store.put_codes("b1", [code(t, 1) for t in ALL])
        store.codes("b1")
        assert (store.damaged_codes("b1"), store.damaged_codes("unknown")) == ([], [])

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
        assert {row.vector for row in found} == {bytes([255, 7]) if store.keeps_vectors else b""}
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
        with pytest.raises(Conflict, match="b1"):
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

    # candidates ------------------------------------------------------------------------------

    def test_candidates_are_near_in_words_or_by_vector(self, store):
        """BARE shares the query's word, FLAME its vector; neither shares both."""
        store.put_tickets(ALL)
        vectors = {"T-2": (100, 100), "T-10": (3, 4), "A-1": (-100, 100)}
        store.put_codes("b1", [located(code(t, 1), *vectors[t.id]) for t in ALL])
        found = store.candidates("b1", query_by(["vibration"], np.array([3, 5], np.int8)))
        assert {"A-1", "T-10"} <= set(found.ids)
        assert list(found.ids) == sorted(found.ids)
        assert scanned(found) == dict.fromkeys(found.ids, 1)

    def test_candidates_without_any_word_or_vector_of_the_query_are_still_found(self, store):
        store.put_tickets(ALL)
        store.put_codes("b1", [located(code(t, 1), 1, 2) for t in ALL])
        nowhere = np.array([127, -127], np.int8)
        assert "T-2" in store.candidates("b1", query_by([], nowhere)).ids
        no_vector = np.zeros(0, np.int8)
        assert "T-2" in store.candidates("b1", query_by(["pump"], no_vector)).ids

    def test_the_nearest_of_its_time_is_a_candidate_however_many_are_nearer_at_other_times(
        self, store
    ):
        crowd = [replace(PUMP, id=f"old{i:04}", created=datetime(2001, 1, 1)) for i in range(1000)]
        store.put_tickets([*crowd, PUMP])
        store.put_codes("b1", [located(code(t, 1), 5, 5) for t in crowd])
        store.put_codes("b1", [located(code(PUMP, 2), 90, 90)])
        query = query_by(["nothing"], np.array([5, 5], np.int8), time=PUMP.created)
        assert "T-2" in store.candidates("b1", query).ids

    def test_tickets_that_are_named_are_candidates_however_far_they_are(self, store):
        crowd = [Ticket(f"{i:04}", "pump") for i in range(1000)]
        store.put_tickets([*crowd, PUMP, BARE])
        store.put_codes("b1", [located(code(t, 1), 5, 5) for t in crowd])
        store.put_codes("b1", [located(code(t, 2), -90, 90) for t in (PUMP, BARE)])
        query, named = query_by(["pump"], np.array([5, 5], np.int8)), ["T-2", "A-1", "gone"]
        found = store.candidates("b1", query, also=named)
        assert {"T-2", "A-1"} <= set(found.ids)
        assert list(found.ids) == sorted(set(found.ids))
        assert scanned(found)["A-1"] == 2
        of_product = store.candidates("b1", query, Filters(product=PUMP.product), also=named)
        assert list(of_product.ids) == ["T-2"]

    @pytest.mark.parametrize("time", [datetime(1970, 1, 2), datetime(9999, 12, 31, 23, 59)])
    def test_candidates_are_found_for_any_time_of_asking(self, store, time):
        tickets = [PUMP, replace(FLAME, created=datetime.max), replace(BARE, created=datetime.min)]
        store.put_tickets(tickets)
        store.put_codes("b1", [located(code(t, 1), 1, 2) for t in tickets])
        found = store.candidates("b1", query_by([], np.array([1, 2], np.int8), time))
        assert list(found.ids) == ["A-1", "T-10", "T-2"]
        assert store.newest() == PUMP.created

    @filtered
    def test_filters_restrict_candidates(self, store, filters, ids):
        store.put_tickets(ALL)
        store.put_codes("b1", [located(code(t, 1), 1, 2) for t in ALL])
        query = query_by(["pump", "vibration"], np.array([1, 2], np.int8), datetime(2014, 1, 1))
        found = store.candidates("b1", query, filters)
        assert list(found.ids) == ids
        assert (len(found.live) if found.of is None else found.of) == len(ids)

    def test_an_unknown_bundle_has_no_candidates(self, store):
        store.put_tickets(ALL)
        found = store.candidates("b1", query_by(["pump"], np.array([1, 2], np.int8)))
        assert (len(found.ids), len(found.live)) == (0, 0)

    def test_whoever_wants_many_gets_all(self, store):
        tickets = [Ticket(f"{i:03}", "other words") for i in range(600)]
        store.put_tickets(tickets)
        store.put_codes("b1", [located(code(t, 1), i % 90, 3) for i, t in enumerate(tickets)])
        found = store.candidates("b1", query_by(["pump"], np.array([1, 2], np.int8)), limit=600)
        assert list(found.ids) == [t.id for t in tickets]

    # topics ----------------------------------------------------------------------------------

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
