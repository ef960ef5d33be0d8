"""The words that are named as the reason of a proposal."""

import numpy as np

from tests.unit.ticketing.retrieval.words import word_model
from ticketing.retrieval.folding import Match
from ticketing.retrieval.reasons import Reasons
from ticketing.text.telling import TellingWords
from ticketing.tickets import Query, Ticket

WORDS = ["pump", "valve", "rotor", "flame", "nozzle", "gasket"]


def test_of_six_shared_words_the_five_that_tell_most_are_named():
    """The first one is in most tickets, the last in the fewest."""
    counts = {word: 60 - 10 * place for place, word in enumerate(WORDS)}
    model = word_model({word: (1, 0, 0, 0) for word in WORDS}, counts=counts)
    ticket = Ticket("T", " ".join(WORDS))
    match = Match(1, ticket, np.zeros(1, np.uint8), 0.5, 0.5, 0.5)
    reasons = Reasons(model, TellingWords(model.vocabulary))
    [reason] = reasons.reasons(Query(ticket.subject), WORDS, [match])
    assert [word.word for word in reason.shared] == WORDS[:0:-1]
