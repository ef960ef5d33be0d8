"""Losses for training on pairs and triplets of texts."""

import torch
import torch.nn.functional as F
from torch import Tensor


def contrastive(energy: Tensor, same: Tensor, margin: float) -> Tensor:
    """Mean contrastive loss of pairs with energies E [n], bool `same` [n] (Neculoiu et al. 2016).

    A pair of one group costs (1 - E)^2 / 4. A pair of two groups costs E^2 where E exceeds
    `margin`, and nothing below it.
    """
    alike = (1 - energy).square() / 4
    apart = energy.square() * (energy > margin)
    return alike.where(same, apart).mean()


def contrastive_as_printed(energy: Tensor, same: Tensor, margin: float) -> Tensor:
    """Equation 13 as printed: a pair of two groups costs E^2 if E is *below* `margin`.

    The most similar pairs of two groups then cost nothing, so nothing separates them; kept to
    measure that.
    """
    alike = (1 - energy).square() / 4
    apart = energy.square() * (energy < margin)
    return alike.where(same, apart).mean()


def triplet(positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """Mean of max(0, margin - (E+ - E-)) for energies with a text of the same group (E+) and of
    another group (E-): [n] twice -> scalar."""
    return (margin - positive + negative).clamp_min(0).mean()


def in_batch_softmax(logits: Tensor, also_right: Tensor, weights: Tensor | None = None) -> Tensor:
    """Cross-entropy of selecting each row's own column, and each own column's row: a scalar.

    logits [B, N >= B]; column i is row i's own, and columns from B on are no row's own. Other cells
    that are also right (bool `also_right` [B, N]) are left out. `weights` [B] are the rows' weights
    in the mean.
    """
    size = len(logits)
    own = torch.arange(size)
    others = also_right & ~torch.eye(*logits.shape, dtype=torch.bool)
    rivals = logits.masked_fill(others, -torch.inf)
    forward = F.cross_entropy(rivals, own, reduction="none")
    backward = F.cross_entropy(rivals[:, :size].T, own, reduction="none")
    losses = (forward + backward) / 2  # [B]
    return losses.mean() if weights is None else (losses * weights).sum() / weights.sum()


def in_batch_imitation(logits: Tensor, taught: Tensor) -> Tensor:
    """Cross-entropy between a teacher's and the network's softmax over rows and over columns: [B,
    B] twice -> scalar."""
    columns, rows = (
        -(F.softmax(taught, dim) * F.log_softmax(logits, dim)).sum(dim).mean() for dim in (0, 1)
    )
    return (columns + rows) / 2
