"""Rescoring of the nearest tickets, by features computed from their codes alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ticketing.encoders.sums import unit
from ticketing.encoders.terms import BUCKETS, SUM, bucket_of
from ticketing.model.calibration import NEAREST
from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.retrieval.wording import asked_terms

CROWD = 5
"""Number of nearest neighbours that measure how crowded a ticket's surroundings are."""

MEANING = "E"
"""The channel of the feature `crowd`."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Moves:
    """How rescoring moved the nearest tickets, in their new order.

    `order` int [n] holds their former indices, by distance. `scores` float64 [k, F] are the
    `Rescorer.features` of those that may move (the first k). `distances` float64 [n] are the
    distances minus scores times `weights` [F], made non-negative and non-decreasing.
    """

    order: npt.NDArray[np.int64]
    distances: Floats
    scores: Floats
    weights: Floats

    def first(self, limit: int) -> "Moves":
        """The best `limit` tickets."""
        return Moves(self.order[:limit], self.distances[:limit], self.scores[:limit], self.weights)

    def said(self, rank: int, ahead: int | None = None, with_why: bool = True) -> str:
        """A sentence that says where the ticket at a rank (from 0) would be by distance alone, and
        why it is not there; "" if it did not move. The ticket at rank `ahead` was put before all of
        them; `ahead` is len(order) if it is another ticket."""
        before, now = int(self.order[rank]) + 1, rank + 1
        if ahead is not None:
            place = int(self.order[ahead]) if ahead < len(self.order) else ahead
            before, now = before + (place >= before), now + (ahead >= now)
        if before == now:
            return ""
        why = f": {_why(before > now, self.scores[rank], self.weights)}" if with_why else ""
        return f"By distance alone it would be number {before}{why}."


def _why(up: bool, scores: Floats, weights: Floats) -> str:
    """Why a ticket moved up or down: the feature that moved it most in that direction."""
    moved = scores * weights * (1 if up else -1)
    most = int(moved.argmax())
    if moved[most] <= 0:
        return OTHERS_DOWN if up else OTHERS_UP
    return (HIGH if scores[most] > 0 else LOW)[most]


HIGH = (
    "for its length, its problem has more of the query’s telling words",
    "its subject says little but what the query says",
    "few of those found are like it",
)
"""What a score above the mean says about a ticket, in the order of `Rescoring`."""

LOW = (
    "for its length, its problem has fewer of the query’s telling words",
    "its subject says other things too",
    "many of those found are like it",
)
OTHERS_UP = "others moved past it"
OTHERS_DOWN = "others fell behind it"


def unmoved(distances: npt.NDArray[np.float32]) -> Moves:
    """Distances float32 [n], nearest first, without any move."""
    order, apart = np.arange(len(distances)), distances.astype(np.float64)
    return Moves(order, apart, np.zeros((len(distances), 0)), np.zeros(0))


class Rescorer:
    """Rescores with one model."""

    def __init__(self, model: Model):
        self._model = model

    def __call__(
        self,
        query: EncodedQuery,
        rows: npt.NDArray[np.uint8],
        distances: npt.NDArray[np.float32],
    ) -> Moves:
        """Reorder tickets that are given nearest first. `rows` uint8 [n, width] are the codes of
        those that may move, `distances` float32 [all]. The others stay behind them."""
        scores, weights = self.features(query, rows), self._model.rescoring.weights
        near = distances[: len(rows)] - (scores * weights).sum(1)
        order = np.argsort(near, kind="stable")
        rest = np.arange(len(rows), len(distances))
        found = np.concatenate([near[order], distances[rest]])
        apart = np.maximum.accumulate(np.maximum(found, 0))
        return Moves(np.concatenate([order, rest]), apart, scores[order], weights)

    def features(self, query: EncodedQuery, rows: npt.NDArray[np.uint8]) -> Floats:
        """The features that `Rescoring` weights, as standard scores over the rows: float64 [n, F].
        With fewer than NEAREST rows they are scaled down: what is rare among ten tickets may be
        common elsewhere."""
        columns = np.stack([*self._words(asked_terms(query), rows), self._crowd(rows)])
        return np.ascontiguousarray(standard(columns).T) * min(len(rows) / NEAREST, 1.0)

    def _words(self, terms: Sequence[str], rows: npt.NDArray[np.uint8]) -> tuple[Floats, Floats]:
        """The features `shared` and `subject`; zeros without channel L."""
        if not self._model.layout.terms:
            return np.zeros(len(rows)), np.zeros(len(rows))
        idf = np.zeros(BUCKETS, np.float32)
        telling = np.array(self._model.term_counts.idf(terms), np.float32)
        np.maximum.at(idf, np.array([bucket_of(term) for term in terms], np.int64), telling)
        buckets, weights = self._model.layout.kept_terms(rows)  # [n, R, T]
        subject = (weights[:, 0] * (idf[buckets[:, 0]] > 0)).sum(1) / SUM
        problem = np.sort(buckets[:, self._problem].reshape(len(rows), -1))
        once = problem > 0  # bucket 0 means no term
        once[:, 1:] &= problem[:, 1:] != problem[:, :-1]
        shared = (idf[problem] * once).sum(1) / np.sqrt(np.maximum(once.sum(1), 1))
        return shared.astype(np.float64), subject

    def _crowd(self, rows: npt.NDArray[np.uint8]) -> Floats:
        """The feature `crowd`; zeros without channel E."""
        settings, layout = self._model.settings, self._model.layout
        if MEANING not in settings.dense_channels:
            return np.zeros(len(rows))
        channel = settings.dense_channels.index(MEANING)
        vectors = layout.channel(layout.dense(rows)[:, self._problem], channel)  # [n, of R, dims]
        vectors = unit(vectors)
        vectors[(rows[:, -1, None] >> np.array(self._problem, np.uint8)) & 1 == 0] = 0  # missing
        problem = unit(vectors.sum(1, dtype=float))  # [n, dims]
        alike = problem @ problem.T
        np.fill_diagonal(alike, 0)
        alike.sort()
        crowd: Floats = alike[:, -CROWD:].mean(1)
        return -crowd

    @property
    def _problem(self) -> list[int]:
        """Indices of the components that describe the problem, that is, all but the solution."""
        names = self._model.settings.ticket_components
        return [place for place, name in enumerate(names) if name != "SOL2"]


def standard(values: Floats) -> Floats:
    """Standard scores of values [n], or of each row of values [F, n]; zeros where all values are
    equal."""
    if not values.size:
        return values
    centred = values - values.mean(-1, keepdims=True)
    spread = centred.std(-1, keepdims=True)
    scaled: Floats = np.where(spread > 1e-9, centred / np.maximum(spread, 1e-9), 0.0)
    return scaled
