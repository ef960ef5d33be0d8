"""The queries that tickets solved according to the judgments, kept up to date."""

import threading
from itertools import chain, islice

from ticketing.labels import derive_labels
from ticketing.model.inference import Model
from ticketing.retrieval.solved import Solved, solved_of
from ticketing.stores.protocols import Judgments
from ticketing.tickets import Judgment, Label

FEW = 100
"""Up to this many new judgments are read query by query; if there are more, all judgments are read
again."""

NONE = 0, ""


class SolvedQueries:
    """The solved queries encoded with a model, up to date at each call."""

    def __init__(self, model: Model, store: Judgments):
        self._model, self._store = model, store
        self._following = threading.Lock()
        self._last = NONE
        self._labels: dict[str, list[Label]] = {}
        self._solved = solved_of(model, [])

    def __call__(self) -> Solved:
        """See SolvedNow. Raises StoreAway, StoreError."""
        with self._following:
            if self._follow():
                labels = chain.from_iterable(self._labels.values())
                self._solved = solved_of(self._model, labels, self._solved)
            return self._solved

    def _follow(self) -> bool:
        """Read new judgments. If the last one read no longer exists, for example after a restore,
        read all. Returns whether anything changed."""
        number, _ = self._last
        log = self._store.judgment_log(number)
        first = next(log, None)
        if (_place(first) if first else NONE) == self._last:
            new = list(islice(log, FEW + 1))
            if len(new) <= FEW:
                self._judged_anew({judgment.query.id for _, judgment in new})
                self._last = _place(new[-1]) if new else self._last
                return bool(new)
        everything = list(self._store.judgment_log())
        self._labels = {}
        for label in derive_labels(judgment for _, judgment in everything):
            self._labels.setdefault(label.query.id, []).append(label)
        self._last = _place(everything[-1]) if everything else NONE
        return True

    def _judged_anew(self, query_ids: set[str]) -> None:
        for query_id in query_ids:
            self._labels[query_id] = derive_labels(self._store.judgments(query_id))


def _place(entry: tuple[int, Judgment]) -> tuple[int, str]:
    """A judgment's number in the log and its event id."""
    number, judgment = entry
    return number, judgment.event_id
