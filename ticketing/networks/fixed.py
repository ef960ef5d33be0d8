"""Channels without trainable parameters: wrappers of the encoders that serve."""

import torch
from torch import Tensor, nn

from ticketing.encoders.protocol import Encoder
from ticketing.encoders.terms import TERMS
from ticketing.networks.channels import DenseChannel, EmbeddedTexts
from ticketing.networks.terms import crossed_terms, matched_terms


class FixedVectors(DenseChannel):
    """A dense channel with an encoder's vectors."""

    def __init__(self, encoder: Encoder):
        super().__init__(*encoder.shape)
        self.encoder = encoder

    def forward(self, texts: EmbeddedTexts) -> Tensor:
        """n texts -> [n, width]."""
        return torch.from_numpy(self.encoder(texts.texts))


class FixedTerms(nn.Module):
    """A sparse channel with an encoder's terms."""

    def __init__(self, encoder: Encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, texts: EmbeddedTexts) -> Tensor:
        """n texts -> int32 [n, 2, TERMS]."""
        return torch.from_numpy(self.encoder(texts.texts))

    def blank(self, *leading: int) -> Tensor:
        """See Channel: int32 [*leading, 2, TERMS]."""
        return torch.zeros(*leading, 2, TERMS, dtype=torch.int32)

    def matched(self, query: Tensor, ticket: Tensor) -> Tensor:
        """See Channel: int [B, P, 2, TERMS], [B, R, 2, TERMS] -> [B, P, R]."""
        return matched_terms(query, ticket)

    def crossed(self, query: Tensor, ticket: Tensor, compared: Tensor) -> Tensor:
        """See Channel: int [B, P, 2, TERMS], [N, R, 2, TERMS] -> [B, N, P, R], every pair."""
        return crossed_terms(query, ticket)
