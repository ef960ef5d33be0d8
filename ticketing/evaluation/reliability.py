"""Reliability of chances: calibration error, Brier score and AUROC, on queries that have a YES.

Unjudged tickets count as NO. The papers' isotonic regression of the distance alone, fitted to other
queries not used in training, is shown for comparison.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, roc_auc_score

from ticketing.evaluation.metrics import with_answers
from ticketing.evaluation.text_table import table_text
from ticketing.model.calibration import SHOWN
from ticketing.plurals import counted
from ticketing.recommendations import Outlook
from ticketing.retrieval.memory import searchable
from ticketing.retrieval.recommend import Recommender
from ticketing.tickets import Grade, Label, grades_of, queries_of

BINS = 10
"""Number of bins of equal width from 0 to 1."""

LEARNED, ISOTONIC = "learned", "isotonic"

Chances = npt.NDArray[np.float64]
Right = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Foretold:
    """Predictions for queries: for their shown tickets (row by row) and for whole answers.

    `distances`, `yes` and `is_yes` are [tickets]; `first` (distance of the first ticket), `answer`,
    `is_answered` and `outlooks` are [queries].
    """

    distances: Chances
    yes: Chances
    is_yes: Right
    first: Chances
    answer: Chances
    is_answered: Right
    outlooks: Sequence[Outlook]


@dataclass(frozen=True)
class Reliability:
    """Reliability of one kind of prediction: expected calibration error and Brier score of P(YES)
    over the ten shown, and AUROC of "a YES is among the ten" (None if all or no answers have
    one)."""

    name: str
    ece: float
    brier: float
    auroc: float | None
    curve: tuple[tuple[float, float], ...]
    """Mean chance and share of YES, by bin."""


@dataclass(frozen=True)
class Said:
    """The share of queries with an outlook, and the share of these with a YES among the ten."""

    outlook: Outlook
    share: float
    answered: float | None


@dataclass(frozen=True)
class Trust:
    """All measurements of chances, the bundle's own first."""

    queries: int
    ways: tuple[Reliability, ...]
    said: tuple[Said, ...]
    coverage: tuple[tuple[float, float], ...]
    """The share of queries whose chance is at least some value, and the share of these that have a
    YES."""


def measure_trust(
    recommender: Recommender, labels: Sequence[Label], fit: Sequence[Label]
) -> Trust | None:
    """Measure the bundle's chances, and those of isotonic regression by distance if `fit` has a
    YES; None if nothing was found."""
    found = foretell(recommender, labels)
    if not len(found.first):
        return None
    ways = [_way(LEARNED, found, found.yes, found.answer)]
    known = foretell(recommender, fit)
    if known.is_yes.any():
        by_distance = IsotonicRegression(y_min=0, y_max=1, increasing=False, out_of_bounds="clip")
        by_distance.fit(known.distances, known.is_yes)
        chances = by_distance.predict(found.distances)
        ways.append(_way(ISOTONIC, found, chances, -found.first))
    said = [_said(outlook, found) for outlook in Outlook]
    return Trust(len(found.first), tuple(ways), tuple(said), coverage(found))


def foretell(recommender: Recommender, labels: Sequence[Label]) -> Foretold:
    """Predictions for the queries that have a YES; queries that find nothing are left out."""
    answerable = with_answers(labels)
    queries, grades = queries_of(answerable), grades_of(answerable)
    filters = searchable(recommender.store, queries)
    rows, firsts, answers, outlooks = [np.zeros((0, 3))], [], [], []
    for query in queries:
        nearest = recommender.nearest(query, filters[query.id])
        if best := nearest.best.ids:
            shown = best[:SHOWN]
            right = [grades[query.id].get(id) == Grade.YES for id in shown]
            distances, yes = nearest.best.distances[:SHOWN], nearest.chances.yes[:SHOWN]
            rows.append(np.stack([distances, yes, right], 1))
            firsts.append(distances[0])
            answers.append((nearest.chances.answered, any(right)))
            outlooks.append(recommender.model.calibration.outlook(nearest.chances.answered))
    distances, yes, right = np.concatenate(rows).T
    answer, answered = np.array(answers, dtype=float).reshape(-1, 2).T
    return Foretold(
        distances, yes, right > 0, np.array(firsts), answer, answered > 0, tuple(outlooks)
    )


def expected_error(chances: Chances, right: Right) -> float:
    """Expected calibration error (Naeini, Cooper and Hauskrecht 2015, equation 1 of "Obtaining well
    calibrated probabilities using Bayesian binning") over BINS of equal width."""
    bins = np.minimum((chances * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, weights=chances - right, minlength=BINS)
    return float(np.abs(gaps).sum() / len(chances))


def coverage(found: Foretold) -> tuple[tuple[float, float], ...]:
    """For each distinct chance, from the highest down: the share of queries at or above it, and the
    share of these with a YES among the ten."""
    order = np.argsort(-found.answer, kind="stable")
    counts = np.arange(1, len(order) + 1)
    right = np.cumsum(found.is_answered[order]) / counts
    points = np.stack([counts / len(order), right], 1)
    last = np.diff(found.answer[order], append=-np.inf) < 0  # the last query of each chance
    return tuple((share, answered) for share, answered in points[last].tolist())


def _way(name: str, found: Foretold, chances: Chances, answers: Chances) -> Reliability:
    two = len(set(found.is_answered.tolist())) == 2
    shares, means = calibration_curve(found.is_yes, chances, n_bins=BINS)
    return Reliability(
        name,
        expected_error(chances, found.is_yes),
        float(brier_score_loss(found.is_yes, chances, pos_label=True)),
        float(roc_auc_score(found.is_answered, answers)) if two else None,
        tuple(zip(means.tolist(), shares.tolist(), strict=True)),
    )


def _said(outlook: Outlook, found: Foretold) -> Said:
    said = np.array([one == outlook for one in found.outlooks])
    answered = float(found.is_answered[said].mean()) if said.any() else None
    return Said(outlook, float(said.mean()), answered)


def trust_text(trust: Trust) -> list[str]:
    """Both tables as lines of text."""
    rows = [["", "ECE", "Brier", "AUROC"]]
    for way in trust.ways:
        rows.append([way.name, f"{way.ece:.3f}", f"{way.brier:.4f}", _share(way.auroc)])
    said = [["", "share of queries", "with a YES among ten"]]
    for one in trust.said:
        said.append([one.outlook, f"{one.share:.3f}", _share(one.answered)])
    return [
        f"Chances of {counted(trust.queries, 'query')} with a YES: P(YES) of the ten shown, and"
        " AUROC of a YES among them",
        *table_text(rows),
        "",
        "What is said of them, and how often a YES is there then",
        *table_text(said),
        "",
        "Where only the likeliest queries are answered, the share of answers with a YES",
        *(f"  {share:.2f} of the queries  {right:.3f}" for share, right in _quarters(trust)),
    ]


def _quarters(trust: Trust) -> list[tuple[float, float]]:
    """The points of the coverage curve at, or just beyond, each quarter of the queries."""
    reached = [[point for point in trust.coverage if point[0] >= part / 4] for part in (1, 2, 3, 4)]
    return [points[0] for points in reached if points]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
