"""Models and rankings of the table's rows."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial

from ticketing.evaluation.comparison import Line, measured
from ticketing.evaluation.measurement import Sample
from ticketing.evaluation.runs import Ranked, rank_labelled
from ticketing.evaluation.ways import WITH_TIME, WITHOUT_TIME
from ticketing.experiments.cache import (
    TrainingCache,
    archive_digest,
    digest,
    labels_digest,
    settings_digest,
)
from ticketing.experiments.gupta2018.rows import Row, untrained
from ticketing.model.components import ticket_fields, ticket_tokens
from ticketing.model.inference import Model
from ticketing.model.settings import NetworkSettings
from ticketing.networks.making import model_of, network_of, new_network
from ticketing.retrieval.encode import QueryEncoder
from ticketing.retrieval.memory import encoded
from ticketing.retrieval.recommend import Recommender
from ticketing.tickets import Label, Ticket
from ticketing.training.settings import TrainingSettings

LAYOUT_SAMPLE = 2000
LEAST_SPELLING = 2
"""Character dimensions of untrained embeddings, as few as possible, since an untrained speller is
useless."""

Train = Callable[[NetworkSettings, TrainingSettings], str]
"""Trains on all data that are not measured, and saves to the rows' own models; returns the bundle's
id."""


def narrowed(model: Model, settings: NetworkSettings, sample: Sequence[Ticket]) -> Model:
    """A model's words and topics with other settings of the comparison, without any training.

    The code layout is fitted to a sample of tickets; W and V are those of Table 2.
    """
    words = network_of(model).words
    network = new_network(settings, model.vocabulary, words.words.weight.detach(), model.resources)
    network.words.load_state_dict(words.state_dict())
    narrow = model_of(network, model.vocabulary, id=model.id)
    narrow.fit_layout(
        narrow.encode([ticket_tokens(ticket_fields(ticket), settings) for ticket in sample])
    )
    return narrow


class RowModels:
    """Ranks labelled queries as the table's rows do, for one split of an archive.

    `labels` are all queries to rank; `learned` identifies the other training data (the split and
    the labels). `train` saves to `trainings.models`.
    """

    def __init__(
        self,
        trainings: TrainingCache,
        tickets: Sequence[Ticket],
        labels: Sequence[Label],
        learned: str,
        network: NetworkSettings,
        training: TrainingSettings,
        train: Train,
        threads: int,
    ):
        self.tickets = tickets
        self.labels = labels
        self.network = network
        self.training = training
        self._trainings, self._train, self._threads = trainings, train, threads
        self._archive = digest(archive_digest(tickets), learned)
        self._queries = labels_digest(labels)

    def knows_time(self, row: Row) -> bool:
        """Whether the row's training includes time; the paper's do not."""
        return row.trained and self.training.weighs_time

    def ranked(self, row: Row, left: int = 0, time: bool = False) -> Ranked:
        """The row's ranking, optionally with time. `left` is the number of trained rows left, for
        the estimate."""
        network, training = self._settings(row)
        name = f"#{row.number}"

        def rank() -> Ranked:
            if row.trained:
                model = self._trained(network, training, f"{name} {row.about}", left)
            else:
                model = narrowed(self._untrained, network, self.tickets[:: self._every])
            store = encoded(model, self.tickets, name)
            encode = QueryEncoder(model, store, None if time else network.channels)
            recommender = Recommender(store, model, self._threads, encode, rescored=False)
            return rank_labelled(recommender, self.labels, name)

        about = f"{row}, time {time}", settings_digest(network, training)
        key = digest(self._archive, self._queries, *about)
        return self._trainings.ranked(key, rank)

    def _settings(self, row: Row) -> tuple[NetworkSettings, TrainingSettings]:
        if row.trained:
            return row.settings(self.network), self.training
        return row.settings(self._like), untrained(self.training)

    @property
    def _every(self) -> int:
        return max(len(self.tickets) // LAYOUT_SAMPLE, 1)

    @property
    def _like(self) -> NetworkSettings:
        return self.network.model_copy(update={"character_dims": LEAST_SPELLING})

    @cached_property
    def _untrained(self) -> Model:
        """A model with word vectors and topics of the archive's text, without any labels."""
        settings = self._like.model_copy(update={"pairs": "cross-level", "channels": ("E", "T")})
        return self._trained(settings, untrained(self.training), "word vectors and topics", 0)

    def _trained(
        self, network: NetworkSettings, training: TrainingSettings, name: str, left: int
    ) -> Model:
        key = digest(self._archive, settings_digest(network, training))
        train = partial(self._train, network, training)
        bundle = self._trainings.bundle(key, name, train, left, typical=training.epochs > 0)
        return self._trainings.model(bundle)


def measure_rows(rows: Sequence[Row], models: RowModels, sample: Sample, time: bool) -> list[Line]:
    """Rows of Tables 5 and 6, without time as in the paper; with `time`, the trained rows also with
    time."""
    lines = []
    for place, row in enumerate(rows):
        left = sum(later.trained for later in rows[place:])
        about = f"{row.about}; {models.training.loss if row.trained else 'untrained'}"
        for timed in (False, True) if time and models.knows_time(row) else (False,):
            name = f"#{row.number} {WITH_TIME}" if timed else f"#{row.number}"
            said = f"{about}, {WITH_TIME if timed else WITHOUT_TIME}"
            ranked = models.ranked(row, left, timed)
            lines.append(measured(name, said, ranked, sample.labels, sample.fit))
    return lines
