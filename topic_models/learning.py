"""Training of DocNADE in torch; the result is arrays, which `docnade` applies without torch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from topic_models.documents import Ragged
from topic_models.leaves import leaves_by_id, leaves_by_likeness
from topic_models.network import BinaryTree, Network
from topic_models.protocol import mean_perplexity

if TYPE_CHECKING:
    from topic_models.docnade import DocNADESettings

TOKENS_AT_ONCE = 1 << 14
"""Number of words whose hidden layers are held at a time while scoring, to limit memory."""


class Learner:
    """The learner of the training loop (`training.Learner`): network, Adam and documents."""

    def __init__(self, settings: DocNADESettings, training: Ragged, validation: Ragged | None):
        self.settings = settings
        self.training, self.validation = training, validation
        self.network = network = new_network(settings)
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
        """See training.Learner."""
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
        """Update the average of the parameters; step k has weight 9 / (k + 8) (Shamir and Zhang
        2013)."""
        steps = float(self.adam.state[self.network.words]["step"])
        for mean, latest in zip(self.average.parameters(), self.network.parameters(), strict=True):
            mean.lerp_(latest, 9 / (steps + 8))

    def validate(self) -> float | None:
        """See training.Learner."""
        if self.validation is None:
            return None
        scores = log_likelihood(self.average, self.validation)
        return mean_perplexity(scores, self.validation.lengths)

    def snapshot(self) -> dict[str, np.ndarray]:
        """See training.Learner."""
        arrays = {
            f"{name}.{k}": v.clone()
            for name, network in self._networks.items()
            for k, v in network.state_dict().items()
        }
        for number, moments in self.adam.state_dict()["state"].items():
            arrays |= {f"adam.{number}.{name}": v.clone() for name, v in moments.items()}
        return {name: array.numpy() for name, array in arrays.items()}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """See training.Learner."""
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
        """The trained networks, by their names in a snapshot."""
        if self.average is self.network:
            return {"network": self.network}
        return {"network": self.network, "average": self.average}


def new_network(settings: DocNADESettings) -> Network:
    """An untrained network."""
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


def network_of(settings: DocNADESettings, arrays: Mapping[str, np.ndarray]) -> Network:
    """A network with these learned arrays."""
    network = new_network(settings)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    return network


def _leaves(settings: DocNADESettings, training: Ragged) -> npt.NDArray[np.int64]:
    """The leaf of each word in the tree of these settings, int64 [vocabulary]."""
    if settings.leaves == "id":
        return leaves_by_id(settings.vocabulary_size)
    return leaves_by_likeness(training, settings.vocabulary_size)


@contextmanager
def _torch_seed(seed: int) -> Iterator[None]:
    """Context manager: seed torch's random numbers, and restore their state afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def log_likelihood(network: Network, documents: Ragged) -> npt.NDArray[np.float64]:
    """log p(v) in nats, float64 [documents], computed for a limited number of words at a time."""
    scores = [np.zeros(0)]
    with torch.inference_mode():
        for piece in documents.pieces(TOKENS_AT_ONCE):
            words, lengths = torch.from_numpy(piece.words), torch.from_numpy(piece.lengths)
            scores.append(network.log_likelihood(words, lengths).double().numpy())
    return np.concatenate(scores)
