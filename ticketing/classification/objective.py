"""The loss of a batch of pairs, with terms for the hierarchy of groups and for NO verdicts."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import torch
import torch.nn.functional as F
from torch import Tensor

from ticketing.classification.network import CategoryNetwork
from ticketing.classification.pairs import Block, Pair
from ticketing.classification.settings import ObjectiveSettings
from ticketing.nn.losses import contrastive, contrastive_as_printed, in_batch_softmax, triplet

LEVEL = 0.1
"""Target energy of two groups, per level of the hierarchy that they share."""


def objective(
    network: CategoryNetwork,
    blocks: Sequence[Block],
    settings: ObjectiveSettings,
    codes: Mapping[str, str] = MappingProxyType({}),
) -> Tensor:
    """The loss of a batch of blocks: scalar. `codes` are as in Sources; they are used if the batch
    has several groups."""
    pairs = [pair for block in blocks for pair in block]
    vectors = network([p.one for p in pairs] + [p.other for p in pairs])  # [2n, width]
    one, other = vectors.chunk(2)
    same = torch.tensor([pair.same for pair in pairs])
    together, energies = [p for p in pairs if p.same], one[same] @ other[same].T
    same_group = _same_group(together)  # [n, n]
    loss = _of_groups(energies, same_group, settings)
    if settings.hierarchy and codes and not same_group.all():
        wanted = LEVEL * shared_levels([codes.get(p.group, "") for p in together])
        loss = loss + settings.hierarchy * (energies - wanted)[~same_group].square().mean()
    if not same.all():
        denied = (one[~same] * other[~same]).sum(-1)  # [titles of a NO]
        share = (~same).sum() / len(pairs)
        loss = loss + share * _denial(denied, settings)
    return loss


def shared_levels(codes: Sequence[str]) -> Tensor:
    """Number of levels, from the top, that each pair of codes shares: [n, n]."""
    longest = max(map(len, codes), default=0)
    places = torch.tensor([[ord(c) for c in code.ljust(longest)] for code in codes])
    same = places.unsqueeze(0) == places.unsqueeze(1)  # [n, n, levels]
    return same.cumprod(-1).sum(-1)


def _same_group(pairs: Sequence[Pair]) -> Tensor:
    """Which pairs have the same group: bool [n, n]."""
    number = {name: i for i, name in enumerate(dict.fromkeys(pair.group for pair in pairs))}
    group = torch.tensor([number[pair.group] for pair in pairs])
    return group == group.unsqueeze(1)


def _of_groups(energies: Tensor, same: Tensor, settings: ObjectiveSettings) -> Tensor:
    """The loss over all combinations of pairs that belong together: [n, n] twice -> scalar."""
    if settings.loss == "softmax":
        return in_batch_softmax(energies / settings.temperature, same)
    own = energies.diagonal()
    if settings.loss == "triplet":
        nearest = energies.masked_fill(same, -1).amax(1)
        return triplet(own, nearest, settings.margin)
    strangers = energies[~same]
    drawn = torch.randperm(len(strangers))[: settings.negatives * len(own)]
    chosen = torch.cat([own, strangers[drawn]])
    together = torch.arange(len(chosen)) < len(own)
    loss = contrastive if settings.loss == "contrastive" else contrastive_as_printed
    return loss(chosen, together, settings.margin)


def _denial(energies: Tensor, settings: ObjectiveSettings) -> Tensor:
    """The loss of texts and titles with a NO verdict: energies [n] -> scalar."""
    if settings.loss == "softmax":
        return F.softplus((energies - settings.margin) / settings.temperature).mean()
    return contrastive(energies, torch.zeros_like(energies).bool(), settings.margin)
