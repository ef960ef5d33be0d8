"""Grid search of V and W, with the grid of Table 2 (Gupta et al. 2018)."""

import itertools
from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor

from ticketing.encoders.registry import ENCODERS
from ticketing.model.settings import Level
from ticketing.networks.metric import distance_parts, present_pair_weights, similarity
from ticketing.networks.siamese import SiameseNetwork
from ticketing.tickets import Label
from ticketing.training.sampling import Archive
from ticketing.training.texts import FieldIds

LEVEL_GRID: dict[Level, tuple[float, ...]] = {
    "same level": (0.3, 0.4),
    "subject and description": (0.1, 0.2, 0.3),
    "solution": (0.1, 0.2),
}
"""The grid of V in Table 2."""


def search_weights(
    network: SiameseNetwork,
    archive: Archive,
    queries: Mapping[str, FieldIds],
    labels: Sequence[Label],
) -> None:
    """Set V and W to the point of Table 2's grid with the least squared error on labels.

    The network is not trained again for each point; only the weights of its distances change. The
    scale of W is kept.
    """
    scale = network.channel_weights.sum()
    wanted = torch.tensor([x.grade.label for x in labels])
    with torch.no_grad():
        query = network.encode([archive.query(queries[x.query.id]) for x in labels])
        ticket = network.encode([archive.ticket(archive.tickets[x.ticket_id]) for x in labels])
        apart = network.matched_distances(query, ticket)  # [B, P, R, C]
        shares = network.query_shares(query)  # [B, P]
        least, best = torch.inf, (network.pair_weights, network.channel_weights)
        for pairs, channels in _grid(network):
            weights = channels / channels.sum() * scale
            scaled = present_pair_weights(pairs, shares, ticket.present)
            error = (similarity(distance_parts(apart, scaled, weights)) - wanted).square().mean()
            if error < least:
                least, best = float(error), (pairs, weights)
    network.set_weights(*best)


def _grid(network: SiameseNetwork) -> Iterator[tuple[Tensor, Tensor]]:
    """All combinations of V [P, R] and W [C]; the grid of W comes from each encoder's kind."""
    levels = network.settings.pair_levels()
    channels = [ENCODERS[channel].grid for channel in network.settings.channels]
    for values in itertools.product(*LEVEL_GRID.values()):
        value_of = dict(zip(LEVEL_GRID, values, strict=True))
        pairs = torch.tensor(
            [[value_of[level] if level else 0.0 for level in row] for row in levels]
        )
        for weights in itertools.product(*channels):
            yield pairs, torch.tensor(weights)
