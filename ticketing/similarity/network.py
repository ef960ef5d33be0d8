"""The replicated Siamese network: every component of both sides through the same channels."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ticketing.channels.lstm import TextLSTM, pad_texts
from ticketing.channels.sumemb import sum_embeddings
from ticketing.channels.topics import TopicChannel
from ticketing.channels.words import WordEmbedding
from ticketing.similarity.config import Channel, NetworkSettings
from ticketing.similarity.metric import (
    crossed_distances,
    distance_parts,
    matched_distances,
    present_pair_weights,
)

Components = tuple[list[int], ...]
"""One text's components as word ids, in the settings' order; an empty list is missing."""


@dataclass(frozen=True)
class Side:
    """Encoded components of B texts: a vector a channel [B, components, D], and which are present."""

    vectors: dict[Channel, Tensor]
    present: Tensor
    """bool [B, components]."""


class SiameseNetwork(nn.Module):
    """Encodes components and compares them by equation 1.

    V and W are kept as softplus of free parameters, so that they stay non-negative when
    learned. `scale` divides each channel's distance by what unrelated texts are apart.
    """

    def __init__(
        self,
        settings: NetworkSettings,
        words: WordEmbedding,
        word_weights: Tensor,
        topics: TopicChannel | None,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.settings = settings
        self.words = words
        self.register_buffer("word_weights", word_weights)  # [V]
        self.topics = topics
        self.lstm = (
            TextLSTM(words.dims, settings.hidden, dropout) if "h" in settings.channels else None
        )
        pairs = torch.tensor(settings.pair_weights())  # [P, R]
        self.register_buffer("compared", pairs > 0)
        self.pair_logits = nn.Parameter(_inverse_softplus(pairs))
        self.channel_logits = nn.Parameter(_inverse_softplus(torch.tensor(settings.channel_weights())))

    @property
    def pair_weights(self) -> Tensor:
        """V [P, R], non-negative."""
        return F.softplus(self.pair_logits) * self.compared

    @property
    def channel_weights(self) -> Tensor:
        """W [C], non-negative."""
        return F.softplus(self.channel_logits)

    def embed(self, texts: Sequence[list[int]], spelled_only: float = 0.0):
        """Embeddings [U, dims] and weights [U] of the words of `texts`, and the texts in local ids.

        A share `spelled_only` of the words loses its word vector, as unknown words have none.
        """
        flat = torch.tensor([word for text in texts for word in text])
        known, local = flat.unique(return_inverse=True)
        embedded = self.words(known)  # [U, dims]
        weights = self.word_weights[known]
        if spelled_only:
            keep = torch.rand(len(known), 1) >= spelled_only
            vectors = embedded[:, : self.settings.word_dims] * keep
            embedded = torch.cat([vectors, embedded[:, self.settings.word_dims :]], dim=1)
        ids = iter(local.tolist())
        return embedded, weights, [[next(ids) for _ in text] for text in texts]

    def encode_texts(
        self, embedded: Tensor, weights: Tensor, local: list[list[int]], texts: Sequence[list[int]]
    ) -> dict[Channel, Tensor]:
        """n non-empty texts, given in local ids and in vocabulary ids -> channel vectors [n, D]."""
        vectors: dict[Channel, Tensor] = {}
        for channel in self.settings.channels:
            if channel == "h":
                ids, lengths = pad_texts(local, self.settings.max_words)
                vectors["h"] = self.lstm(F.embedding(ids, embedded), lengths)
            elif channel == "E":
                vectors["E"] = sum_embeddings(embedded, local, weights)
            else:
                vectors["T"] = self.topics(texts)
        return vectors

    def encode(self, sides: Sequence[Components], spelled_only: float = 0.0) -> Side:
        """Components of B texts as word ids -> their vectors."""
        present = torch.tensor([[bool(text) for text in side] for side in sides])
        texts = [text for side in sides for text in side if text]
        shape = (*present.shape,)
        if not texts:
            dims = self.settings.dims()
            return Side({c: torch.zeros(*shape, d) for c, d in dims.items()}, present)
        embedded, weights, local = self.embed(texts, spelled_only)
        vectors = {}
        for channel, dense in self.encode_texts(embedded, weights, local, texts).items():
            spread = dense.new_zeros(*shape, dense.shape[1])  # [B, components, D]
            vectors[channel] = spread.masked_scatter(present.unsqueeze(-1), dense)
        return Side(vectors, present)

    def matched_parts(self, query: Side, ticket: Side) -> Tensor:
        """Parts of the distance of B queries to B tickets, one to one: [B, P, R, C]."""
        distances = torch.stack(
            [matched_distances(query.vectors[c], ticket.vectors[c]) for c in self.settings.channels], -1
        )
        weights = present_pair_weights(self.pair_weights, query.present, ticket.present)
        return distance_parts(distances, weights, self.channel_weights)

    def crossed_distance(self, query: Side, ticket: Side) -> Tensor:
        """-log g of B queries to N tickets, each with each: [B, N]; infinite where nothing compares."""
        pair_weights = present_pair_weights(
            self.pair_weights, query.present.unsqueeze(1), ticket.present.unsqueeze(0)
        )  # [B, N, P, R]
        total = 0
        for channel, weight in zip(self.settings.channels, self.channel_weights, strict=True):
            apart = crossed_distances(query.vectors[channel], ticket.vectors[channel], self.compared)
            total = total + weight * (apart * pair_weights).sum((-2, -1))  # [B, N]
        return total.masked_fill(pair_weights.sum((-2, -1)) == 0, torch.inf)


def _inverse_softplus(values: Tensor) -> Tensor:
    """The x for which softplus(x) is `values` (0 becomes a very small weight)."""
    return values.clamp_min(1e-6).expm1().log()
