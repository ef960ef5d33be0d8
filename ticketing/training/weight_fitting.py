"""U, V and W fitted to queries whose judgments the network was not trained on.

Their texts are not new to it: they count into the vocabulary and, where these come from no file,
the word vectors, as every judged query's do.

In training the network comes to know its own examples, so the weights it learns there trust
its vectors more than they deserve. Only a dozen numbers are fitted here, each held near what
training found, so few queries are enough and none changes nothing. One scale of U and W is held
by itself: what a unit of distance is worth takes fewer queries to tell. Weak queries change nothing
either: the ticket that one is to find lacks its subject, which would teach V that subjects matter
little. Time has no part in it: it adds what the texts leave open (`recency_fitting`), and would
hide here which of them finds what.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from ticketing.networks.metric import present_coverage_weights, present_pair_weights
from ticketing.networks.siamese import SiameseNetwork
from ticketing.tickets import Grade
from ticketing.training.validation import ValidationSet

MOST_OTHERS = 1000
"""Candidates that no query is answered by and that right ones are told from."""

HOLD = 10.0
"""What a change of a weight, or of the scale, by a factor of e costs, beside a query's
cross-entropy. (With 1, twenty queries made the ranking worse than none did.)"""

TAUGHT_HOLD = 100.0
"""What that of a weight costs where a teacher taught the network, which then owes little to its own
examples. (With 10, fifty to a hundred queries made the ranking of two trackers worse.)"""

ITERATIONS = 60


def fit_weights(
    network: SiameseNetwork,
    validation: ValidationSet,
    on_step: Callable[[], object] = lambda: None,
    hold: float = HOLD,
) -> None:
    """Set the U, V and W that best tell right candidates from others; `hold` is that of a weight.
    `on_step` is called before each step, and what it raises ends the work."""
    worth = query_worths(validation)
    if not worth.any():
        return
    columns = _columns(validation)
    apart, missing, shares, right, allowed = _measured(network, validation, columns)
    pairs = network.pair_weights.detach()
    channels = network.channel_weights.detach()
    coverage = network.coverage_weights.detach()
    sizes = [pairs.numel(), len(channels), len(coverage)]
    changes = torch.zeros(sum(sizes) + 1, requires_grad=True)  # logarithms; the scale is the last

    def weights() -> tuple[Tensor, Tensor, Tensor]:
        pair, channel, whole, scale = changes.exp().split([*sizes, 1])
        return pairs * pair.view_as(pairs), channels * channel * scale, coverage * whole * scale

    def loss() -> Tensor:
        on_step()
        pair, channel, whole = weights()
        scaled = present_pair_weights(pair, *shares)  # [n, N, P, R]
        distances = ((apart * channel).sum(-1) * scaled).sum((-2, -1))
        distances = distances + (missing * present_coverage_weights(whole, shares[0])).sum(-1)
        logits = (-distances).masked_fill(~allowed, -torch.inf)
        missed = logits.logsumexp(1) - logits.masked_fill(~right, -torch.inf).logsumexp(1)
        held = hold * changes[:-1].square().sum() + HOLD * changes[-1].square()
        total = (missed * worth).sum() + held
        total.backward()
        return total

    minimise(loss, changes)
    with torch.no_grad():
        pair, channel, whole = weights()
        scale = pair.sum() / pairs.sum()
        network.set_weights(pair / scale, channel * scale)
        if coverage.any():
            network.set_coverage_weights(whole)


class _Diverged(Exception):
    """A step of the line search went where the loss is no number."""


def minimise(loss: Callable[[], Tensor], parameters: Tensor) -> None:
    """Set parameters (in place) to where a loss that also sets their gradient is smallest.

    L-BFGS with a strong Wolfe line search. Near the minimum the search may reach out so far that
    the loss is no number; then the best point so far stands.
    """
    best, lowest = parameters.detach().clone(), float("inf")
    optimizer = torch.optim.LBFGS([parameters], max_iter=ITERATIONS, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        nonlocal best, lowest
        optimizer.zero_grad()
        found = loss()
        if not found.isfinite():
            raise _Diverged
        if found.item() < lowest:
            best, lowest = parameters.detach().clone(), found.item()
        return found

    try:
        optimizer.step(closure)
    except _Diverged:
        parameters.data.copy_(best)


def _columns(validation: ValidationSet) -> list[int]:
    """The right candidates, and evenly spaced others."""
    right = validation.right.any(0)
    others = [column for column, is_right in enumerate(right.tolist()) if not is_right]
    step = max(len(others) // MOST_OTHERS, 1)
    return sorted([*right.nonzero().flatten().tolist(), *others[::step]])


def _measured(
    network: SiameseNetwork, validation: ValidationSet, columns: list[int]
) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor], Tensor, Tensor]:
    """Distances [n, N, P, R, C], what candidates lack of the queries [n, N, P], in which part the
    components of either count, which are right, which count at all.

    Queries none of whose right candidates can be compared count as if they were not there.
    """
    queries, candidates = validation.encode(network)
    candidates = candidates.take(columns)
    with torch.no_grad():
        apart = torch.stack(network.crossed_distances(queries, candidates), -1)
        missing = network.crossed_missing(queries, candidates)
    shares = network.query_shares(queries).unsqueeze(1), candidates.present.unsqueeze(0)
    scaled = present_pair_weights(network.pair_weights.detach(), *shares)
    right = validation.right[:, columns]
    allowed = (validation.eligible[:, columns] & (scaled.sum((-2, -1)) > 0)) & (
        right | ~validation.graded[:, columns]
    )
    right = right & allowed
    hopeless = ~right.any(1, keepdim=True)
    return apart, missing, shares, right | hopeless, allowed | hopeless


def query_worths(validation: ValidationSet) -> Tensor:
    """What each query counts: [queries]. One with a YES 1, with a REL half, a weak one nothing."""
    worth = {Grade.YES: 1.0, Grade.REL: 0.5}
    best = [0.0 if x.weak else worth[max(x.grades.values())] for x in validation.queries]
    return torch.tensor(best)
