"""The Siamese network: all components of queries and tickets go through the same encoders."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ticketing.encoders.protocol import Texts
from ticketing.model.components import Components, wholes
from ticketing.model.settings import NetworkSettings
from ticketing.networks.channels import Channel, EmbeddedTexts
from ticketing.networks.metric import (
    distance_parts,
    present_coverage_weights,
    present_pair_weights,
)
from ticketing.networks.terms import fullness, missing_terms
from ticketing.networks.words import WordEmbedding


@dataclass(frozen=True)
class EncodedComponents:
    """The encoded components of B queries or tickets.

    `vectors` holds, by channel, [B, components, *shape of the encoder's texts].
    """

    vectors: dict[str, Tensor]
    present: Tensor
    """bool [B, components]."""

    def take(self, rows: Sequence[int]) -> "EncodedComponents":
        """Only these queries or tickets."""
        vectors = {channel: vector[rows] for channel, vector in self.vectors.items()}
        return EncodedComponents(vectors, self.present[rows])

    @classmethod
    def join(cls, pieces: Sequence["EncodedComponents"]) -> "EncodedComponents":
        """Concatenate several with the same channels."""
        if len(pieces) == 1:
            return pieces[0]
        vectors = {
            channel: torch.cat([piece.vectors[channel] for piece in pieces])
            for channel in pieces[0].vectors
        }
        return cls(vectors, torch.cat([piece.present for piece in pieces]))


class SiameseNetwork(nn.Module):
    """Encodes components and compares them by equation 1.

    U, V and W are stored as the inverse softplus of their values, so that they stay non-negative
    during training.
    """

    word_weights: Tensor
    """Weight of each word (idf), [V]."""
    compared: Tensor
    """Which pairs of components are compared, bool [P, R]."""

    def __init__(
        self,
        settings: NetworkSettings,
        words: WordEmbedding,
        word_weights: Tensor,
        encoders: Mapping[str, Channel],
        resources: Mapping[str, Any],
    ):
        """`word_weights` [V] are by word id; `encoders` and the `resources` from which they were
        built are by channel."""
        super().__init__()
        self.settings = settings
        self.resources = {c: found for c, found in resources.items() if c in settings.channels}
        self.words = words
        self.register_buffer("word_weights", word_weights)  # [V]
        self.encoders = nn.ModuleDict({c: cast(nn.Module, encoders[c]) for c in settings.channels})
        pairs = torch.tensor(settings.pair_weights())  # [P, R]
        self.register_buffer("compared", pairs > 0)
        self.pair_logits = nn.Parameter(_inverse_softplus(pairs))
        self.channel_logits = nn.Parameter(
            _inverse_softplus(torch.tensor(settings.channel_weights()))
        )
        self.coverage_logits = nn.Parameter(torch.full((len(pairs),), -torch.inf))

    @property
    def plugs(self) -> dict[str, Channel]:
        """The channels' encoders."""
        return {channel: cast(Channel, module) for channel, module in self.encoders.items()}

    @property
    def pair_weights(self) -> Tensor:
        """V [P, R], non-negative."""
        return F.softplus(self.pair_logits) * self.compared

    def set_weights(self, pair_weights: Tensor, channel_weights: Tensor) -> None:
        """Set V [P, R] and W [C]."""
        with torch.no_grad():
            self.pair_logits.copy_(_inverse_softplus(pair_weights))
            self.channel_logits.copy_(_inverse_softplus(channel_weights))

    @property
    def channel_weights(self) -> Tensor:
        """W [C], non-negative."""
        return F.softplus(self.channel_logits)

    @property
    def coverage_weights(self) -> Tensor:
        """U [P], non-negative; zeros until set, and without a channel of terms."""
        return F.softplus(self.coverage_logits) * bool(self.settings.sparse_channel)

    def set_coverage_weights(self, weights: Tensor) -> None:
        """Set U [P]."""
        with torch.no_grad():
            self.coverage_logits.copy_(_inverse_softplus(weights))

    def embed(
        self, ids: Tensor, spelled_only: float = 0.0, embedded: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Embed distinct word ids [U] -> embeddings [U, dims] (unless given) and weights [U].

        The vectors of a share `spelled_only` of the words are set to zero, as if the words were
        unknown.
        """
        embedded = self.words(ids) if embedded is None else embedded
        if spelled_only:
            keep = (torch.rand(len(ids), 1) >= spelled_only).expand(-1, self.settings.word_dims)
            spelling = keep.new_ones(len(ids), self.settings.character_dims)
            embedded = embedded * torch.cat([keep, spelling], dim=1)
        return embedded, self.word_weights[ids]

    def encode(
        self,
        items: Sequence[Components],
        embed: Callable[[Tensor], tuple[Tensor, Tensor]] | None = None,
    ) -> EncodedComponents:
        """Encode components of B queries or tickets given as word ids; `embed` replaces the method
        of this name."""
        present = torch.tensor([[bool(text) for text in item] for item in items])
        ids = [text for item in items for text in item if text]
        texts = self._texts(Texts(ids, wholes(items)), embed or self.embed) if ids else None
        vectors = {}
        for channel, encoder in self.plugs.items():
            vectors[channel] = encoder.blank(*present.shape)  # [B, components, *shape]
            if texts:
                encoded = encoder(texts)  # [n, *shape]
                places = present.view(*present.shape, *[1] * (encoded.dim() - 1))
                vectors[channel] = vectors[channel].masked_scatter(places, encoded)
        return EncodedComponents(vectors, present)

    def _texts(
        self, texts: Texts, embed: Callable[[Tensor], tuple[Tensor, Tensor]]
    ) -> EmbeddedTexts:
        distinct = torch.from_numpy(texts.words).unique()
        return EmbeddedTexts(texts, distinct, *embed(distinct))

    def query_shares(self, query: EncodedComponents) -> Tensor:
        """The shares with which the components of B queries count, 0 if missing: float32 [B, P]."""
        if sparse := self.settings.sparse_channel:
            return query.present * fullness(query.vectors[sparse], self.settings.full_terms)
        return query.present.float()

    def matched_parts(self, query: EncodedComponents, ticket: EncodedComponents) -> Tensor:
        """Parts of the distance of B queries to B tickets, one to one: [B, P, R, C]."""
        shares = self.query_shares(query)  # [B, P]
        weights = present_pair_weights(self.pair_weights, shares, ticket.present)
        return distance_parts(self.matched_distances(query, ticket), weights, self.channel_weights)

    def matched_distance(self, query: EncodedComponents, ticket: EncodedComponents) -> Tensor:
        """-log g of B queries and B tickets, one to one: [B]."""
        distances = self.matched_parts(query, ticket).sum((-3, -2, -1))
        if sparse := self.settings.sparse_channel:
            missing = [
                missing_terms(one, other)[0, 0]  # [P]
                for one, other in zip(
                    query.vectors[sparse].split(1), ticket.vectors[sparse].split(1), strict=True
                )
            ]
            shares = self.query_shares(query)  # [B, P]
            weights = present_coverage_weights(self.coverage_weights, shares)  # [B, P]
            distances = distances + (torch.stack(missing) * weights).sum(-1)
        return distances

    def matched_distances(self, query: EncodedComponents, ticket: EncodedComponents) -> Tensor:
        """Unweighted distances of B queries to B tickets, one to one: [B, P, R, C]."""
        apart = [e.matched(query.vectors[c], ticket.vectors[c]) for c, e in self.plugs.items()]
        return torch.stack(apart, -1)

    def crossed_distance(self, query: EncodedComponents, ticket: EncodedComponents) -> Tensor:
        """-log g of all B queries and N tickets: [B, N]; infinite for pairs that cannot be
        compared."""
        apart, comparable = self.crossed_channels(query, ticket)
        distances = (apart * self.channel_weights).sum(-1) + self.crossed_coverage(query, ticket)
        return distances.masked_fill(~comparable, torch.inf)

    def crossed_coverage(self, query: EncodedComponents, ticket: EncodedComponents) -> Tensor:
        """What U adds to the distances of all B queries and N tickets: [B, N]."""
        shares = self.query_shares(query)  # [B, P]
        weights = present_coverage_weights(self.coverage_weights, shares)  # [B, P]
        return (self.crossed_missing(query, ticket) * weights.unsqueeze(1)).sum(-1)

    def crossed_missing(self, query: EncodedComponents, ticket: EncodedComponents) -> Tensor:
        """The share of each query component that a ticket lacks, before weighting by U: [B, N, P].

        Zeros without a channel of terms.
        """
        if sparse := self.settings.sparse_channel:
            return missing_terms(query.vectors[sparse], ticket.vectors[sparse])
        return torch.zeros(len(query.present), len(ticket.present), query.present.shape[1])

    def crossed_channels(
        self, query: EncodedComponents, ticket: EncodedComponents
    ) -> tuple[Tensor, Tensor]:
        """Distances by channel over all pairs, before weighting by W: [B, N, C]; and which queries
        and tickets can be compared: [B, N]."""
        pair_weights = present_pair_weights(
            self.pair_weights, self.query_shares(query).unsqueeze(1), ticket.present.unsqueeze(0)
        )  # [B, N, P, R]
        apart = self.crossed_distances(query, ticket)  # C times [B, N, P, R]
        totals = torch.stack([(one * pair_weights).sum((-2, -1)) for one in apart], -1)
        return totals, pair_weights.sum((-2, -1)) > 0

    def crossed_distances(
        self, query: EncodedComponents, ticket: EncodedComponents
    ) -> list[Tensor]:
        """Unweighted distances of all B queries and N tickets: C times [B, N, P, R]."""
        return [
            encoder.crossed(query.vectors[channel], ticket.vectors[channel], self.compared)
            for channel, encoder in self.plugs.items()
        ]


def _inverse_softplus(values: Tensor) -> Tensor:
    """The x for which softplus(x) is `values` (0 becomes a very small weight)."""
    clamped = values.clamp_min(1e-6)
    return clamped + (-(-clamped).expm1()).log()
