"""What topics are learned from: all of a small archive, evenly spaced tickets of a large one."""

import pytest

from tests.tiny import TINY, tiny_training
from ticketing.training import pretraining
from ticketing.training.corpus import read_corpus
from topic_models import DocNADE


@pytest.fixture
def corpus(archive_tickets, tmp_path):
    return read_corpus(archive_tickets, [], TINY, tmp_path)


@pytest.fixture
def learned_from(corpus, monkeypatch, tmp_path):
    """Gives the documents that topics are learned from, and stopped on."""

    def fit(self, learned, kept, **_):
        documents.extend([*learned, *(kept or ())])

    documents = []
    monkeypatch.setattr(DocNADE, "fit", fit)

    def find():
        documents.clear()
        pretraining.learn_topics(corpus, TINY, tiny_training(), tmp_path / "topics")
        return [document.tolist() for document in documents]

    return find


def test_topics_are_learned_from_evenly_spaced_tickets_of_many(learned_from, monkeypatch):
    whole = learned_from()
    assert len(whole) == 40
    monkeypatch.setattr(pretraining, "MOST_TOPIC_TICKETS", 20)
    assert len(learned_from()) == 14


def test_topics_are_learned_from_no_more_words_than_vectors_are(learned_from, corpus, monkeypatch):
    """However long an archive's tickets are."""
    whole, words = learned_from(), corpus.texts.words
    monkeypatch.setattr(pretraining, "MOST_SEEN", words + 1)
    assert learned_from() == whole
    monkeypatch.setattr(pretraining, "MOST_SEEN", words // 2)
    some = learned_from()
    assert len(some) == 14 and sum(map(len, some)) <= words // 2
    assert all(document in whole for document in some)
