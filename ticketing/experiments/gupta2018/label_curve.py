"""Quality of the ranking with few labels: every measure by the number of labels used in training.

The trainings are the same as a desk's own, on random subsets of its labels. Each subset is part of
the next larger one, so a curve shows the effect of more labels and not of which ones were drawn.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ticketing.errors import InputError
from ticketing.evaluation.comparison import Line, measured
from ticketing.evaluation.indexed_words import IndexedWords
from ticketing.evaluation.runs import Ranked, rank_labelled, rank_peer
from ticketing.evaluation.ways import WITH_TIME, WITHOUT_TIME
from ticketing.experiments.cache import (
    TrainingCache,
    archive_digest,
    digest,
    labels_digest,
    settings_digest,
)
from ticketing.experiments.gupta2018.rows import untrained
from ticketing.model.settings import NetworkSettings
from ticketing.retrieval.memory import TicketsInMemory, encoded
from ticketing.retrieval.recommend import Recommender
from ticketing.tickets import Label, Ticket
from ticketing.training.settings import TrainingSettings

LOSSES = {"mse": "paper's loss", "in-batch": "few-label loss"}
"""Names of the losses that are compared."""

_COUNT = re.compile(r"all|\d{1,18}")

Train = Callable[[NetworkSettings, TrainingSettings, Sequence[Label]], str]
"""Trains on all data that are not measured and on these labels; returns the bundle's id."""


@dataclass(frozen=True)
class Point:
    """A loss, the number of labels used in training, and the quality of the ranking."""

    loss: str
    labels: int
    line: Line


def read_counts(text: str, available: int) -> list[int]:
    """Numbers of labels from `0,50,all`, ascending; larger numbers than available count as `all`.

    Raises InputError naming the invalid part.
    """
    counts = set()
    for part in (part.strip() for part in text.split(",")):
        if not _COUNT.fullmatch(part):
            raise InputError(
                f"--labels {text}: {part!r} is no number of labels; write it as 0,50,100,all."
            )
        counts.add(available if part == "all" else min(int(part), available))
    return sorted(counts)


def some_labels(labels: Sequence[Label], count: int, seed: int) -> list[Label]:
    """A random sample of `count` labels; a smaller sample is part of a larger one with the same
    seed."""
    drawn = sorted(labels, key=lambda label: (label.query.id, label.ticket_id))
    random.Random(seed).shuffle(drawn)
    return drawn[:count]


class LabelCurve:
    """Trains and ranks the points of the curve, for one split of an archive.

    `measured` are the labels to measure on, `learned` those for training, and `split` identifies
    the other training data; `settings` are those of each loss.
    """

    def __init__(
        self,
        trainings: TrainingCache,
        tickets: Sequence[Ticket],
        measured: Sequence[Label],
        learned: Sequence[Label],
        split: str,
        settings: Mapping[str, tuple[NetworkSettings, TrainingSettings]],
        train: Train,
        threads: int = 1,
    ):
        self.tickets, self.measured, self.learned = tickets, measured, learned
        self.settings = settings
        self._trainings, self._train, self._threads = trainings, train, threads
        self._archive = digest(archive_digest(tickets), split)

    def points(self, counts: Sequence[int]) -> list[Point]:
        """A point for each loss and number of labels, loss by loss; cached results are only read.

        The seed of the training also draws the labels.
        """
        wanted = [(loss, count) for loss in self.settings for count in counts]
        return [
            Point(loss, count, self._line(loss, count, len(wanted) - place))
            for place, (loss, count) in enumerate(wanted)
        ]

    def words(self) -> Line:
        """BM25 on the same queries, which uses no labels."""
        key = digest(self._archive, "words", labels_digest(self.measured))
        words = IndexedWords(TicketsInMemory(self.tickets))
        ranked = self._trainings.ranked(key, partial(rank_peer, words, self.measured))
        about = f"words of all components, {WITHOUT_TIME}"
        return measured("BM25", about, ranked, self.measured)

    def _line(self, loss: str, count: int, left: int) -> Line:
        network, training = self.settings[loss]
        about = f"{loss}, {WITH_TIME if training.weighs_time else WITHOUT_TIME}"
        if loss == "mse" and not count:
            training = untrained(training)
            about = "untrained: it learns from labels alone, without time"
        labels = some_labels(self.learned, count, training.seed)
        name = f"{LOSSES[loss]}, {count:,} labels"
        key = digest(self._archive, labels_digest(labels), settings_digest(network, training))

        def rank() -> Ranked:
            train = partial(self._train, network, training, labels)
            bundle = self._trainings.bundle(key, name, train, left, training.epochs > 0)
            model = self._trainings.model(bundle)
            store = encoded(model, self.tickets, name)
            return rank_labelled(Recommender(store, model, self._threads), self.measured, name)

        ranked = self._trainings.ranked(digest(key, labels_digest(self.measured)), rank)
        return measured(name, about, ranked, self.measured)
