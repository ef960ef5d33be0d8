"""The words that are named as the reason of a proposal."""

import numpy as np

from tests.unit.ticketing.retrieval.words import word_model
from ticketing.retrieval.match import Match
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


def test_codes_that_both_name_are_said_those_first_that_few_tickets_name():
    """All name the product; "5" is too short to say anything, and 1604 is not 1603."""
    model = word_model({"pump": (1, 0, 0, 0)}, counts={})
    texts = ("GT-320 error 5", "gt-320 stops with error 1603, 5", "GT-320: 1604")
    matches = [
        Match(rank, Ticket(str(rank), text), np.zeros(1, np.uint8), 0.5, 0.5, 0.5)
        for rank, text in enumerate(texts, 1)
    ]
    query = Query("GT-320 pump error 1603", "5 times")
    reasons = Reasons(model, TellingWords(model.vocabulary)).reasons(query, ["pump"], matches)
    assert [reason.named for reason in reasons] == [("GT-320",), ("1603", "GT-320"), ("GT-320",)]
