"""The words that speak for a proposal: those that query and ticket share."""

from ticketing.model.inference import Model
from ticketing.reasons import Reason, SharedWord
from ticketing.text.telling import TellingWords, singular
from ticketing.tickets import Query, Ticket

MOST_SHARED = 5
"""Shared words that are named, those that tell most."""


class Reasons:
    """Finds reasons under one model."""

    def __init__(self, model: Model):
        self.telling = TellingWords(model.vocabulary)

    def read(self, query: Query) -> dict[str, str]:
        """The query's telling tokens, each as it was written."""
        return self.telling.written(query.text)

    def reason(self, asked: dict[str, str], ticket: Ticket) -> Reason:
        """Why a ticket was proposed to a query that `read` has read."""
        said = self.telling.written(ticket.text)
        forms: dict[str, list[str]] = {}
        for token in said:
            forms.setdefault(singular(token), []).append(token)
        shared: dict[str, SharedWord] = {}
        for token, written in asked.items():
            if tokens := forms.get(singular(token)):
                word = SharedWord(written, self.telling.weight(token), tuple(tokens))
                shared.setdefault(singular(token), word)
        best = sorted(shared.values(), key=lambda word: -word.weight)
        return Reason(tuple(best[:MOST_SHARED]))
