"""What pairs and triplets of texts are trained to make small."""

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
    """Equation 13 to the letter: a pair of two groups costs E^2 where E is *below* `margin`.

    The most alike strangers then cost nothing, so that nothing parts them; kept to measure that.
    """
    alike = (1 - energy).square() / 4
    apart = energy.square() * (energy < margin)
    return alike.where(same, apart).mean()


def triplet(positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """Mean of max(0, margin - (E+ - E-)) for energies with a text of one's own group and with one
    of another: [n] twice -> scalar."""
    return (margin - positive + negative).clamp_min(0).mean()


def softmax(energies: Tensor, same: Tensor, temperature: float) -> Tensor:
    """Mean cross-entropy of finding each row's own column, and each column's own row.

    energies [n, n] with the pairs of one group on the diagonal; bool `same` [n, n] marks texts of
    one group, which beside the diagonal are no rivals.
    """
    own = torch.arange(len(energies))
    rivals = ~same | torch.eye(len(energies), dtype=torch.bool)
    logits = (energies / temperature).masked_fill(~rivals, -torch.inf)
    return (F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own)) / 2
