"""Fits U, V and W to judged queries on which the network was not trained.

The texts of these queries are in the vocabulary and, unless word vectors come from a file, in the
texts from which they were learned, as those of all judged queries.

A network knows its own training examples, so the weights learned in training trust its vectors too
much. Only a dozen numbers are fitted here, and each is held near its value from training. So few
queries are enough, and without any queries nothing changes. The common scale of U and W has a
penalty of its own, since fewer queries are needed to find it. Weak queries are not used: the ticket
that one should find has no subject, which would teach V that subjects matter little. The time part
is left out; it is fitted later (`recency_fitting`) and would obscure what the texts contribute.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from ticketing.networks.metric import present_coverage_weights, present_pair_weights
from ticketing.networks.siamese import SiameseNetwork
from ticketing.tickets import Grade
from ticketing.training.validation import ValidationSet

MOST_OTHERS = 1000
"""Maximum number of candidates that are right for no query."""

HOLD = 10.0
"""Penalty of changing a weight, or the scale, by a factor of e, relative to a query's
cross-entropy. (With 1, twenty queries made the ranking worse than no queries.)"""

TAUGHT_HOLD = 100.0
"""The same for weights after training with a teacher, when the network depends less on its own
examples. (With 10, fifty to a hundred queries made the ranking of two trackers worse.)"""

ITERATIONS = 60


def fit_weights(
    network: SiameseNetwork,
    validation: ValidationSet,
    on_step: Callable[[], object] = lambda: None,
    hold: float = HOLD,
) -> None:
    """Set the U, V and W that best separate right candidates from others; `hold` is the penalty of
    a weight. `on_step` is called before each step, and an exception from it ends the work."""
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
    """The loss became NaN or infinite in the line search."""


def minimise(loss: Callable[[], Tensor], parameters: Tensor) -> None:
    """Minimise a loss (which also sets gradients) over `parameters`, in place.

    L-BFGS with a strong Wolfe line search. Near the minimum, the line search may reach points where
    the loss is not finite; then the best point so far is used.
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
    """Indices of the right candidates and of evenly spaced others."""
    right = validation.right.any(0)
    others = [column for column, is_right in enumerate(right.tolist()) if not is_right]
    step = max(len(others) // MOST_OTHERS, 1)
    return sorted([*right.nonzero().flatten().tolist(), *others[::step]])


def _measured(
    network: SiameseNetwork, validation: ValidationSet, columns: list[int]
) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor], Tensor, Tensor]:
    """Distances [n, N, P, R, C]; the share of each query component that candidates lack [n, N, P];
    the shares with which components of either side count; which candidates are right; and which are
    used.

    Queries whose right candidates cannot be compared have no effect.
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
    """The weight of each query: [queries]. 1 with a YES, 0.5 with a REL, 0 for a weak query."""
    worth = {Grade.YES: 1.0, Grade.REL: 0.5}
    best = [0.0 if x.weak else worth[max(x.grades.values())] for x in validation.queries]
    return torch.tensor(best)
