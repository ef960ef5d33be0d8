"""What moves a ticket beyond its distance, learned from queries whose judgments the network was not
trained on; their texts count into the vocabulary and the word vectors, as every judged query's do.

Only those: of the links it was trained on, it names the right ticket by distance alone, and
nothing would be left to learn. They are few, so the weights are held near those of other desks.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import logsumexp

from ticketing.model.calibration import NEAREST
from ticketing.model.rescoring import GENERAL, Rescoring
from ticketing.retrieval.memory import searchable
from ticketing.retrieval.recommend import Recommender
from ticketing.retrieval.rescoring import Rescorer
from ticketing.tickets import Grade, Label, Query

HOLD = 50.0
"""What a change by 1 from the general weights costs, squared and halved, beside a query's
cross-entropy."""


@dataclass(frozen=True)
class RankedQuery:
    """A query's nearest tickets: `features` float64 [n, F], `distances` float64 [n], `right` bool
    [n], and what the query counts."""

    features: npt.NDArray[np.float64]
    distances: npt.NDArray[np.float64]
    right: npt.NDArray[np.bool_]
    weight: float = 1.0


def learn_rescoring(
    recommender: Recommender, labels: Sequence[Label], on_step: Callable[[], object] = lambda: None
) -> Rescoring:
    """The rescoring that suits the queries that have a YES; `recommender` ranks by distance.
    `on_step` is called before each query, and what it raises ends the work."""
    return fit_rescoring([*examples(recommender, labels, on_step)], GENERAL, HOLD)


def examples(
    recommender: Recommender, labels: Sequence[Label], on_step: Callable[[], object] = lambda: None
) -> Iterator[RankedQuery]:
    """Queries one of whose right tickets is among the nearest."""
    right: dict[Query, set[str]] = {}
    for label in sorted(labels, key=lambda label: label.query.id):
        if label.grade == Grade.YES:
            right.setdefault(label.query, set()).add(label.ticket_id)
    rescorer = Rescorer(recommender.model)
    filters = searchable(recommender.store, list(right))
    for query, ids in right.items():
        on_step()
        compared = recommender.compare(query, filters[query.id])
        best = recommender.best(compared, NEAREST)
        found = np.array([id in ids for id in best.ids], dtype=bool)
        if found.any() and not found.all():
            rows = best.block.codes[best.block.live[best.places]]
            features = rescorer.features(compared.query, rows)
            yield RankedQuery(features, best.distances.astype(np.float64), found)


def fit_rescoring(found: Sequence[RankedQuery], near: Rescoring, hold: float) -> Rescoring:
    """The weights by which a softmax over what is left of the distances is surest of a right
    ticket, held near some others.

    The network learned its distances by the same loss, so a unit of distance counts 1.
    """
    start = near.weights

    def loss(weights: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        change = weights - start
        total, slope = hold / 2 * float(change @ change), hold * change
        for one in found:
            scores = one.features @ weights - one.distances
            all_, right = logsumexp(scores), logsumexp(scores[one.right])
            among = np.exp(scores - all_) - np.where(one.right, np.exp(scores - right), 0.0)
            total += one.weight * float(all_ - right)
            slope = slope + one.weight * (among @ one.features)
        return total, slope

    fitted = minimize(loss, start, jac=True, method="L-BFGS-B") if found else None
    return Rescoring(*map(float, fitted.x)) if fitted is not None else near
