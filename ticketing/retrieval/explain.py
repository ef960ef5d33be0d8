"""Explanations of proposed tickets: reason, answer, shared topics, parts of the distance."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.reasons import SharedTopic
from ticketing.recommendations import Recommendation
from ticketing.retrieval.answers import Answers
from ticketing.retrieval.folding import Row
from ticketing.retrieval.parts import parts_of
from ticketing.retrieval.reasons import Reasons
from ticketing.text.telling import TellingWords
from ticketing.tickets import Query


class Explainer:
    """Explains proposals with one model."""

    def __init__(self, model: Model, telling: TellingWords):
        self._model = model
        self._reasons = Reasons(model, telling)
        self.answers = Answers(model)

    def explain(
        self, query: Query, encoded: EncodedQuery, rows: Sequence[Row]
    ) -> tuple[Recommendation, ...]:
        """A recommendation for each row, with those of its near-copies inside it."""
        matches = [match for row in rows for match in (row.best, *row.like)]
        reasons = self._reasons.reasons(query, encoded.words, matches)
        answers = self.answers.answers(query, matches)
        topics = shared_topics(self._model, encoded.words, [match.words for match in matches])
        width = self._model.layout.width
        codes = np.array([match.code for match in matches], np.uint8).reshape(-1, width)
        parts = parts_of(self._model, encoded, codes)
        explained = {
            match.rank: Recommendation(
                rank=match.rank,
                ticket=match.ticket,
                chance=match.chance,
                chance_related=match.chance_related,
                distance=match.distance,
                parts=own,
                topics=own_topics,
                reason=reason,
                answer=answer,
            )
            for match, reason, answer, own_topics, own in zip(
                matches, reasons, answers, topics, parts, strict=True
            )
        }
        return tuple(
            replace(explained[row.best.rank], like=tuple(explained[x.rank] for x in row.like))
            for row in rows
        )


def shared_topics(
    model: Model, query: Sequence[str], tickets: Sequence[Sequence[str]]
) -> list[tuple[SharedTopic, ...]]:
    """Topics that are active both in a query and in each of some tickets, with the tokens that are
    most typical of them. `query` and `tickets` are tokens."""
    if model.topics is None:
        return [()] * len(tickets)
    words = model.vocabulary.words
    return [
        tuple(
            SharedTopic(topic, tuple([words[id - 1] for id in loudest]), activity)
            for topic, activity, loudest in shared
        )
        for shared in model.topics.shared(*model.vocabulary.ids_of([query, *tickets]))
    ]
