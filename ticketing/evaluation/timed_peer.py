"""A baseline with a time part like a bundle's, so that a bundle's lead does not come from time
alone.

Its score is the standard score over all tickets that a query may find, minus weight * `time_apart`.
The weight is fitted as a bundle's is, on queries that are not measured.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from ticketing.evaluation.metrics import with_answers
from ticketing.evaluation.peers import Peer
from ticketing.evaluation.runs import DEPTH, Ranked, places_of
from ticketing.model.layout import minute_of
from ticketing.model.recency import MINUTES_A_DAY, Recency, time_apart
from ticketing.retrieval.memory import searchable
from ticketing.retrieval.rescoring import standard
from ticketing.retrieval.scan import nearest
from ticketing.tickets import Filters, Grade, Label, Query, grades_of, queries_of
from ticketing.training.time_weight import DatedQuery, fit_weight


class TimedPeer:
    """Ranks queries by a baseline's scores and by time; `name` is shown beside the progress."""

    def __init__(self, peer: Peer, name: str):
        self._peer, self._tickets, self._name = peer, peer.tickets, name

    def fit(self, labels: Sequence[Label]) -> Recency:
        """Fit the recency to the labels' queries; weight 0 if no time is known."""
        answered = with_answers(labels)
        queries = queries_of(answered)
        filters = searchable(self._tickets, queries)
        right = {
            id: {x for x, grade in grades.items() if grade == Grade.YES}
            for id, grades in grades_of(answered).items()
        }
        asked = tqdm(queries, desc=f"{self._name}, its time", unit="query", leave=False)
        dated = [self._dated(query, filters[query.id], right[query.id]) for query in asked]
        found = [query for query in dated if query]
        if not found:
            return Recency()
        typical = float(np.concatenate([query.times for query in found]).mean())
        return Recency(fit_weight(found), typical)

    def rank(self, labels: Sequence[Label], recency: Recency) -> Ranked:
        """Rank each query of the labels, to DEPTH. A distance is a negative standard score."""
        queries, judged = queries_of(labels), grades_of(labels)
        filters, run = searchable(self._tickets, queries), {}
        for query in tqdm(queries, desc=f"{self._name} with time", unit="query", leave=False):
            allowed = filters[query.id]
            asked = allowed.created_before
            if not query.ticket_id:
                asked = self._tickets.newest(allowed)  # as for a bundle's new query
            ids, apart = self._distances(query, allowed)
            minutes = self._tickets.minutes(allowed, query.ticket_id)
            apart = apart + recency.distances(asked, minutes)
            best = nearest(apart.astype(np.float32), DEPTH)
            run[query.id] = [(ids[i], float(apart[i])) for i in best]
        return Ranked(run, {id: places_of(found, judged[id]) for id, found in run.items()})

    def _dated(self, query: Query, filters: Filters, right: set[str]) -> DatedQuery | None:
        """A query for fitting, with its dated tickets; None if it has no time or no right
        ticket."""
        asked = minute_of(filters.created_before)
        minutes = self._tickets.minutes(filters, query.ticket_id)
        ids, texts = self._distances(query, filters)
        dated = minutes > 0
        is_right = np.array([id in right for id in ids], dtype=bool)[dated]
        if not (asked and is_right.any()):
            return None
        times = time_apart(asked, minutes[dated])
        days = (asked - minutes[dated][is_right].max()) / MINUTES_A_DAY
        return DatedQuery(texts[dated], times, is_right, float(days))

    def _distances(
        self, query: Query, filters: Filters
    ) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
        """The tickets that a query may find, and their negative standard scores."""
        ids, scores = self._peer.scores(query, filters)
        return ids, standard(-scores)
