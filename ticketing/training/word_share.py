"""Sets the weight of channel L (shared words) at a desk with few or no judgments.

Without judgments, training sees only the tickets' own texts. It then trusts vectors learned from
those texts more than people's queries justify, especially in small archives, and validation queries
made of tickets' subjects do not show this. Words need no learning. So channel L gets a share of the
distance that was good at desks without labels; the more judged queries there are, the more the
trained weight counts. The weight of missing words (coverage, U) is reduced: the halves of a ticket
cut in two share words, but the right tickets of people's queries often lack the queries' words.
"""

import torch
from torch import Tensor

from ticketing.networks.siamese import SiameseNetwork
from ticketing.training.sampling import Archive

SMALL, SMALL_SHARE = 200, 0.8
"""Number of tickets of a small archive, and L's share of the distance of unrelated texts there.
(Chosen on aviation records, the demonstration base and a tracker's 2012.)"""

TAUGHT_SHARE = 0.6
"""The same if a teacher encoded the words, including words that no ticket has. (Chosen on aviation
records and the demonstration base, from .4, .6 and .8.)"""

LARGE_SHARE = 0.4
"""The same in an archive of thousands of tickets. (Chosen on aviation records and a tracker's
2012.)"""

SMALL_COVERAGE = 0.35
"""The factor of U in a small archive, relative to channel L. (Chosen on aviation records, the
demonstration base and two other trackers, each left out once.)"""

QUERIES = 10
"""Number of judged queries with which the trained weights count as much as these shares."""

SAMPLE = 200


def lean_on_words(
    network: SiameseNetwork, archive: Archive, queries: int, taught: bool = False
) -> None:
    """Set the weight of channel L if there are other channels too. It depends on the number of
    tickets, on whether there was a teacher, and on the number of judged `queries` (with which
    weights are fitted afterwards).

    This sets L's W and reduces U.
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
    """The share of L, with U, at a desk with this many tickets and no labels."""
    small = TAUGHT_SHARE if taught else SMALL_SHARE
    return LARGE_SHARE + (small - LARGE_SHARE) * _smallness(tickets)


def coverage_kept(tickets: int) -> float:
    """The factor of U, relative to L, at a desk with this many tickets and no labels."""
    return 1 - (1 - SMALL_COVERAGE) * _smallness(tickets)


def _smallness(tickets: int) -> float:
    """1 for up to SMALL tickets, then falling to 0."""
    return min(1.0, SMALL / max(tickets, 1))


def unrelated_distances(network: SiameseNetwork, archive: Archive) -> tuple[Tensor, Tensor]:
    """Mean distances by channel, before W, [C], and the mean that U adds, a scalar, over pairs of
    evenly spaced tickets; NaN if no two can be compared."""
    ids = sorted(archive.tickets)
    some = [archive.tickets[id] for id in ids[:: len(ids) // SAMPLE + 1]]
    with torch.inference_mode():
        queries = network.eval().encode([archive.query(fields) for fields in some])
        tickets = network.encode([archive.ticket(fields) for fields in some])
        apart, comparable = network.crossed_channels(queries, tickets)
        whole = network.crossed_coverage(queries, tickets)
    return apart[comparable].mean(0).clone(), whole[comparable].mean().clone()
