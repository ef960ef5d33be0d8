"""DocNADE and iDocNADE with the interface of the library."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.sparse import csr_array
from scipy.special import expit, logsumexp

from topic_models.documents import Documents, Ragged, ragged
from topic_models.errors import ModelFileError, NotFittedError
from topic_models.protocol import TopicModel, check_state
from topic_models.settings import ModelSettings
from topic_models.training import Epoch

if TYPE_CHECKING:  # imported lazily: torch takes a second
    from topic_models.learning import Learner
    from topic_models.network import Network

ACTIVATIONS = {"sigmoid": expit, "tanh": np.tanh}


class DocNADESettings(ModelSettings):
    """Settings of DocNADE and of its training."""

    output: Literal["tree", "full"] = Field(
        "tree",
        description="tree: the cost grows with the logarithm of the vocabulary; full: "
        "softmax over all words",
    )
    leaves: Literal["random", "id", "similar"] = Field(
        "random",
        description="order of the words at the leaves of the tree; similar: words of the same "
        "documents are near each other; "
        "id: by their ids, which helps if each document is in ascending order of ids",
    )
    activation: Literal["sigmoid", "tanh"] = Field(
        "tanh", description="activation function g of the hidden layer"
    )
    bidirectional: bool = Field(
        False, description="whether documents are read in both directions (iDocNADE)"
    )
    shuffle: bool = Field(
        True, description="whether each epoch reads the words of a document in a new random order"
    )
    orders: int = Field(
        1, ge=1, description="number of word orders over which a document's probability is averaged"
    )
    epochs: int = Field(30, ge=1, description="most epochs of the training")
    patience: int = Field(
        3,
        ge=1,
        description="training ends after so many epochs without a better validation perplexity",
    )
    batch_size: int = Field(32, ge=1, description="documents per batch")
    learning_rate: float = Field(0.003, gt=0, description="step size of Adam")
    dropout: float = Field(
        0.0, ge=0, lt=1, description="share of hidden units left out of a training step"
    )
    weight_decay: float = Field(
        0.0,
        ge=0,
        description="weight decay: each step subtracts this times the learning rate from "
        "both weight matrices",
    )
    averaged: bool = Field(
        False,
        description="whether the model keeps a running mean of its parameters over the "
        "latest steps",
    )


class DocNADE(TopicModel):
    """Neural autoregressive topic model (Larochelle and Lauly 2012).

    A topic is a hidden unit: its top words are those with the largest entries of W, and the
    topics of a document are its most active units. A vector's entries are activations; they
    do not add up to 1. The vector of a document without known words is g(c).
    """

    Settings = DocNADESettings

    def __init__(self, settings: DocNADESettings):
        self.settings = settings
        self.history: tuple[Epoch, ...] = ()
        self._arrays: dict[str, np.ndarray] = {}

    def _learner(self, training: Ragged, validation: Ragged | None) -> Learner:
        """Adam on the mean -log p(v_i | v_<i) over a batch's words; validation scores them in the
        order given."""
        from topic_models.learning import Learner

        return Learner(self.settings, training, validation)

    def _keep(self, learner: Learner) -> None:
        """See TopicModel."""
        arrays = learner.average.state_dict().items()
        self._learned({name: array.numpy() for name, array in arrays})

    def _learned(self, arrays: dict[str, np.ndarray]) -> None:
        self._arrays = arrays
        vars(self).pop("_network", None)

    def transform(self, documents: Documents) -> npt.NDArray[np.float32]:
        """See TopicModel.transform: the last hidden layer g(c + Σ_k W[:, v_k]) over all words; with
        `bidirectional`, the sum of both directions."""
        # Words are sorted so that the sum and its rounding do not depend on their order.
        batch = self._ragged(documents).sorted()
        arrays, size = self._known(), (len(batch), self.settings.vocabulary_size)
        ends = np.concatenate([[0], batch.lengths.cumsum()])
        ones = np.ones(len(batch.words), np.float32)
        totals = csr_array((ones, batch.words, ends), size) @ arrays["words"]  # [documents, topics]
        activation = ACTIVATIONS[self.settings.activation]
        # Activations in double precision: in single, the last bit depends on the batch's size.
        hidden = [activation(bias + totals.astype(np.float64)) for bias in arrays["bias"]]
        vectors: npt.NDArray[np.float32] = np.sum(hidden, axis=0).astype(np.float32)
        return vectors

    def _strengths(self, topic: int) -> npt.NDArray[np.float32]:
        """The topic's column of W."""
        weights: npt.NDArray[np.float32] = self._known()["words"][:, topic]
        return weights

    def log_likelihood(self, documents: Documents) -> npt.NDArray[np.float64]:
        """See TopicModel.log_likelihood; words are read in the given order.

        With `orders` K it is log 1/K Σ_k p(v in order k). The first order is the given one; the
        others depend only on the document's length. This is a mixture of K distributions over
        documents, and so a likelihood itself (Uria et al. 2014, section 4). With `bidirectional`
        each log p is the mean of the two one-sided scores, which is not a joint likelihood.
        """
        from topic_models.learning import log_likelihood

        batch = self._ragged(documents)
        scores = [
            log_likelihood(self._network, batch.reordered(number))
            for number in range(self.settings.orders)
        ]  # [documents] each
        mean: npt.NDArray[np.float64] = logsumexp(scores, axis=0) - np.log(len(scores))
        return mean

    def state(self) -> dict[str, np.ndarray]:
        """See TopicModel.state."""
        return {name: array.copy() for name, array in self._known().items()}

    def _known(self) -> Mapping[str, np.ndarray]:
        """The learned arrays, which must not be changed."""
        if not self._arrays:
            raise NotFittedError("This DocNADE has learned nothing yet; call fit or load first.")
        return self._arrays

    @classmethod
    def from_state(cls, settings: DocNADESettings, arrays: Mapping[str, np.ndarray]) -> Self:
        """See TopicModel.from_state."""
        check_state(cls.__name__, _blank(settings), arrays)
        leaves = settings.vocabulary_size + np.arange(settings.vocabulary_size)
        if settings.output == "tree" and set(arrays["output.leaf"]) != set(leaves):
            raise ModelFileError("This DocNADE cannot be used: its words do not fill its tree.")
        model = cls(settings)
        model._learned({name: np.array(array) for name, array in arrays.items()})
        return model

    @cached_property
    def _network(self) -> Network:
        """The network that scores documents."""
        from topic_models.learning import network_of

        return network_of(self.settings, self._known())

    def _ragged(self, documents: Documents) -> Ragged:
        return ragged(documents, self.settings.vocabulary_size)


def _blank(settings: DocNADESettings) -> dict[str, np.ndarray]:
    """Arrays of zeros with the shapes of a state's."""
    size, directions = settings.vocabulary_size, 2 if settings.bidirectional else 1
    weights, biases = (size, settings.topics), (directions, settings.topics)
    blank: dict[str, np.ndarray] = {
        "words": np.zeros(weights, np.float32),
        "bias": np.zeros(biases, np.float32),
        "output.weight": np.zeros(weights, np.float32),
        "output.bias": np.zeros((directions, size), np.float32),
    }
    if settings.output == "tree":
        blank["output.leaf"] = np.zeros(size, np.int64)
    return blank
