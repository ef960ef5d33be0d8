"""Why a ticket was proposed: the telling words of the query that it has, or has in other words."""

from collections.abc import Mapping, Sequence

from ticketing.model.inference import Model
from ticketing.reasons import Reason, SharedWord
from ticketing.retrieval.alignment import Alignment, Near
from ticketing.retrieval.folding import Match
from ticketing.text.telling import TellingWords, singular
from ticketing.tickets import Query

MOST_SHARED = 5
"""Shared words that are named, those that tell most."""

MOST_WORDS = 60
"""Of the query, those that tell most; a pasted log holds thousands."""


class Reasons:
    """Finds reasons under one model."""

    def __init__(self, model: Model, telling: TellingWords):
        self._telling = telling
        self._alignment = Alignment(model, telling)

    def read(self, query: Query) -> dict[str, str]:
        """The query's telling tokens, each as it was written."""
        written = self._telling.written(query.text)
        best = sorted(written, key=lambda token: -self._telling.weight(token))[:MOST_WORDS]
        return {token: written[token] for token in best}

    def reasons(self, asked: Mapping[str, str], matches: Sequence[Match]) -> list[Reason]:
        """Why tickets were proposed to a query that `read` has read."""
        told = [self._telling.written(match.text) for match in matches]
        near = self._alignment.near(asked, {token for said in told for token in said})
        return [self._reason(asked, said, near) for said in told]

    def _reason(
        self, asked: Mapping[str, str], said: Mapping[str, str], near: Sequence[Near]
    ) -> Reason:
        forms: dict[str, list[str]] = {}
        for token in said:
            forms.setdefault(singular(token), []).append(token)
        shared: dict[str, SharedWord] = {}
        for token, written in asked.items():
            if tokens := forms.get(singular(token)):
                word = SharedWord(written, self._telling.weight(token), tuple(tokens))
                shared.setdefault(singular(token), word)
        best = sorted(shared.values(), key=lambda word: -word.weight)
        alike = self._alignment.align(
            near,
            {token: asked[token] for token in asked if singular(token) not in shared},
            {token: said[token] for token in said if singular(token) not in shared},
        )
        return Reason(tuple(best[:MOST_SHARED]), alike)
