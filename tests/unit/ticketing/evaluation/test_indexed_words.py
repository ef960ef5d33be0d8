"""Words in memory are searched as a store searches them."""

import pytest

from ticketing.evaluation.indexed_words import RAREST_WORDS, IndexedWords
from ticketing.evaluation.runs import run_words
from ticketing.retrieval.memory import TicketsInMemory
from ticketing.stores.sqlite import SQLiteStore
from ticketing.stores.sqlite.tickets import RAREST_WORDS as OF_A_STORE
from ticketing.text import tokenize
from ticketing.tickets import Query


def test_scores_and_order_are_those_of_sqlite(archive_tickets, tmp_path):
    """A word of every ticket, one of none, and more words than are looked up."""
    assert RAREST_WORDS == OF_A_STORE
    store, words = SQLiteStore(tmp_path), IndexedWords(TicketsInMemory(archive_tickets))
    store.put_tickets(archive_tickets)
    long = Query("no such wordless", " ".join(t.description for t in archive_tickets[:9]))
    for query in (long, *(Query(t.subject, t.description) for t in archive_tickets[:5])):
        found = [(id, -score) for id, score in run_words(words, [query])[query.id]]
        stored = store.search_words(tokenize(query.text), len(found))
        assert [id for id, _ in found] == [id for id, _ in stored]
        factor = stored[0][1] / found[0][1]  # SQLite multiplies all by k1 + 1
        assert [factor * score for _, score in found] == pytest.approx([s for _, s in stored])
    store.close()


def test_nothing_is_found_where_there_is_nothing():
    query = Query("pump")
    assert run_words(IndexedWords(TicketsInMemory([])), [query]) == {query.id: []}
