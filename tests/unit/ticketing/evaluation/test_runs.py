"""Whom a query is matched against, and rankings by words."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.rankings import Ranks
from ticketing.evaluation.indexed_words import IndexedWords
from ticketing.evaluation.runs import DEPTH, in_memory, rank_labelled, run_peer, run_queries
from ticketing.model.inference import Model
from ticketing.retrieval.memory import EncodedTickets, TicketsInMemory
from ticketing.retrieval.ranking import Best, Compared
from ticketing.retrieval.rescoring import unmoved
from ticketing.retrieval.scan import nearest
from ticketing.stores.blocks import CodeBlock, CodeRow
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import Filters, Grade, Label, Query


def test_a_query_that_is_a_ticket_is_matched_against_no_younger_ones(store):
    recommender = Ranks(store, "A")
    queries = [Query("pump trip", ticket_id="B"), Query("pump"), Query("x", ticket_id="D")]
    run = run_queries(recommender, queries)
    assert set(run) == {query.id for query in queries}
    before = Filters(created_before=datetime(2013, 1, 1, 0, 0, 0, 1))  # exclusive
    assert [filters for _, filters in recommender.asked] == [before, Filters(), Filters()]


def test_words_are_ranked_best_first_without_the_ticket_itself_or_younger_ones(store):
    own, free = Query("pump trip", ticket_id="C"), Query("trip")
    run = run_peer(IndexedWords(TicketsInMemory(list(store.iter_tickets()))), [own, free])
    assert [id for id, _ in run[own.id]] == ["A", "B"]
    assert [id for id, _ in run[free.id]] == ["A", "C"]
    assert all(distance < 0 for found in run.values() for _, distance in found)


class Growing(EncodedTickets):
    """A store to which a ticket comes, and is encoded, while the others are read."""

    def iter_tickets(self):
        return iter([*self][1:])

    def stale_ids(self, bundle_id):
        return []


def test_a_ticket_that_comes_meanwhile_is_left_out(model, archive_tickets):
    store = Growing(archive_tickets, model.encode_tickets(archive_tickets))
    first, *others = sorted(ticket.id for ticket in archive_tickets)
    assert first == store.ids[0]
    copied = in_memory(store, model).store
    assert [ticket.id for ticket in copied] == others
    expected = store.codes(model.id).codes[store.codes(model.id).live[1:]]
    block = copied.codes(model.id)
    assert (block.codes[block.live] == expected).all()
    assert np.shares_memory(block.codes, store.codes(model.id).codes), "codes are not copied"


def rows_of(tickets, codes):
    """As a store takes codes of tickets."""
    return [
        CodeRow(ticket.id, ticket.version, code.tobytes(), None)
        for ticket, code in zip(tickets, codes, strict=True)
    ]


@pytest.mark.parametrize("coded", [0, 37, 40])
def test_tickets_that_lack_codes_are_encoded_and_no_others(
    model, archive_tickets, tmp_path, monkeypatch, coded
):
    """One of them lacks fresh ones, since its text is another by now; ids do not stand in the order
    in which codes came."""
    first, *others = archive_tickets
    tickets = [replace(first, subject="Unit trips again"), *others]
    store = SQLiteStore(tmp_path)
    store.put_tickets(archive_tickets)
    some = archive_tickets[:coded][::-1]
    store.put_codes(model.id, rows_of(some, model.encode_tickets(some) if some else []))
    store.put_tickets(tickets[:1] if coded < 40 else [])
    wanted = sorted(tickets if coded < 40 else archive_tickets, key=lambda ticket: ticket.id)
    expected, encode, read = model.encode_tickets(wanted), Model.encode_tickets, []

    def counted(self, tickets, texts=None):
        read.extend(ticket.id for ticket in tickets)
        return encode(self, tickets, texts)

    monkeypatch.setattr(Model, "encode_tickets", counted)
    copied = in_memory(store, model).store
    lacking = {0: archive_tickets, 37: [first, *archive_tickets[37:]], 40: []}[coded]
    assert sorted(read) == sorted(ticket.id for ticket in lacking)
    assert [*copied] == wanted
    block = copied.codes(model.id)
    assert [*block.ids] == [ticket.id for ticket in wanted]
    assert (block.codes[block.live] == expected).all()
    store.close()


class Apart:
    """A recommender of given distances to given tickets."""

    def __init__(self, store, ids, distances):
        self.store, self.ids, self.apart = store, ids, distances

    def compare(self, query, filters):
        block = CodeBlock(np.zeros((0, 0), np.uint8), np.arange(len(self.ids)), self.ids)
        return Compared(None, block, block, self.apart)

    def best(self, compared, limit):
        places = nearest(compared.distances, limit)
        apart = compared.distances[places]
        return Best(compared, places, apart, unmoved(apart))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # it is only read
@given(st.lists(st.sampled_from([0.5, 1.0, 1.5, np.inf]), min_size=1, max_size=150))
def test_places_are_those_in_the_list_of_all(store, values):
    distances, ids = np.array(values, np.float32), [f"T{i:03}" for i in range(len(values))]
    query = Query("pump")
    labels = [Label(query, id, Grade.YES) for id in [*ids, "unknown"]]
    listed = sorted((x, id) for x, id in zip(values, ids, strict=True) if x < np.inf)
    ranked = rank_labelled(Apart(store, ids, distances), labels, "apart")
    assert ranked.run[query.id] == [(id, x) for x, id in listed[:DEPTH]]
    assert ranked.places[query.id] == {id: (i, x) for i, (x, id) in enumerate(listed, 1)}
