"""Words that tickets have are read from their codes."""

import numpy as np

from ticketing.encoders.terms import TermCounts, bucket_of, terms_of
from ticketing.retrieval.wording import wording_of
from ticketing.tickets import Ticket

TOLD = [
    Ticket("A", "Vibration of the generator", "", ""),
    Ticket("B", "Gas valve", "Generator tripped", "xyzzyx replaced"),
]


def read(model, words, tickets):
    rows = model.encode_tickets(tickets)
    return wording_of(sorted(terms_of(words)), rows, model.layout, TermCounts(model.vocabulary))


def test_a_word_is_held_in_whichever_component_and_form(model):
    """Terms are sorted: "generators" is the term "genera", "xyzzyx" no archive knows."""
    found = read(model, ["Xyzzyx".lower(), "generators", "generator", "<n>", "pump"], TOLD)
    assert found.held.tolist() == [[True, False, False], [True, False, True]]
    assert found.counts[0] > 0 == found.counts[2]
    assert found.documents == model.vocabulary.documents


def test_words_that_share_a_bucket_are_held_alike(model):
    """Codes keep buckets: whether a ticket has "act" or "afa" cannot be told."""
    assert bucket_of("act") == bucket_of("afa")
    found = read(model, ["act", "afa", "pump"], [Ticket("A", "act", "", "")])
    assert found.held.tolist() == [[True, True, False]]


def test_without_tickets_or_words_nothing_is_held(model):
    width = model.layout.width
    none = wording_of(
        ["pump"], np.zeros((0, width), np.uint8), model.layout, TermCounts(model.vocabulary)
    )
    assert none.held.shape == (0, 1) and read(model, [], TOLD).held.shape == (2, 0)
