"""What a network is trained to make small."""

import torch
import torch.nn.functional as F
from torch import Tensor


def label_error(similarities: Tensor, labels: Tensor) -> Tensor:
    """Mean squared error of g [B] against labels in [0, 1] [B] (Gupta et al., section 2.1)."""
    return F.mse_loss(similarities, labels)


def in_batch_ranking(distances: Tensor, weights: Tensor, positives: Tensor) -> Tensor:
    """Cross-entropy of picking the right ticket among the batch's, and the right query among its queries.

    `distances` [B, B] holds -log g of query i and ticket j, the diagonal is right;
    `weights` [B] says how much each pair counts (REL less than YES); other cells where
    bool `positives` [B, B] is True are right as well and therefore not held against the pair.
    """
    others = positives & ~torch.eye(len(distances), dtype=torch.bool)
    logits = (-distances).masked_fill(others, -torch.inf)
    target = torch.arange(len(distances))
    forward = F.cross_entropy(logits, target, reduction="none")  # [B]
    backward = F.cross_entropy(logits.T, target, reduction="none")  # [B]
    return ((forward + backward) / 2 * weights).sum() / weights.sum()
