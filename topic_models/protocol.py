"""TopicModel: the interface of all models of this library.

`tests/unit/topic_models/test_topic_model_contract.py` tests the sentences below for each model.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from topic_models.documents import Document, Documents, Ragged, ragged, trainable
from topic_models.errors import DocumentsError, ModelFileError, SettingsError
from topic_models.files import load_model, save_model
from topic_models.settings import ModelSettings
from topic_models.training import Epoch, Learner, Progress, fingerprint, train


class TopicModel(Protocol):
    """A model of documents as sequences of word ids."""

    Settings: ClassVar[type[ModelSettings]]
    settings: Any
    history: tuple[Epoch, ...]
    """The epochs of the last `fit`; empty for a loaded model."""

    def fit(
        self,
        documents: Documents,
        validation: Documents | None = None,
        *,
        progress: Callable[[Progress], None] | None = None,
        checkpoint: Path | None = None,
    ) -> Self:
        """Learn from documents, forgetting what was learned before; returns the model itself.

        With `validation`, training stops early and the epoch with the lowest perplexity on
        it is kept. `progress` is called after each mini-batch. `checkpoint` is a file that
        is written after each epoch and resumed from. The same seed, documents and number of
        threads give the same model. Raises DocumentsError, CheckpointError.
        """
        size = self.settings.vocabulary_size
        training, held_out = trainable(documents, validation, size)
        learner = self._learner(training, held_out)
        self.history = train(
            learner,
            documents=len(training),
            epochs=self.settings.epochs,
            patience=self.settings.patience,
            fingerprint=fingerprint(self.settings, training, held_out),
            progress=progress,
            checkpoint=checkpoint,
        )
        self._keep(learner)
        return self

    @abstractmethod
    def _learner(self, training: Ragged, validation: Ragged | None) -> Learner:
        """What the training loop trains."""

    @abstractmethod
    def _keep(self, learner: Any) -> None:
        """Take over what the learner has learned."""

    @abstractmethod
    def transform(self, documents: Documents) -> npt.NDArray[np.float32]:
        """Document vectors, float32 [documents, topics], each from all words of its document.

        A vector depends on no other document and not on the order of the words.
        """

    def top_words(self, topic: int, n: int = 10) -> list[int]:
        """Ids of the `n` words that mark the topic most, strongest first, ties by id.

        Raises IndexError for a topic that does not exist.
        """
        if not 0 <= topic < self.settings.topics:  # negative numbers do not count from the end
            last = self.settings.topics - 1
            raise IndexError(f"There is no topic {topic}; the topics are 0 to {last}.")
        words: list[int] = np.argsort(-self._strengths(topic), kind="stable")[:n].tolist()
        return words

    @abstractmethod
    def _strengths(self, topic: int) -> npt.NDArray[np.float32]:
        """How strongly each word marks the topic, float32 [vocabulary]."""

    @abstractmethod
    def log_likelihood(self, documents: Documents) -> npt.NDArray[np.float64]:
        """log p(v) of each document in nats, float64 [documents]; 0 for one without known words."""

    @abstractmethod
    def state(self) -> dict[str, np.ndarray]:
        """The learned arrays by name, for storage in a file of the caller."""

    @classmethod
    @abstractmethod
    def from_state(cls, settings: Any, arrays: Mapping[str, np.ndarray]) -> Self:
        """A model from its `state()`. Raises ModelFileError if the arrays do not fit."""

    def topics(self, document: Document, n: int = 3) -> list[tuple[int, float]]:
        """The `n` topics with the largest entries of the document's vector, as (topic, entry).

        Largest first, ties by topic.
        """
        vector = self.transform([document])[0]
        best = np.argsort(-vector, kind="stable")[:n]
        return [(int(topic), float(vector[topic])) for topic in best]

    def perplexity(self, documents: Documents) -> float:
        """exp(-1/N Σ log p(v)/|v|) over the N documents that have a known word; |v| counts those.

        Raises DocumentsError when no document has one.
        """
        lengths = ragged(documents, self.settings.vocabulary_size).lengths
        return mean_perplexity(self.log_likelihood(documents), lengths)

    def save(self, folder: Path) -> None:
        """Write the model into a folder, whole or not at all, replacing a model that is there."""
        save_model(folder, type(self).__name__, self.settings.model_dump(), self.state())

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The model that was saved there. Raises ModelFileError saying which file is at fault."""
        values, arrays = load_model(folder, cls.__name__)
        try:
            return cls.from_state(cls.Settings(**values), arrays)
        except SettingsError as error:
            raise ModelFileError(f"The settings in {folder} cannot be used: {error}") from None


def mean_perplexity(
    log_likelihood: npt.NDArray[np.float64], lengths: npt.NDArray[np.int64]
) -> float:
    """Perplexity normalised by document (Larochelle and Lauly 2012, section 6.1).

    `log_likelihood` nats [documents], `lengths` words [documents]; documents without words
    are left out. Raises DocumentsError when none is left.
    """
    known = lengths > 0
    if not known.any():
        raise DocumentsError("None of the documents has a word of the vocabulary.")
    return float(np.exp(-np.mean(log_likelihood[known] / lengths[known])))


def check_state(
    model: str, wanted: Mapping[str, np.ndarray], arrays: Mapping[str, np.ndarray]
) -> None:
    """Raise ModelFileError unless `arrays` have the names, shapes and types of `wanted`."""
    if odd := sorted(wanted.keys() ^ arrays.keys()):
        raise ModelFileError(f"This is no {model} of these settings: {odd[0]} is amiss.")
    for name, array in wanted.items():
        found, expected = (f"{a.dtype} {a.shape}" for a in (arrays[name], array))
        if found != expected:
            raise ModelFileError(
                f"This is no {model} of these settings: {name} is {found}, not {expected}."
            )
        if not np.isfinite(arrays[name]).all():
            raise ModelFileError(f"This {model} cannot be used: {name} holds infinite values.")
