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
from ticketing.stores.blocks import CodeBlock
from ticketing.text.telling import TellingWords
from ticketing.tickets import Query, Recommendation

RANDOM = 30
"""Tickets sampled for the typical distance."""


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
            if row.like
            else explained[row.best.rank]
            for row in rows
        )


def parts_of(
    model: Model, query: EncodedQuery, rows: npt.NDArray[np.uint8]
) -> list[tuple[Part, ...]]:
    """Every term of the distance, of each row of codes uint8 [n, width]; they add up to it.

    After those of the pairs come those of the whole ticket: the terms of a query's component that
    it lacks. Last comes, where the model knows a query's time and lets it count, the
    part of channel "age", which belongs to no pair of components.
    """
    settings = model.settings
    asked, told = settings.query_components, settings.ticket_components
    pairs = [(channel, p, r) for r in told for p in asked for channel in settings.channels]
    weights, terms = (  # [n, R * P * C] both
        found.swapaxes(1, 2).reshape(len(rows), len(pairs)).tolist()
        for found in _terms(model, query, rows)
    )
    columns = _columns(model, query, rows)
    parts = []
    for n in range(len(rows)):
        own = zip(pairs, weights[n], terms[n], strict=True)
        of_pairs = [Part(*pair, apart) for pair, weight, apart in own if weight >= 0]
        parts.append((*of_pairs, *[Part(*names, distances[n]) for names, distances in columns]))
    return parts


def _columns(
    model: Model, query: EncodedQuery, rows: npt.NDArray[np.uint8]
) -> list[tuple[tuple[str, str, str], list[float]]]:
    """What the parts of whole tickets are of, and their distances, a row each."""
    columns = []
    sparse, lacks = model.settings.sparse_channel, _lacks(model, query, rows)
    if sparse and lacks is not None:
        whole = "+".join(model.settings.ticket_components)
        for p, component in enumerate(model.settings.query_components):
            if query.present[p]:
                columns.append(((sparse, component, whole), lacks[:, p].tolist()))
    if (ages := _ages(model, query, rows)) is not None:
        columns.append((("age", "", ""), ages.tolist()))
    return columns


def _terms(
    model: Model, query: EncodedQuery, rows: npt.NDArray[np.uint8]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    """The weights of rows' pairs of components, and what they add to the distance: [n, P, R, C]."""
    weights = query.weights[rows[:, -1]]
    return weights, weights.astype(np.float64) * model.layout.distances(rows, query)


def _lacks(
    model: Model, query: EncodedQuery, rows: npt.NDArray[np.uint8]
) -> npt.NDArray[np.float64] | None:
    """What the terms of each of the query's components add that rows lack: [n, P]; None where the
    model does not let them count."""
    if not (model.settings.sparse_channel and query.coverage.any()):
        return None
    return query.coverage * model.layout.missing(rows, query)


def _ages(
    model: Model, query: EncodedQuery, rows: npt.NDArray[np.uint8]
) -> npt.NDArray[np.float64] | None:
    """What the time between query and rows adds: [n]; None where it does not count."""
    if not (query.time and model.recency.weight):
        return None
    minutes = model.layout.minutes(rows, np.arange(len(rows)))
    return model.recency.distances(query.time, minutes)


def typical_parts(model: Model, query: EncodedQuery, block: CodeBlock) -> dict[str, float]:
    """The mean distance by channel of RANDOM tickets, evenly spread over all that are comparable;
    nothing where there are none."""
    if not len(block.live):
        return {}
    places = np.linspace(0, len(block.live) - 1, min(RANDOM, len(block.live))).astype(int)
    rows = np.asarray(block.codes[block.live[places]])  # [n, width]
    comparable = np.any(query.weights >= 0, axis=(1, 2, 3))  # [2 ** R]
    rows = rows[comparable[rows[:, -1]]]
    if not len(rows):
        return {}
    weights, terms = _terms(model, query, rows)
    means = terms.sum((0, 1, 2), where=weights >= 0) / len(rows)  # [C]
    typical = dict(zip(model.settings.channels, means.tolist(), strict=True))
    sparse, lacks = model.settings.sparse_channel, _lacks(model, query, rows)
    if sparse and lacks is not None:
        typical[sparse] += float(lacks.sum(1).mean())
    if (ages := _ages(model, query, rows)) is not None:
        typical["age"] = float(ages.mean())
    return typical


def shared_topics(
    model: Model, asked: Sequence[str], told: Sequence[Sequence[str]]
) -> list[tuple[SharedTopic, ...]]:
    """Topics active both in a query and in each of some tickets, of which these are the tokens,
    with the tokens that speak for them most."""
    if model.topics is None:
        return [()] * len(told)
    words = model.vocabulary.words
    return [
        tuple(
            SharedTopic(topic, tuple([words[id - 1] for id in loudest]), activity)
            for topic, activity, loudest in shared
        )
        for shared in model.topics.shared(*model.vocabulary.ids_of([asked, *told]))
    ]
