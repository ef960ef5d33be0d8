"""What a person needs to check a proposal: reason, answer, topics, parts of the distance."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.reasons import Part, SharedTopic
from ticketing.retrieval.answers import Answers
from ticketing.retrieval.folding import Row
from ticketing.retrieval.reasons import Reasons
from ticketing.stores.protocols import CodeBlock
from ticketing.text import tokenize
from ticketing.text.telling import TellingWords
from ticketing.tickets import Query, Recommendation

RANDOM = 30
"""Tickets whose mean distance is a usual one."""


class Explainer:
    """Explains the proposals of one model."""

    def __init__(self, model: Model, telling: TellingWords):
        self._model = model
        self._reasons = Reasons(model, telling)
        self.answers = Answers(model)

    def explain(
        self, query: Query, encoded: EncodedQuery, rows: Sequence[Row]
    ) -> tuple[Recommendation, ...]:
        """A recommendation a row, those of its near-copies within it."""
        asked, words = self._reasons.read(query), tokenize(query.text)
        matches = [match for row in rows for match in (row.best, *row.like)]
        reasons = self._reasons.reasons(asked, matches)
        answers = self.answers.answers(query, [match.ticket for match in matches])
        explained = {
            match.rank: Recommendation(
                rank=match.rank,
                ticket=match.ticket,
                chance=match.chance,
                chance_related=match.chance_related,
                distance=match.distance,
                parts=parts_of(self._model, encoded, match.code),
                topics=shared_topics(self._model, words, match.all_words),
                reason=replace(reason, by_id=match.by_id),
                answer=answer,
            )
            for match, reason, answer in zip(matches, reasons, answers, strict=True)
        }
        return tuple(
            replace(explained[row.best.rank], like=tuple(explained[x.rank] for x in row.like))
            for row in rows
        )


def parts_of(model: Model, query: EncodedQuery, row: npt.NDArray[np.uint8]) -> tuple[Part, ...]:
    """Every term of the distance for one row of codes uint8 [width]; they add up to it.

    After those of the pairs come those of the whole ticket: the terms of a query's component that
    it lacks. Last comes, where the model knows a query's time and lets it count, the
    part of channel "age", which belongs to no pair of components.
    """
    weights, terms = _terms(model, query, row)  # [P, R, C] both
    parts = [
        Part(channel, query_component, ticket_component, float(terms[p, r, c]))
        for r, ticket_component in enumerate(model.settings.ticket_components)
        for p, query_component in enumerate(model.settings.query_components)
        for c, channel in enumerate(model.settings.channels)
        if weights[p, r, c] >= 0
    ]
    if (sparse := model.settings.sparse_channel) and query.coverage.any():
        whole = "+".join(model.settings.ticket_components)
        lacks = query.coverage * model.layout.missing(row, query)  # [P]
        parts += [
            Part(sparse, component, whole, float(lacks[p]))
            for p, component in enumerate(model.settings.query_components)
            if query.present[p]
        ]
    if query.time and model.recency.weight:
        minutes = model.layout.minutes(row[None], np.array([0]))
        parts.append(Part("age", "", "", float(model.recency.distances(query.time, minutes)[0])))
    return tuple(parts)


def _terms(
    model: Model, query: EncodedQuery, row: npt.NDArray[np.uint8]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    """The weights of a row's pairs of components, and what they add to the distance: [P, R, C]."""
    weights = query.weights[row[-1]]
    return weights, weights.astype(np.float64) * model.layout.distances(row, query)


def typical_parts(model: Model, query: EncodedQuery, block: CodeBlock) -> dict[str, float]:
    """The mean distance by channel of RANDOM tickets, evenly spread over all that are comparable;
    nothing where there are none."""
    places = np.linspace(0, len(block.live) - 1, min(RANDOM, len(block.live))).astype(int)
    rows = np.asarray(block.codes[block.live[places]])  # [n, width]
    comparable = np.any(query.weights >= 0, axis=(1, 2, 3))  # [2 ** R]
    rows = rows[[bool(comparable[row[-1]]) for row in rows]]
    if not len(rows):
        return {}
    totals = np.zeros(len(model.settings.channels))
    for row in rows:
        weights, terms = _terms(model, query, row)
        totals += terms.sum((0, 1), where=weights >= 0)
    typical = dict(zip(model.settings.channels, totals / len(rows), strict=True))
    if (sparse := model.settings.sparse_channel) and query.coverage.any():
        lacks = [query.coverage @ model.layout.missing(row, query) for row in rows]
        typical[sparse] += float(np.mean(lacks))
    if query.time and model.recency.weight:
        minutes = model.layout.minutes(rows, np.arange(len(rows)))
        typical["age"] = float(model.recency.distances(query.time, minutes).mean())
    return {channel: float(distance) for channel, distance in typical.items()}


def shared_topics(
    model: Model, query_tokens: list[str], ticket_tokens: list[str]
) -> tuple[SharedTopic, ...]:
    """Topics active in both query and ticket, with the tokens that speak for them most."""
    topics = model.topics
    if topics is None:
        return ()
    said, found = model.vocabulary.ids(query_tokens), model.vocabulary.ids(ticket_tokens)
    shared = topics.shared(said, found)
    return tuple(
        SharedTopic(topic, tuple(model.vocabulary.words[id - 1] for id in words), activity)
        for topic, activity, words in shared
    )
