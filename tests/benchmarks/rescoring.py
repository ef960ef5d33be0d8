"""What moves the nearest tickets beyond their distance, learned over sources.

    python -m tests.benchmarks.rescoring --cache FOLDER [OPTIONS] SOURCE…

A source is one of `tests.benchmarks.reading`, asked without time. Prints the weights that each
source would choose, Acc@10 and MAP@10 by distance alone, by the general weights, by weights
learned from sources of other folders and by its own, and the weights of all.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from datetime import datetime
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize
from scipy.special import logsumexp
from tqdm import tqdm

from tests.benchmarks.reading.__main__ import DATA, family, read
from tests.benchmarks.reading.bundles import Bundles
from tests.benchmarks.reading.cases import Case
from ticketing.evaluation.runs import Rankers
from ticketing.evaluation.text_table import table_text
from ticketing.model.calibration import NEAREST, SHOWN
from ticketing.model.rescoring import GENERAL, Rescoring
from ticketing.retrieval.rescoring import Rescorer

HOLD = 30.0
"""What holds weights near 0, beside EACH queries of a source."""
EACH = 100.0


@dataclass(frozen=True)
class RankedQuery:
    """A query's nearest tickets: `features` float64 [n, F], `distances` float64 [n], `right` bool
    [n], and what the query counts."""

    features: npt.NDArray[np.float64]
    distances: npt.NDArray[np.float64]
    right: npt.NDArray[np.bool_]
    weight: float = 1.0


def asked(case: Case, rankers: Rankers) -> list[tuple[RankedQuery, int]]:
    """The queries of a case, those without a right ticket among the nearest too, and how many
    right tickets each has."""
    recommender = rankers.recommender(rankers.model.settings.channels, rescored=False)
    rescorer = Rescorer(rankers.model)
    right: dict[str, set[str]] = {}
    for label in case.answers:
        right.setdefault(label.query.id, set()).add(label.ticket_id)
    found = []
    for query, allowed in zip(case.queries, tqdm(case.eligible, leave=False), strict=True):
        compared = recommender.compare(query)
        compared.distances[~allowed] = np.inf
        best = recommender.best(compared, NEAREST)
        rows = best.block.codes[best.block.live[best.places]]
        is_right = np.array([id in right[query.id] for id in best.ids], dtype=bool)
        features = rescorer.features(compared.query, rows)
        example = RankedQuery(features, best.distances.astype(float), is_right)
        found.append((example, len(right[query.id])))
    return found


def learned(sources: Sequence[list[tuple[RankedQuery, int]]]) -> Rescoring:
    """The weights that suit several sources, each of which counts alike."""
    some = [
        replace(one, weight=EACH / len(source) / len(sources))
        for source in sources
        for one, _ in source
        if one.right.any() and not one.right.all()
    ]
    return fitted(some)


def fitted(found: Sequence[RankedQuery]) -> Rescoring:
    """The weights by which a softmax is surest of a right ticket, held near 0; how much a unit of
    distance counts there is learned too, and divided out."""
    start = np.append(Rescoring().weights, 1.0)

    def loss(weights: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        held = np.append(weights[:-1], 0.0)
        total, slope = HOLD / 2 * float(held @ held), HOLD * held
        for one in found:
            terms = np.column_stack([one.features, -one.distances])  # [n, F + 1]
            scores = terms @ weights
            all_, right = logsumexp(scores), logsumexp(scores[one.right])
            among = np.exp(scores - all_) - np.where(one.right, np.exp(scores - right), 0.0)
            total += one.weight * float(all_ - right)
            slope = slope + one.weight * (among @ terms)
        return total, slope

    *weights, unit = minimize(loss, start, jac=True, method="L-BFGS-B").x.tolist()
    return Rescoring(*(weight / unit for weight in weights))


def measured(source: list[tuple[RankedQuery, int]], weights: Rescoring) -> tuple[float, float]:
    """Acc@10 and MAP@10 of tickets moved by weights."""
    found = []
    for one, answers in source:
        order = np.argsort(one.distances - one.features @ weights.weights, kind="stable")
        hits = one.right[order][:SHOWN]
        precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
        found.append((hits.any(), (precision * hits).sum() / answers))
    accuracy, precision = np.mean(found, 0)
    return float(accuracy), float(precision)


@click.command(help=__doc__)
@click.argument("sources", nargs=-1, required=True)
@click.option("--cache", type=click.Path(path_type=Path), required=True, help="Kept between runs.")
@click.option("--data", type=click.Path(path_type=Path), default=DATA, show_default=True)
@click.option("--before", type=click.DateTime(["%Y-%m-%d"]), default="2100-01-01",
              help="Trackers are read as they stood then.")  # fmt: skip
@click.option("--ranker", "rankers", multiple=True, default=("untaught",), show_default=True,
              help="As in the reading's.")  # fmt: skip
def main(
    sources: Sequence[str], cache: Path, data: Path, before: datetime, rankers: Sequence[str]
) -> None:
    """Print the table and the weights."""
    torch.set_num_threads(1)
    bundles, found = Bundles(cache), {}
    for source in sources:
        cases = read(source, data, before)
        for ranker in rankers:
            found[f"{source} {ranker}"] = [
                one
                for number, case in enumerate(cases)
                for one in asked(case, bundles.rankers(case, family(source, number), ranker))
            ]
    print_table(found)


def print_table(found: dict[str, list[tuple[RankedQuery, int]]]) -> None:
    """A row a source and ranker; the last are the weights of all."""
    names = [field.name for field in fields(Rescoring)]
    by = ["distance", "general", "from the others", "its own"]
    rows = [["source", "queries", *names, *by]]
    for source, own in found.items():
        folder = source.split(":")[0]
        others = [one for name, one in found.items() if name.split(":")[0] != folder]
        of = (Rescoring(), GENERAL, learned(others), learned([own]))
        figures = [f"{a:.3f} / {m:.3f}" for a, m in (measured(own, weights) for weights in of)]
        rows.append([source, str(len(own)), *(f"{x:.2f}" for x in astuple(of[-1])), *figures])
    weights = [f"{weight:.2f}" for weight in astuple(learned([*found.values()]))]
    rows.append(["all", "", *weights, *[""] * len(by)])
    print("\n".join(table_text(rows)))


if __name__ == "__main__":
    main()
