"""The codes that a process holds beside an Elasticsearch are those that are there."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from elastic_transport import Transport
from hypothesis import example, given

from tests.contract.contract_examples import (
    ALL,
    BARE,
    FLAME,
    PUMP,
    any_words,
    at_most_sixty,
    code,
    scanned,
)
from tests.contract.elasticsearch_rows import forged
from tests.examples import query_by
from ticketing.stores import open_store
from ticketing.stores.elasticsearch import mirrors
from ticketing.stores.elasticsearch.candidates import RAREST_WORDS
from ticketing.tickets import Filters, Ticket

pytestmark = pytest.mark.elasticsearch

EVERY = query_by(["pump", "printer", "mail"], np.zeros(0, np.int8))


@pytest.fixture
def store(elasticsearch_store):
    return elasticsearch_store


@pytest.fixture
def sent(monkeypatch):
    """The bodies of the requests that are sent."""
    bodies, send = [], Transport.perform_request

    def watching(self, *arguments, **options):
        bodies.append(str(options["body"]))
        return send(self, *arguments, **options)

    monkeypatch.setattr(Transport, "perform_request", watching)
    return bodies


def fill(store, tickets=ALL):
    store.put_tickets(tickets)
    store.put_codes("b1", [code(ticket, 1) for ticket in tickets])
    store.set_serving("b1")


def held(store, filters=Filters()):
    """What a process holds, once that is all."""
    store.candidates("b1", EVERY, filters)
    if store.mirrors.filling:
        store.mirrors.filling.join()
    found = store.candidates("b1", EVERY, filters)
    assert "b1" in store.mirrors
    return scanned(found)


def searched(store):
    """What is found by words, where not all is held."""
    found = store.candidates("b1", query_by(["pump"], np.zeros(0, np.int8)))
    assert found.of == 3
    return list(found.ids)


@pytest.mark.parametrize("shards", [1, 3])
def test_what_is_held_follows_all_that_other_processes_do(elasticsearch_settings, shards):
    settings = elasticsearch_settings.model_copy(update={"store_shards": shards})
    here, there = open_store(settings), open_store(settings)

    def agree(**filters):
        found = held(here, Filters(**filters))
        assert found == scanned(there.codes("b1", Filters(**filters)))
        return found

    some = [Ticket(f"m{i:03}", "x") for i in range(450)]
    fill(there, [*ALL, *some])
    assert len(agree()) == 453
    there.delete_tickets([PUMP.id, *(ticket.id for ticket in some[::3])])
    assert len(agree()) == 302
    other = [replace(ticket, subject="y") for ticket in some[1::7]]
    there.put_tickets(other)
    there.put_codes("b1", [code(ticket, 9) for ticket in other])
    assert 9 in agree().values()
    there.put_tickets([replace(BARE, status="shut", groups=frozenset(["lab"]))])
    assert agree(status="shut") == {BARE.id: 1}
    assert BARE.id not in agree(groups=frozenset(["office"]))
    assert agree(groups=frozenset(["lab"])) == agree()
    there.put_tickets([replace(FLAME, solution="Cleaned can 3.")])
    there.put_codes("b1", [code(replace(FLAME, solution="Cleaned can 3."), 7)])
    assert agree(has_solution=True) == {FLAME.id: 7}


def test_codes_that_were_dropped_and_built_anew_are_not_taken_for_those_before(store):
    fill(store)
    assert set(held(store).values()) == {1}
    for width in (4, 9):
        store.set_serving("b2")
        store.drop_codes("b1")
        assert scanned(store.candidates("b1", EVERY)) == {}
        store.put_codes("b1", [code(ticket, width, width=width) for ticket in ALL])
        store.set_serving("b1")
        assert set(held(store).values()) == {width}


def test_an_answer_is_one_request_for_what_is_held_and_reads_nothing(store, sent):
    fill(store)
    first = held(store)
    sent.clear()
    assert held(store) == first
    assert len(sent) == 2  # both times
    assert not any("'code'" in body for body in sent)


def test_one_change_reads_one_row(store, sent):
    fill(store)
    held(store)
    changed = replace(PUMP, subject="Pump leaks")
    store.put_tickets([changed])
    store.put_codes("b1", [code(changed, 8)])
    sent.clear()
    assert scanned(store.candidates("b1", EVERY))[PUMP.id] == 8
    assert len([body for body in sent if "'code'" in body]) == 1


def test_candidates_are_searched_for_until_all_codes_were_read_in_the_background(
    store, monkeypatch
):
    monkeypatch.setattr(mirrors, "FEW", 2)
    fill(store)
    assert searched(store) == ["T-10", "T-2"]
    assert set(held(store)) == {ticket.id for ticket in ALL}


def test_candidates_of_many_tickets_are_one_request(store, monkeypatch, sent):
    monkeypatch.setattr(mirrors, "MOST", 2)
    fill(store)
    sent.clear()
    assert searched(store) == ["T-10", "T-2"]
    assert len(sent) == 1


def near_in_words(store, words):
    return store.candidates("b1", query_by(words, np.zeros(0, np.int8))).ids


def test_the_rarer_word_and_the_shorter_ticket_are_nearer(store, monkeypatch):
    monkeypatch.setattr(mirrors, "MOST", 2)
    rare = [Ticket("rare", "zebra pump"), Ticket("long", "zebra pump and so on")]
    fill(store, [*rare, *(Ticket(f"P{i}", "common pump") for i in range(5))])
    for by_words, nearest in ((1, {"rare"}), (2, {"rare", "long"})):
        monkeypatch.setattr(store, "by_words", by_words)
        found = store.candidates("b1", query_by(["zebra", "pump"], np.zeros(0, np.int8)), limit=1)
        assert set(found.ids) == nearest


def test_of_a_long_query_the_rarest_words_count_and_each_once(store, monkeypatch):
    monkeypatch.setattr(mirrors, "MOST", 2)
    rare = [f"rare{'x' * i}" for i in range(RAREST_WORDS)]
    fill(store, [*(Ticket(f"P{i}", "pump") for i in range(5)), Ticket("R", " ".join(rare))])
    assert list(near_in_words(store, ["pump"] * 50 + rare)) == ["R"]
    assert len(near_in_words(store, ["pump"] * 50 + rare[1:])) == 6


@given(any_words)
@example(['"', "\0", "a\0b", ""])
@at_most_sixty
def test_no_word_upsets_the_search(store, words):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(ticket, 1) for ticket in ALL])
    with patch.object(mirrors, "MOST", 2):
        assert {"T-10", "T-2"} <= set(near_in_words(store, [*words, "pump"]))


def test_a_hundred_thousand_words_are_searched_for(store, monkeypatch):
    monkeypatch.setattr(mirrors, "MOST", 2)
    fill(store)
    words = ["pump", *(f"word{i}" for i in range(100_000))]
    assert list(near_in_words(store, words)) == ["T-10", "T-2"]


def test_no_words_and_unknown_words_find_nothing(store, monkeypatch):
    monkeypatch.setattr(mirrors, "MOST", 2)
    fill(store)
    for words in ([], ["boiler"]):
        assert list(near_in_words(store, words)) == []


def test_codes_of_an_older_program_are_searched_for(store):
    fill(store)
    forged(store, PUMP.id, stamp=None)
    assert searched(store) == ["T-10", "T-2"]


def test_damaged_codes_are_held_as_such_until_they_are_put_again(store, sent):
    fill(store)
    forged(store, PUMP.id, checksum=7)
    assert set(held(store)) == {ticket.id for ticket in ALL} - {PUMP.id}
    assert store.damaged_codes("b1") == [PUMP.id]
    sent.clear()
    held(store)
    assert len(sent) == 2
    store.forget_codes("b1", [PUMP.id])
    store.put_codes("b1", [code(PUMP, 4)])
    assert held(store)[PUMP.id] == 4
    assert store.damaged_codes("b1") == []
