"""Recurrent encoders: LSTM layers over embedded texts, pooling over time, and optionally a dense
layer."""

from collections.abc import Callable, Sequence, Sized
from typing import TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ticketing.nn.settings import RecurrentSettings

Text = TypeVar("Text", bound=Sized)
"""An encoder's input: words, ids, or an embedded text."""


class RecurrentEncoder(nn.Module):
    """LSTM layers over embedded texts, pooled into one vector per text."""

    def __init__(self, dims: int, settings: RecurrentSettings):
        super().__init__()
        self.settings = settings
        self.lstm = nn.LSTM(
            dims,
            settings.hidden,
            settings.layers,
            batch_first=True,
            bidirectional=settings.bidirectional,
        )
        pooled = settings.hidden * (1 + settings.bidirectional)
        self.dense = nn.Linear(pooled, settings.dense) if settings.dense else nn.Identity()

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """Texts [n, longest, dims] of `lengths` [n], at least 1 each -> [n, settings.width].

        Padding after a text's end is ignored. Texts of very different lengths are better encoded in
        several calls (`encode_by_length`).
        """
        weights = self._weights()
        backwards = _backwards(lengths, embedded.shape[1])
        states = embedded
        for layer in range(self.settings.layers):
            if layer:
                states = F.dropout(states, self.settings.dropout, self.training)
            ways = [self._way(states, weights, f"l{layer}")]  # [n, longest, hidden]
            if self.settings.bidirectional:
                turned = self._way(_taken(states, backwards), weights, f"l{layer}_reverse")
                ways.append(_taken(turned, backwards))
            states = torch.cat(ways, dim=-1)
        if self.settings.pooling == "last":
            ends = [_taken(ways[0], lengths.unsqueeze(1) - 1), *(way[:, :1] for way in ways[1:])]
            pooled = torch.cat(ends, dim=-1).squeeze(1)
        else:
            read = torch.arange(states.shape[1]) < lengths.unsqueeze(1)  # [n, longest]
            pooled = (states * read.unsqueeze(-1)).sum(1) / lengths.unsqueeze(1)
        vectors: Tensor = self.dense(pooled)
        return vectors

    def _way(self, states: Tensor, weights: dict[str, Tensor], which: str) -> Tensor:
        """One layer in one direction: [n, longest, …] -> [n, longest, hidden].

        Padding comes after a text, so a plain LSTM reads the text first. On a CPU this is several
        times as fast as packed texts, whose gradients are summed over whole batches step by step.
        """
        start = states.new_zeros(1, len(states), self.settings.hidden)
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        flat = [weights[f"{name}_{which}"] for name in names]
        return torch.lstm(states, (start, start), flat, True, 1, 0.0, self.training, False, True)[0]

    def _weights(self) -> dict[str, Tensor]:
        """The LSTM's weights; while training, some recurrent connections are dropped."""
        rate = self.settings.recurrent_dropout if self.training else 0.0
        return {
            name: F.dropout(weight, rate) if name.startswith("weight_hh") else weight
            for name, weight in self.lstm.named_parameters()
        }


def initialise(lstm: nn.LSTM) -> None:
    """Orthogonal recurrent weights, and a forget-gate bias that opens these gates (Jozefowicz et
    al. 2015)."""
    for name, parameter in lstm.named_parameters():
        if name.startswith("weight_hh"):
            for gate in parameter.detach().chunk(4):
                nn.init.orthogonal_(gate)
        elif name.startswith("bias"):
            nn.init.zeros_(parameter)
        if name.startswith("bias_ih"):
            nn.init.ones_(parameter.detach().chunk(4)[1])


def encode_by_length(
    encode: Callable[[Sequence[Text]], Tensor], texts: Sequence[Text], size: int
) -> Tensor:
    """Encode at least one text, in batches of `size` texts of similar length.

    `encode` maps a batch to [size, width]; all texts of a batch take as many steps as the longest.
    Returns [n, width] in the order of the texts.
    """
    order = torch.tensor([len(text) for text in texts]).argsort(stable=True)
    batches = [encode([texts[i] for i in batch]) for batch in order.split(size)]
    return torch.cat(batches)[order.argsort()]


def _backwards(lengths: Tensor, longest: int) -> Tensor:
    """Indices of each text's steps from last to first; padding keeps its place: [n, longest]."""
    steps = torch.arange(longest)
    turned = lengths.unsqueeze(1) - 1 - steps
    return torch.where(turned >= 0, turned, steps)


def _taken(states: Tensor, places: Tensor) -> Tensor:
    """Select steps of each text by index: [n, longest, d], [n, k] -> [n, k, d]."""
    return states.gather(1, places.unsqueeze(-1).expand(-1, -1, states.shape[-1]))
