"""What pairs and triplets of texts are trained to make small."""

from torch import Tensor


def contrastive(energy: Tensor, same: Tensor, margin: float) -> Tensor:
    """Mean contrastive loss of pairs with energies E [n], bool `same` [n] (Neculoiu et al. 2016).

    A pair of one group costs (1 - E)^2 / 4. A pair of two groups costs E^2 where E exceeds
    `margin`, and nothing below it.
    """
    alike = (1 - energy).square() / 4
    apart = energy.square() * (energy > margin)
    return alike.where(same, apart).mean()


def triplet(positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """Mean of max(0, margin - (E+ - E-)) for energies with a text of one's own group and with one
    of another: [n] twice -> scalar."""
    return (margin - positive + negative).clamp_min(0).mean()
