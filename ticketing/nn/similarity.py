"""Similarity of two vectors: of n pairs, one per row, or of any shapes that broadcast."""

import torch
import torch.nn.functional as F
from torch import Tensor


def cosine(one: Tensor, other: Tensor) -> Tensor:
    """Cosine of the angle, the energy E of Neculoiu et al. (2016): [n, D] twice -> [n], -1 to 1."""
    return F.cosine_similarity(one, other, dim=-1)


def exp_l1(one: Tensor, other: Tensor) -> Tensor:
    """exp(-||a - b||_1) of Mueller and Thyagarajan (2016): [n, D] twice -> [n], 0 to 1."""
    return torch.exp(-(one - other).abs().sum(-1))


def exp_l2(one: Tensor, other: Tensor) -> Tensor:
    """exp(-||a - b||_2): [n, D] twice -> [n], 0 to 1."""
    return torch.exp(-torch.linalg.vector_norm(one - other, dim=-1))
