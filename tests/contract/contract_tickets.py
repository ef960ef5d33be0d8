"""Tickets: what is put is found, counted and hidden as it should be."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

import numpy as np
import pytest
from hypothesis import example, given

from tests.contract.contract_examples import (
    ALL,
    BARE,
    FLAME,
    HIDDEN,
    PUMP,
    any_words,
    at_most_sixty,
    code,
    filtered,
    grouped,
    located,
    scanned,
)
from tests.examples import query_by
from ticketing.errors import Conflict, InputError
from ticketing.stores.protocols import PutCounts
from ticketing.text import tokenize
from ticketing.tickets import Filters, Ticket
from ticketing.times import utc_now


class TicketContract:
    """Each test is a sentence of Store."""

    # tickets ---------------------------------------------------------------------------------

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

    def test_no_ticket_has_an_empty_id(self, store):
        """As a row of labels has whose cell is blank."""
        store.put_tickets([PUMP])
        assert store.get_tickets(["", "T-2"]) == store.get_tickets(["T-2"]) == {"T-2": PUMP}
        assert store.matching_ids([""]) == set()
        assert store.matching_ids(["", "T-2"], Filters(product=PUMP.product)) == {"T-2"}
        assert store.read_tickets(["", "T-2"]).keys() == {"T-2"}
        assert store.stale_ids("b1", among=["", "T-2"]) == ["T-2"]
        store.forget_codes("b1", [""])
        assert store.delete_tickets([""]) == 0
        assert store.delete_tickets(["", "T-2"]) == 1

    def test_a_ticket_is_read_with_the_tokens_of_its_text(self, store):
        wordless = Ticket("T-3", "-", "")
        reworded = replace(FLAME, solution="the U+FB01 ﬁlter\u00a0was_full, v2.3.4")
        for some in ([PUMP, FLAME, wordless], [reworded]):
            store.put_tickets(some)
            found = store.get_tickets(["T-2", "T-10", "T-3"])
            read = store.read_tickets([*found, "nobody"])
            assert {id: ticket for id, (ticket, _) in read.items()} == found
            for ticket, tokens in read.values():
                texts = ticket.subject, ticket.description, ticket.solution
                assert [line.split(" ") if line else [] for line in tokens.split("\n")] == [
                    tokenize(text) for text in texts
                ]
        assert store.read_tickets([]) == {}

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
        assert store.known_words(["pump", "lube"]) == {"pump"}
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

    def test_a_ticket_dated_after_tomorrow_is_not_the_newest(self, store):
        now = utc_now().replace(microsecond=0)
        ahead = replace(PUMP, id="ahead", created=now + timedelta(days=1))
        wrong = replace(PUMP, id="wrong", created=now + timedelta(days=2))
        store.put_tickets([*ALL, wrong, replace(wrong, id="worse", created=datetime.max)])
        assert store.newest() == FLAME.created
        store.put_tickets([ahead])
        assert store.newest() == ahead.created

    def test_facets_are_distinct_sorted_and_not_empty(self, store):
        assert store.facets() == {"product": [], "status": []}
        store.put_tickets([*ALL, replace(PUMP, id="T-3")])
        assert store.facets() == {"product": ["SGT-400", "SGT-800"], "status": ["Closed", "Open"]}

    # access groups ---------------------------------------------------------------------------

    def test_groups_come_back_as_they_were_put_and_are_a_change(self, store):
        store.put_tickets(ALL)
        assert store.put_tickets(HIDDEN) == PutCounts(changed=2, unchanged=1)
        assert store.get_tickets(["T-2", "T-10"]) == {t.id: t for t in HIDDEN[:2]}

    def test_a_ticket_keeps_its_groups_where_nobody_said_others(self, store):
        store.put_tickets(HIDDEN[:1])
        closed = replace(PUMP, status="Closed later")
        assert store.put_tickets([closed, BARE], keep=["groups"]) == PutCounts(1, 1)
        kept = replace(closed, groups=HIDDEN[0].groups)
        assert store.get_tickets([PUMP.id, BARE.id]) == {PUMP.id: kept, BARE.id: BARE}
        assert store.put_tickets([closed], keep=["groups"]) == PutCounts(unchanged=1)

    def test_fields_of_which_nothing_is_said_are_kept_and_found(self, store):
        store.put_tickets(ALL)
        narrow = Ticket(PUMP.id, "Gearbox noisy", status="Open", product="other")
        kept = ["description", "solution", "product", "created", "groups"]
        assert store.put_tickets([narrow], keep=kept) == PutCounts(changed=1)
        [ticket] = store.get_tickets([PUMP.id]).values()
        assert ticket == replace(PUMP, subject="Gearbox noisy", status="Open")
        words = tokenize(f"gearbox {PUMP.solution} {PUMP.description}")
        assert store.known_words(words, Filters(product=PUMP.product)) == set(words)

    def test_a_ticket_that_others_alone_may_see_is_not_replaced(self, store):
        store.put_tickets(HIDDEN[:1])
        with pytest.raises(Conflict, match="T-2 cannot be used"):
            store.put_tickets([BARE, PUMP], theirs=Filters(groups=frozenset()))
        assert list(store.iter_tickets()) == HIDDEN[:1]

    @grouped
    def test_groups_restrict_all_that_can_be_read_or_counted(self, store, filters, ids):
        store.put_tickets([replace(ticket, subject="boom") for ticket in HIDDEN])
        for ticket in store.iter_tickets():
            store.put_codes("b1", [located(code(ticket, 1, topic=4), 1, 2)])
        assert [t.id for t in store.iter_tickets(filters)] == ids
        assert store.count_tickets(filters) == len(ids)
        assert list(store.codes("b1", filters).ids) == ids
        query = query_by(["boom"], np.array([1, 2], np.int8), datetime(2013, 1, 1))
        found = store.candidates("b1", query, filters)
        assert list(found.ids) == ids
        assert (len(found.live) if found.of is None else found.of) == len(ids)
        assert sum(store.topic_counts("b1", filters).values()) == len(ids)
        assert sorted(store.topic_tickets("b1", 4, filters)) == ids
        products = [t.product for t in HIDDEN if t.id in ids and t.product]
        assert store.facets(filters)["product"] == sorted(products)
        times = [t.created for t in HIDDEN if t.id in ids and t.created]
        assert store.newest(filters) == max(times, default=None)
        assert store.matching_ids(["T-2", "A-1", "T-10", "nobody"], filters) == set(ids)
        own = {word for word, id in (("lube", "T-2"), ("flame", "T-10")) if id in ids}
        assert store.known_words(["boom", "lube", "flame", "absent"], filters) == {"boom", *own}

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

    def test_a_change_of_groups_alone_reaches_what_was_read_before(self, store):
        groups = [Filters(groups=frozenset(names)) for names in (["lab"], ["service"], [])]
        store.put_tickets([PUMP, BARE])
        store.put_codes("b1", [code(PUMP, 1), code(BARE, 2)])
        for hidden, seen in (([], [1, 1, 1]), (["lab"], [1, 0, 0]), (["service"], [0, 1, 0])):
            store.put_tickets([replace(PUMP, groups=frozenset(hidden))])
            for filters, sees in zip(groups, seen, strict=True):
                assert ("T-2" in scanned(store.codes("b1", filters))) == bool(sees)
                assert store.count_tickets(filters) == 1 + sees
                assert store.matching_ids(["T-2"], filters) == ({"T-2"} if sees else set())
                assert store.known_words(["lube"], filters) == ({"lube"} if sees else set())

    def test_tickets_that_come_are_seen_by_those_of_their_groups(self, store):
        lab, service = (Filters(groups=frozenset([name])) for name in ("lab", "service"))
        store.put_tickets(ALL)
        for i, ticket in enumerate(HIDDEN):
            store.put_tickets([ticket])
            store.put_codes("b1", [code(ticket, i)])
            assert scanned(store.codes("b1", lab)).keys() == {
                t.id for t in HIDDEN[: i + 1] if lab.admit(t)
            }
            assert scanned(store.codes("b1", service)).keys() == {
                t.id for t in HIDDEN[: i + 1] if service.admit(t)
            }

    def test_words_are_known_where_a_matching_ticket_has_them(self, store):
        store.put_tickets(HIDDEN)
        asked = ["lube", "relay", "vibration", "boiler", 'q"uote', "lube"]
        assert store.known_words(asked) == {"lube", "relay", "vibration"}
        assert store.known_words(asked, Filters(groups=frozenset())) == {"vibration"}
        assert store.known_words([]) == set()

    def test_a_ticket_has_its_subject_letter_by_letter(self, store):
        texts = ["Pump trips", "pump trips", "Pump  trips", " Pump trips", "Pump trips!", "?", ""]
        several = "line\u2028line\x0b\x85\r\nline"
        long = " ".join(f"word{chr(97 + i % 26)}{'x' * (i // 26)}" for i in range(400))
        for subject in (*texts, several, long, 'a "quoted" AND (b OR c) ^*', "_id:*"):
            store.put_tickets([Ticket("one", subject, "Pump trips ?")])
            assert store.has_subject(subject)
            found = [text for text in texts if store.has_subject(text)]
            assert found == [text for text in texts if text == subject]
            assert not store.has_subject(f"{subject} and more")
            assert not store.has_subject(f"{subject}.")
        assert not store.has_subject("")

    @pytest.mark.parametrize("text", ["a" * 32_767, "ä " * 20_000, "?" * 40_000, "漢" * 11_000])
    def test_a_subject_of_any_length_is_had_letter_by_letter(self, store, text):
        lab = Filters(groups=frozenset(["lab"]))
        store.put_tickets([Ticket("one", text, groups=lab.groups), Ticket("other", f"{text}!")])
        assert store.has_subject(text) and store.has_subject(text, lab)
        assert not store.has_subject(text, Filters(groups=frozenset()))
        assert not store.has_subject(f"{text}?")

    def test_a_subject_is_found_among_any_number_of_tickets_that_say_the_same(self, store):
        lab = frozenset(["lab"])
        alike = [Ticket(f"A{i}", "pump", "pump " * 5) for i in range(600)]
        store.put_tickets([*alike, Ticket("Z", "Pump", "It trips. " * 20, groups=lab)])
        assert store.has_subject("Pump")
        assert store.has_subject("Pump", Filters(groups=lab))
        assert not store.has_subject("Pump", Filters(groups=frozenset()))
        assert not store.has_subject("PUMP")

    @filtered
    def test_filters_restrict_whose_subject_it_is(self, store, filters, ids):
        store.put_tickets(ALL)
        found = [ticket.id for ticket in ALL if store.has_subject(ticket.subject, filters)]
        assert sorted(found) == ids

    def test_a_changed_or_deleted_subject_is_no_more(self, store):
        store.put_tickets(ALL)
        store.put_tickets([replace(PUMP, subject="Pump stops")])
        store.delete_tickets(["T-10"])
        asked = ("Pump trips", "Pump stops", "Flame out", "Vibration")
        assert [x for x in asked if store.has_subject(x)] == ["Pump stops", "Vibration"]

    def test_groups_and_other_filters_must_all_hold(self, store):
        store.put_tickets(HIDDEN)
        service = frozenset(["service"])
        assert store.count_tickets(Filters(product="SGT-400", groups=service)) == 1
        assert store.count_tickets(Filters(product="SGT-800", groups=service)) == 0

    # words -----------------------------------------------------------------------------------

    def test_a_word_of_any_component_is_known_of_the_tickets_that_hold_it(self, store):
        store.put_tickets([replace(ticket, product=ticket.id) for ticket in ALL])
        words = ["vibration", "lube", "relay", "pump", "boiler"]
        assert {t.id: store.known_words(words, Filters(product=t.id)) for t in ALL} == {
            "T-2": {"lube", "relay", "pump"},
            "T-10": {"pump"},
            "A-1": {"vibration"},
        }

    @filtered
    def test_filters_restrict_the_words_that_are_known(self, store, filters, ids):
        store.put_tickets(ALL)
        own = {"lube": "T-2", "flame": "T-10", "vibration": "A-1"}
        assert store.known_words([*own], filters) == {w for w, id in own.items() if id in ids}

    def test_a_word_is_known_however_many_hold_it_that_do_not_match(self, store):
        store.put_tickets([Ticket(f"A{i}", "boom", product="other") for i in range(30)])
        assert store.known_words(["boom"], Filters(product="ours")) == set()
        store.put_tickets([Ticket("Z", "boom but further down the list", product="ours")])
        assert store.known_words(["boom"], Filters(product="ours")) == {"boom"}

    def test_a_mask_is_one_word(self, store):
        masked = Ticket("m", "error 4711 at start", product="masked")
        store.put_tickets([masked, Ticket("w", "num of tries", product="worded")])
        words = ["<num>", "num"]
        assert store.known_words(words, Filters(product="masked")) == {"<num>"}
        assert store.known_words(words, Filters(product="worded")) == {"num"}

    def test_a_changed_text_is_known_by_its_new_words_only(self, store):
        store.put_tickets([PUMP])
        store.put_tickets([replace(PUMP, solution="Swapped the breaker.")])
        assert store.known_words(["relay", "breaker"]) == {"breaker"}

    def test_of_no_words_and_of_no_tickets_none_is_known(self, store):
        assert store.known_words(["pump"]) == set()
        store.put_tickets(ALL)
        assert store.known_words([]) == set()

    @given(any_words)
    @example(['"', "\0", "a\0b", ""])
    @at_most_sixty
    def test_no_word_upsets_the_index_of_words(self, store, words):
        store.put_tickets([PUMP])
        known = store.known_words([*words, "pump"])
        assert {"pump"} <= known <= {*words, "pump"}

    def test_a_hundred_thousand_words_find_something(self, store):
        store.put_tickets(ALL)
        store.put_codes("b1", [code(ticket, 1) for ticket in ALL])
        words = ["pump", *(f"word{i}" for i in range(100_000))]
        found = store.candidates("b1", query_by(words, np.zeros(0, np.int8)))
        assert {"T-10", "T-2"} <= set(found.ids)
