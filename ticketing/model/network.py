"""The replicated Siamese network: every component of both sides through the same channels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ticketing.encoders.lstm import TextLSTM
from ticketing.encoders.sentence_transformer import SentenceChannel
from ticketing.encoders.sumemb import sum_embeddings
from ticketing.encoders.terms import TERMS, LexicalChannel, crossed_terms, matched_terms
from ticketing.encoders.topics import TopicChannel
from ticketing.encoders.words import WordEmbedding
from ticketing.model.metric import (
    crossed_distances,
    distance_parts,
    matched_distances,
    present_pair_weights,
)
from ticketing.model.settings import Channel, NetworkSettings

Components = tuple[list[int], ...]
"""One text's components as word ids, in the settings' order; an empty list is missing."""


@dataclass(frozen=True)
class Side:
    """Encoded components of B texts: vectors by channel [B, components, D] (of L: [B, components,
    2, TERMS]), and what is present."""

    vectors: dict[Channel, Tensor]
    present: Tensor
    """bool [B, components]."""

    def take(self, rows: Sequence[int]) -> "Side":
        """These texts only."""
        vectors = {channel: vector[rows] for channel, vector in self.vectors.items()}
        return Side(vectors, self.present[rows])


class SiameseNetwork(nn.Module):
    """Encodes components and compares them by equation 1.

    V and W are kept as softplus of free parameters, so that they stay non-negative when
    learned.
    """

    def __init__(
        self,
        settings: NetworkSettings,
        words: WordEmbedding,
        word_weights: Tensor,
        topics: TopicChannel | None,
        sentences: SentenceChannel | None,
        lexical: LexicalChannel | None,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.settings = settings
        self.words = words
        self.register_buffer("word_weights", word_weights)  # [V]
        self.topics = topics
        self.sentences = sentences
        self.lexical = lexical
        self.lstm = (
            TextLSTM(words.dims, settings.hidden, dropout, settings.pooling)
            if "h" in settings.channels
            else None
        )
        pairs = torch.tensor(settings.pair_weights())  # [P, R]
        self.register_buffer("compared", pairs > 0)
        self.pair_logits = nn.Parameter(_inverse_softplus(pairs))
        self.channel_logits = nn.Parameter(
            _inverse_softplus(torch.tensor(settings.channel_weights()))
        )

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

    def embed(self, ids: Tensor, spelled_only: float = 0.0) -> tuple[Tensor, Tensor]:
        """Distinct word ids [U] -> embeddings [U, dims] and weights [U].

        A share `spelled_only` of the words loses its vector, as unknown words have none.
        """
        embedded = self.words(ids)
        if spelled_only:
            keep = (torch.rand(len(ids), 1) >= spelled_only).expand(-1, self.settings.word_dims)
            spelling = keep.new_ones(len(ids), self.settings.character_dims)
            embedded = embedded * torch.cat([keep, spelling], dim=1)
        return embedded, self.word_weights[ids]

    def encode(
        self,
        sides: Sequence[Components],
        embed: Callable[[Tensor], tuple[Tensor, Tensor]] | None = None,
        unknown: Sequence[str] = (),
    ) -> Side:
        """Components of B texts as word ids -> their vectors; `embed` replaces the method above.

        Ids from len(vocabulary) on are the words of `unknown`.
        """
        present = torch.tensor([[bool(text) for text in side] for side in sides])
        texts = [text for side in sides for text in side if text]
        vectors = {c: torch.zeros(*present.shape, d) for c, d in self.settings.dims().items()}
        if texts:
            flat = torch.tensor([word for text in texts for word in text])
            distinct, local = flat.unique(return_inverse=True)
            embedded, weights = (embed or self.embed)(distinct)
            split = local.split([len(text) for text in texts])
            for channel, spread in vectors.items():
                dense = self._channel(channel, embedded, weights, split, texts, unknown)  # [n, D]
                vectors[channel] = spread.masked_scatter(present.unsqueeze(-1), dense)
        if self.lexical:
            terms = torch.zeros(*present.shape, 2, TERMS, dtype=torch.int32)
            terms[present] = self.lexical(texts, unknown)
            vectors["L"] = terms
        return Side(vectors, present)

    def _channel(
        self,
        channel: Channel,
        embedded: Tensor,
        weights: Tensor,
        local: Sequence[Tensor],
        texts: Sequence[list[int]],
        unknown: Sequence[str],
    ) -> Tensor:
        """One channel of n texts, given as rows of `embedded` and as word ids: [n, D]."""
        if channel == "h":
            return self.lstm(embedded, local, self.settings.max_words)
        if channel == "E":
            return sum_embeddings(embedded, local, weights)
        return self.sentences(texts, unknown) if channel == "S" else self.topics(texts)

    def matched_parts(self, query: Side, ticket: Side) -> Tensor:
        """Parts of the distance of B queries to B tickets, one to one: [B, P, R, C]."""
        weights = present_pair_weights(self.pair_weights, query.present, ticket.present)
        return distance_parts(self.matched_distances(query, ticket), weights, self.channel_weights)

    def matched_distances(self, query: Side, ticket: Side) -> Tensor:
        """Unweighted distances of B queries to B tickets, one to one: [B, P, R, C]."""
        return torch.stack(
            [
                (matched_terms if c == "L" else matched_distances)(
                    query.vectors[c], ticket.vectors[c]
                )
                for c in self.settings.channels
            ],
            -1,
        )

    def crossed_distance(self, query: Side, ticket: Side) -> Tensor:
        """-log g of B queries and N tickets, each with each: [B, N]; infinite if incomparable."""
        apart, comparable = self.crossed_channels(query, ticket)
        return (apart * self.channel_weights).sum(-1).masked_fill(~comparable, torch.inf)

    def crossed_channels(self, query: Side, ticket: Side) -> tuple[Tensor, Tensor]:
        """What W weighs, distances by channel over all pairs [B, N, C]; which compare [B, N]."""
        pair_weights = present_pair_weights(
            self.pair_weights, query.present.unsqueeze(1), ticket.present.unsqueeze(0)
        )  # [B, N, P, R]
        apart = self.crossed_distances(query, ticket)  # C times [B, N, P, R]
        totals = torch.stack([(one * pair_weights).sum((-2, -1)) for one in apart], -1)
        return totals, pair_weights.sum((-2, -1)) > 0

    def crossed_distances(self, query: Side, ticket: Side) -> list[Tensor]:
        """Unweighted distances of B queries and N tickets, each with each: C times [B, N, P, R]."""
        return [
            crossed_terms(query.vectors[c], ticket.vectors[c])
            if c == "L"
            else crossed_distances(query.vectors[c], ticket.vectors[c], self.compared)
            for c in self.settings.channels
        ]


def _inverse_softplus(values: Tensor) -> Tensor:
    """The x for which softplus(x) is `values` (0 becomes a very small weight)."""
    clamped = values.clamp_min(1e-6)
    return clamped + (-(-clamped).expm1()).log()
