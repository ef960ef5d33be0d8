"""DocNADE and iDocNADE behind the interface of the library."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import torch
from pydantic import Field
from scipy.special import logsumexp

from topic_models.documents import Documents, Ragged, ragged, trainable
from topic_models.errors import ModelFileError, NotFittedError
from topic_models.leaves import leaves_by_id, leaves_by_likeness
from topic_models.network import BinaryTree, Network
from topic_models.protocol import TopicModel, check_state, check_topic, mean_perplexity
from topic_models.settings import ModelSettings
from topic_models.training import Epoch, Progress, fingerprint, train

TOKENS_AT_ONCE = 1 << 14
"""Words whose hidden layers are held at a time while scoring, which bounds memory."""


class DocNADESettings(ModelSettings):
    """What DocNADE is and how it is trained."""

    output: Literal["tree", "full"] = Field(
        "tree", description="tree: cost grows with log V; full: softmax over all words"
    )
    leaves: Literal["random", "id", "similar"] = Field(
        "random",
        description="tree: where words lie; similar: words of the same documents near each other; "
        "id helps where documents are in ascending order of ids",
    )
    activation: Literal["sigmoid", "tanh"] = Field("tanh", description="g of the hidden layer")
    bidirectional: bool = Field(False, description="iDocNADE: read from both sides")
    shuffle: bool = Field(
        True, description="train on the words of a document in a new random order every epoch"
    )
    orders: int = Field(1, ge=1, description="word orders whose probabilities of v are averaged")
    epochs: int = Field(30, ge=1, description="most passes over the training documents")
    patience: int = Field(3, ge=1, description="epochs without a better validation perplexity")
    batch_size: int = Field(32, ge=1, description="documents a mini-batch")
    learning_rate: float = Field(0.003, gt=0, description="step size of Adam")
    dropout: float = Field(
        0.0, ge=0, lt=1, description="share of hidden units left out of a training step"
    )
    weight_decay: float = Field(
        0.0, ge=0, description="share of both weight matrices taken away a step, over learning rate"
    )
    averaged: bool = Field(
        False, description="keep a running mean of the parameters over the latest training steps"
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
        self._fitted: Network | None = None

    def fit(
        self,
        documents: Documents,
        validation: Documents | None = None,
        *,
        progress: Callable[[Progress], None] | None = None,
        checkpoint: Path | None = None,
    ) -> Self:
        """See TopicModel.fit. Adam on the mean -log p(v_i | v_<i) over a batch's words; validation
        scores them in the order given."""
        training, ragged_validation = trainable(
            documents, validation, self.settings.vocabulary_size
        )
        learner = _Learner(self.settings, training, ragged_validation)
        self.history = train(
            learner,
            documents=len(training),
            epochs=self.settings.epochs,
            patience=self.settings.patience,
            fingerprint=fingerprint(self.settings, training, ragged_validation),
            progress=progress,
            checkpoint=checkpoint,
        )
        self._fitted = learner.average
        return self

    def transform(self, documents: Documents) -> npt.NDArray[np.float32]:
        """See TopicModel.transform."""
        # Sorted words make the sum, and so its rounding, independent of their order.
        batch = self._ragged(documents).sorted()
        with torch.inference_mode():
            words, starts = torch.from_numpy(batch.words), torch.from_numpy(batch.starts)
            return self._network.represent(words, starts).numpy()

    def top_words(self, topic: int, n: int = 10) -> list[int]:
        """See TopicModel.top_words."""
        check_topic(topic, self.settings.topics)
        weights: npt.NDArray[np.float32] = self._network.words.detach()[:, topic].numpy()
        words: list[int] = np.argsort(-weights, kind="stable")[:n].tolist()
        return words

    def log_likelihood(self, documents: Documents) -> npt.NDArray[np.float64]:
        """See TopicModel.log_likelihood; the words are read in the order given.

        With `orders` K it is log 1/K Σ_k p(v in order k), the first order being the one given
        and the others hanging on the document's length alone: a mixture of K distributions over
        documents, and so a likelihood itself (Uria et al. 2014, section 4). With `bidirectional`
        each log p is the mean of the two one-sided scores, which is no joint likelihood.
        """
        batch = self._ragged(documents)
        scores = [
            _log_likelihood(self._network, batch.reordered(number))
            for number in range(self.settings.orders)
        ]  # [documents] each
        mean: npt.NDArray[np.float64] = logsumexp(scores, axis=0) - np.log(len(scores))
        return mean

    def state(self) -> dict[str, np.ndarray]:
        """See TopicModel.state."""
        return {name: array.numpy().copy() for name, array in self._network.state_dict().items()}

    @classmethod
    def from_state(cls, settings: DocNADESettings, arrays: Mapping[str, np.ndarray]) -> Self:
        """See TopicModel.from_state."""
        network = _network(settings)
        blank = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
        check_state(cls.__name__, blank, arrays)
        if "output.leaf" in blank and set(arrays["output.leaf"]) != set(blank["output.leaf"]):
            raise ModelFileError("This DocNADE cannot be used: its words do not fill its tree.")
        network.load_state_dict({name: torch.tensor(array) for name, array in arrays.items()})
        model = cls(settings)
        model._fitted = network
        return model

    @property
    def _network(self) -> Network:
        if self._fitted is None:
            raise NotFittedError("This DocNADE has learned nothing yet; call fit or load first.")
        return self._fitted

    def _ragged(self, documents: Documents) -> Ragged:
        return ragged(documents, self.settings.vocabulary_size)


class _Learner:
    """What the training loop drives: the network, Adam and the documents."""

    def __init__(self, settings: DocNADESettings, training: Ragged, validation: Ragged | None):
        self.settings = settings
        self.training, self.validation = training, validation
        self.network = network = _network(settings)
        if isinstance(network.output, BinaryTree) and settings.leaves != "random":
            network.output.leaf.copy_(torch.from_numpy(_leaves(settings, training)))
        counts = np.bincount(training.words, minlength=settings.vocabulary_size) + 1
        network.output.start_from(torch.from_numpy(counts).float())
        self.average = deepcopy(network) if settings.averaged else network
        weights = [network.words, network.output.weight]
        biases = [network.bias, network.output.bias]
        groups: list[dict[str, Any]] = [
            {"params": weights, "weight_decay": settings.weight_decay},
            {"params": biases},
        ]
        self.adam = torch.optim.AdamW(
            groups,
            lr=settings.learning_rate,
            weight_decay=0.0,
            fused=True,
        )

    def run_epoch(self, number: int, advance: Callable[[int], None]) -> float:
        random = np.random.default_rng((self.settings.seed, number))
        order = random.permutation(len(self.training))
        mean = 0.0
        self.network.train()
        with _torch_seed(int(random.integers(2**63))):
            for first in range(0, len(order), self.settings.batch_size):
                batch = self.training.take(order[first : first + self.settings.batch_size])
                mean += self._step(self._ordered(batch, random)) / len(order)
                advance(len(batch))
        self.network.eval()
        return float(np.exp(-mean))

    def _ordered(self, batch: Ragged, random: np.random.Generator) -> Ragged:
        return batch.shuffled(random) if self.settings.shuffle else batch

    def _step(self, batch: Ragged) -> float:
        """One step of Adam; returns Σ log p(v)/|v| over the batch as it was before the step."""
        lengths = torch.from_numpy(batch.lengths)
        scores = self.network.log_likelihood(torch.from_numpy(batch.words), lengths)  # [documents]
        self.adam.zero_grad()
        (-scores.sum() / lengths.sum()).backward()
        self.adam.step()
        if self.settings.averaged:
            self._average()
        return float((scores.detach() / lengths).sum())

    @torch.no_grad()
    def _average(self) -> None:
        """Let the k-th step count 9 / (k + 8) in the mean (Shamir and Zhang 2013)."""
        steps = float(self.adam.state[self.network.words]["step"])
        for mean, latest in zip(self.average.parameters(), self.network.parameters(), strict=True):
            mean.lerp_(latest, 9 / (steps + 8))

    def validate(self) -> float | None:
        if self.validation is None:
            return None
        scores = _log_likelihood(self.average, self.validation)
        return mean_perplexity(scores, self.validation.lengths)

    def snapshot(self) -> dict[str, np.ndarray]:
        arrays = {
            f"{name}.{k}": v.clone()
            for name, network in self._networks.items()
            for k, v in network.state_dict().items()
        }
        for number, moments in self.adam.state_dict()["state"].items():
            arrays |= {f"adam.{number}.{name}": v.clone() for name, v in moments.items()}
        return {name: array.numpy() for name, array in arrays.items()}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        parts: dict[str, dict[str, torch.Tensor]] = defaultdict(dict)
        for name, array in arrays.items():
            part, _, rest = name.partition(".")
            parts[part][rest] = torch.tensor(array)
        moments: dict[int, dict[str, torch.Tensor]] = defaultdict(dict)
        for name, tensor in parts["adam"].items():
            number, _, moment = name.partition(".")
            moments[int(number)][moment] = tensor
        for name, network in self._networks.items():
            network.load_state_dict(parts[name])
        self.adam.load_state_dict({**self.adam.state_dict(), "state": dict(moments)})

    @property
    def _networks(self) -> dict[str, Network]:
        """What is learned, by the name that a snapshot has for it."""
        if self.average is self.network:
            return {"network": self.network}
        return {"network": self.network, "average": self.average}


def _network(settings: DocNADESettings) -> Network:
    """A fresh network."""
    with _torch_seed(settings.seed):
        network = Network(
            settings.vocabulary_size,
            settings.topics,
            settings.output,
            settings.activation,
            directions=2 if settings.bidirectional else 1,
            dropout=settings.dropout,
        )
    return network.eval()


def _leaves(settings: DocNADESettings, training: Ragged) -> npt.NDArray[np.int64]:
    """Where the words lie in the tree that these settings want, int64 [vocabulary]."""
    if settings.leaves == "id":
        return leaves_by_id(settings.vocabulary_size)
    return leaves_by_likeness(training, settings.vocabulary_size)


@contextmanager
def _torch_seed(seed: int) -> Iterator[None]:
    """Random numbers of torch from a seed, for a while; those of the rest of the program wait."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def _log_likelihood(network: Network, documents: Ragged) -> npt.NDArray[np.float64]:
    """log p(v) in nats, float64 [documents], a bounded number of words at a time."""
    scores = [np.zeros(0)]
    with torch.inference_mode():
        for piece in documents.pieces(TOKENS_AT_ONCE):
            words, lengths = torch.from_numpy(piece.words), torch.from_numpy(piece.lengths)
            scores.append(network.log_likelihood(words, lengths).double().numpy())
    return np.concatenate(scores)
