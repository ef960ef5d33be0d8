"""Words in memory are searched as a store searches them."""

from unittest.mock import patch

import pytest

from ticketing.evaluation import indexed_words
from ticketing.evaluation.indexed_words import RAREST_WORDS, IndexedWords
from ticketing.evaluation.runs import run_peer
from ticketing.retrieval.memory import TicketsInMemory
from ticketing.stores.sqlite import SQLiteStore
from ticketing.stores.sqlite.tickets import RAREST_WORDS as OF_A_STORE
from ticketing.text import tokenize
from ticketing.tickets import Query, Ticket


def test_scores_and_order_are_those_of_sqlite(archive_tickets, tmp_path):
    """A word of every ticket, one of none, and more words than are looked up."""
    assert RAREST_WORDS == OF_A_STORE
    store, words = SQLiteStore(tmp_path), IndexedWords(TicketsInMemory(archive_tickets))
    store.put_tickets(archive_tickets)
    long = Query("no such wordless", " ".join(t.description for t in archive_tickets[:9]))
    for query in (long, *(Query(t.subject, t.description) for t in archive_tickets[:5])):
        found = [(id, -score) for id, score in run_peer(words, [query])[query.id]]
        stored = store.search_words(tokenize(query.text), len(found))
        assert [id for id, _ in found] == [id for id, _ in stored]
        factor = stored[0][1] / found[0][1]  # SQLite multiplies all by k1 + 1
        assert [factor * score for _, score in found] == pytest.approx([s for _, s in stored])
    store.close()


def test_tokens_are_those_that_a_store_keeps_of_the_same_tickets(tmp_path):
    """One has changed there since, another has gone: they are as they were when they were read."""
    tickets = [Ticket("1", "pump leaks"), Ticket("2", "pump stuck"), Ticket("3", "pump hums")]
    store = SQLiteStore(tmp_path)
    store.put_tickets([tickets[0], Ticket("2", "valve shut")])
    words, queries = IndexedWords(TicketsInMemory(tickets), store), [Query("pump"), Query("stuck")]
    with patch.object(indexed_words, "tokenize", side_effect=tokenize) as found:
        runs = run_peer(words, queries)
    assert [call.args[0] for call in found.call_args_list if "pump " in call.args[0]] == [
        tickets[1].text,
        tickets[2].text,
    ]
    assert {id for id, _ in runs[queries[0].id]} == {"1", "2", "3"}
    assert [id for id, _ in runs[queries[1].id]] == ["2"]
    store.close()


def test_nothing_is_found_where_there_is_nothing():
    query = Query("pump")
    assert run_peer(IndexedWords(TicketsInMemory([])), [query]) == {query.id: []}
