"""Words in memory are searched as SQLite searches them."""

import sqlite3
from unittest.mock import patch

import pytest

from ticketing.evaluation import indexed_words
from ticketing.evaluation.indexed_words import RAREST_WORDS, IndexedWords
from ticketing.evaluation.runs import run_peer
from ticketing.retrieval.memory import TicketsInMemory
from ticketing.stores.sqlite import SQLiteStore
from ticketing.text import tokenize
from ticketing.tickets import Query, Ticket


def by_sqlite(store, words, limit):
    """BM25 (k1 1.2, b 0.75) over the rarest of words in a store's index: ids and scores, best
    first, ties by id."""
    index = sqlite3.connect(store.database.path)
    index.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'words', 'row')")
    asked = list(dict.fromkeys(words))
    among = f"term IN ({', '.join('?' * len(asked))})"
    rarest = index.execute(
        f"SELECT term FROM vocabulary WHERE {among} ORDER BY doc, term LIMIT ?",
        (*asked, RAREST_WORDS),
    ).fetchall()
    found = index.execute(
        "SELECT tickets.id, -bm25(words) AS score FROM words"
        " JOIN tickets ON tickets.pk = words.rowid"
        " WHERE words MATCH ? ORDER BY score DESC, tickets.id LIMIT ?",
        (" OR ".join('"' + term.replace('"', '""') + '"' for (term,) in rarest), limit),
    ).fetchall()
    index.close()
    return found


def test_scores_and_order_are_those_of_sqlite(archive_tickets, tmp_path):
    """A word of every ticket, one of none, and more words than are looked up."""
    store, words = SQLiteStore(tmp_path), IndexedWords(TicketsInMemory(archive_tickets))
    store.put_tickets(archive_tickets)
    long = Query("no such wordless", " ".join(t.description for t in archive_tickets[:9]))
    for query in (long, *(Query(t.subject, t.description) for t in archive_tickets[:5])):
        found = [(id, -score) for id, score in run_peer(words, [query])[query.id]]
        stored = by_sqlite(store, tokenize(query.text), len(found))
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
