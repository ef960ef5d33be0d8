"""A sentence encoder and its mixture with BM25, by hand: the encoder counts letters."""

from datetime import datetime, timedelta
from math import sqrt

import numpy as np
import pytest

from ticketing.evaluation.indexed_words import RAREST_WORDS, AllWords, IndexedWords
from ticketing.evaluation.measurement import Sample, measure_encoder
from ticketing.evaluation.peers import MOST_OF_DESCRIPTION, EncodedTexts, Mixed, whole_of
from ticketing.evaluation.runs import run_peer
from ticketing.retrieval.memory import TicketsInMemory
from ticketing.tickets import Grade, Label, Query, Ticket

NOW = datetime(2013, 6, 1)


def letters(texts):
    """Counts of a, b and c, scaled to length 1; 0 for a text without any."""
    counts = np.array([[text.count(x) for x in "abc"] for text in texts], np.float32)
    return counts / np.linalg.norm(counts, axis=1, keepdims=True).clip(1e-9)


@pytest.fixture
def tickets():
    """One has the query's letters, one its subject alone, one neither."""
    texts = {"1": ("a", "b"), "2": ("a", "c"), "3": ("", "c"), "4": ("b", "")}
    return TicketsInMemory(
        Ticket(id, subject, description, created=NOW - timedelta(int(id)))
        for id, (subject, description) in reversed(texts.items())  # as they come
    )


def test_a_whole_text_is_the_subject_and_the_first_words_of_the_description():
    assert whole_of(Query("pump", "it  leaks\nnow")) == "pump. it leaks now"
    assert whole_of(Query("", "it leaks")) == "it leaks"
    assert (
        whole_of(Ticket("1", "pump", "x " * (MOST_OF_DESCRIPTION + 9)))
        == "pump. " + "x " * 159 + "x"
    )


def test_a_likeness_is_that_of_wholes_and_half_that_of_subjects(tickets):
    """The query reads "a. b": (1, 1) / sqrt 2, and its subject "a"."""
    found = EncodedTexts(tickets, letters).likeness(Query("a", "b"))
    assert found == pytest.approx([1.5, 0.5 + 0.5, 0, 1 / sqrt(2)])
    ids, _ = EncodedTexts(tickets, letters).scores(Query("a", "b"))
    assert ids.tolist() == ["1", "2", "3", "4"]
    assert EncodedTexts(tickets, letters).likeness(Query("", "b"))[3] == pytest.approx(1)


def test_no_tickets_have_no_likeness():
    ids, scores = EncodedTexts(TicketsInMemory([]), letters).scores(Query("a"))
    assert ids.tolist() == scores.tolist() == []


def test_a_mixture_is_seven_tenths_of_one_and_three_of_the_other(tickets):
    """Standard scores of 1 and -1 where two of four are alike."""

    class Halves:
        least = -np.inf

        def __init__(self, near):
            self.tickets, self.near = tickets, near

        def scores(self, query, filters=None):
            return np.array(list("1234"), object), np.isin(list("1234"), self.near).astype(float)

    ids, scores = Mixed(Halves(["1", "2"]), Halves(["2", "3"])).scores(Query("a"))
    assert dict(zip(ids, scores, strict=True)) == pytest.approx(
        {"1": 0.4, "2": 1.0, "3": -0.4, "4": -1.0}
    )


def test_the_mixture_looks_up_all_words_of_a_query_and_bm25_only_its_rarest():
    """Two tickets share the query's commonest word alone, which a long query hides, and one shares
    none. The encoder finds all three alike: none of them has a letter that it counts."""
    rare = [f"rare{i}" for i in range(RAREST_WORDS)]
    texts = ["xyz", "pump", "pump", *rare, "xyz"]
    tickets = TicketsInMemory(Ticket(f"{i:02}", text) for i, text in enumerate(texts))
    query = Query("pump", " ".join(rare))
    words, texts = IndexedWords(tickets), EncodedTexts(tickets, letters)
    assert [words.scores(query)[1][i] > 0 for i in (0, 1, 3)] == [False, False, True]
    assert [AllWords(words).scores(query)[1][i] > 0 for i in (0, 1, 3)] == [False, True, True]
    [asked] = run_peer(Mixed(texts, AllWords(words)), [query]).values()
    assert [id for id, _ in asked][-4:] == ["01", "02", "00", "35"]

    sample = Sample([Label(query, "01", Grade.YES)], [])
    mixed = measure_encoder(letters, words, sample)[1]
    assert mixed.ranked.places[query.id]["01"][0] == len(rare) + 1


def test_a_ticket_is_found_however_unlike_it_is_but_never_the_query_itself(tickets):
    query = Query("a", "b", ticket_id="1")
    [found] = run_peer(EncodedTexts(tickets, letters), [query]).values()
    assert [id for id, _ in found] == ["2", "4", "3"], "all are older than the query"


def test_it_is_measured_alone_and_mixed_and_with_time_where_that_can_be_weighed(tickets):
    asked, other = Query("b", "", "1"), Query("a", "", "2")
    sample = Sample([Label(asked, "4", Grade.YES)], [Label(other, "4", Grade.YES)])
    lines = measure_encoder(letters, IndexedWords(tickets), sample)
    names = [line.name.removesuffix(" with time") for line in lines]
    assert list(dict.fromkeys(names)) == ["the encoder", "the encoder + BM25"]
    assert lines[0].ranked.places[asked.id]["4"][0] == 1
    words = run_peer(IndexedWords(tickets), [asked])[asked.id]
    assert [id for id, _ in words] == ["4"], "whatever order the tickets came in"
    assert "without time" in lines[0].about
