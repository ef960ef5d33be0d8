"""How much the words themselves count at a desk of which nobody judged anything yet.

Training knows the tickets' own texts alone, so it trusts vectors that come from those more than
people's queries do, the more so the fewer tickets there were to learn vectors from; and the
tickets' own subjects as validation queries do not show it. Words need no learning. So channel L
has a share that was good at desks without labels, and what training found counts the more the
more judged queries there are. What a ticket lacks of a query (coverage) counts less than training
found: a ticket cut in two has the words of its other half, people's tickets do not have the words
of their queries.
"""

import torch
from torch import Tensor

from ticketing.networks.siamese import SiameseNetwork
from ticketing.training.sampling import Archive

SMALL, SMALL_SHARE = 200, 0.8
"""Tickets of a small archive, and L's share there of the distance of unrelated texts. (Chosen on
aviation records, the demonstration base and a tracker's 2012.)"""

TAUGHT_SHARE = 0.6
"""The same where a teacher read the words, those too that no ticket has. (Chosen on aviation
records and the demonstration base, from .4, .6 and .8.)"""

LARGE_SHARE = 0.4
"""The same of an archive of thousands. (Chosen on aviation records and a tracker's 2012.)"""

SMALL_COVERAGE = 0.35
"""What remains of U at a small archive, beside channel L. (Chosen on aviation records, the
demonstration base and two other trackers, each left out once.)"""

QUERIES = 10
"""So many judged queries count as much as these shares."""

SAMPLE = 200


def lean_on_words(
    network: SiameseNetwork, archive: Archive, queries: int, taught: bool = False
) -> None:
    """Set what channel L weighs, where there is one beside others, by how much was learned from:
    the archive's tickets, a teacher or none, and judged `queries`, by which weights are fitted
    next.

    That is its W and, of what remains of it, U.
    """
    channels, sparse = network.settings.channels, network.settings.sparse_channel
    if sparse is None or len(channels) == 1:
        return
    apart, whole = unrelated_distances(network, archive)
    weights = network.channel_weights.detach()
    coverage = network.coverage_weights.detach()
    place = channels.index(sparse)
    terms = weights[place] * apart[place]
    others = weights @ apart - terms
    tickets, prior = len(archive.tickets), QUERIES / (QUERIES + queries)
    kept = coverage_kept(tickets) ** prior
    words = terms + kept * whole
    found = words / others  # the odds of words
    if not (found.isfinite() and found > 0):
        return
    share = word_share(tickets, taught)
    odds = (share / (1 - share)) ** prior * found ** (1 - prior)
    changed = weights.clone()
    changed[place] *= odds / found
    scale = (terms + whole + others) / (words * odds / found + others)
    network.set_weights(network.pair_weights.detach(), changed * scale)
    if coverage.any():
        network.set_coverage_weights(coverage * kept * odds / found * scale)


def word_share(tickets: int, taught: bool = False) -> float:
    """L's share, with U, at a desk of so many tickets without labels."""
    small = TAUGHT_SHARE if taught else SMALL_SHARE
    return LARGE_SHARE + (small - LARGE_SHARE) * _smallness(tickets)


def coverage_kept(tickets: int) -> float:
    """What remains of U beside L at a desk of so many tickets without labels."""
    return 1 - (1 - SMALL_COVERAGE) * _smallness(tickets)


def _smallness(tickets: int) -> float:
    """1 up to SMALL tickets, falling to 0."""
    return min(1.0, SMALL / max(tickets, 1))


def unrelated_distances(network: SiameseNetwork, archive: Archive) -> tuple[Tensor, Tensor]:
    """What W weighs, by channel [C], and what U adds, a scalar, on average over pairs of evenly
    spaced tickets; no numbers where no two can be compared."""
    ids = sorted(archive.tickets)
    some = [archive.tickets[id] for id in ids[:: len(ids) // SAMPLE + 1]]
    with torch.inference_mode():
        queries = network.eval().encode([archive.query(fields) for fields in some])
        tickets = network.encode([archive.ticket(fields) for fields in some])
        apart, comparable = network.crossed_channels(queries, tickets)
        whole = network.crossed_coverage(queries, tickets)
    return apart[comparable].mean(0).clone(), whole[comparable].mean().clone()
