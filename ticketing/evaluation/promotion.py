"""Decides on promotion: a new bundle is refused if it loses on the test queries by more than chance
easily explains.

A desk's test queries grow by a handful a month. With so few, even the better of two bundles ranks a
right ticket lower in every other comparison. A desk that refused every such loss would lose most of
what its judgments teach. So a new bundle is refused only for a loss that chance hardly explains
(paired randomisation test): at least three queries that lose, if none gains.

People judge what the serving bundle shows them, so the tickets that they found right are always
among its own ten, and what a new bundle would show instead is unjudged. Therefore, for a query with
a NO, unjudged tickets are left out of both rankings (condensed lists, Sakai 2007). Links between
tickets include no wrong ones; for a query without a NO all tickets count.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ticketing.evaluation.metrics import Run, evaluate, with_answers
from ticketing.evaluation.runs import run_queries
from ticketing.evaluation.significance import TOLERANCE, paired_p
from ticketing.plurals import counted
from ticketing.retrieval.recommend import Recommender
from ticketing.tickets import Grade, Label, grades_of, queries_of

MOST_QUERIES = 500
MEASURES = ("Acc@10", "MAP@10")
CHANCE = 0.3
"""A loss is refused if p is not larger than this; p is 2 / 2^n if n queries changed, all for the
worse."""


@dataclass(frozen=True)
class Comparison:
    """Means over the test queries with a YES. With 0 `queries`, nothing is known."""

    queries: int
    new: dict[str, float]
    other: dict[str, float]
    p: float = 1.0
    """p: the probability that chance alone gives a difference at least as large in the sum of both
    measures."""

    @property
    def may_serve(self) -> bool:
        """Whether Acc@10 and MAP@10 together are not worse than the other bundle's, or worse by no
        more than chance explains."""
        return not self.loses or self.p > CHANCE

    @property
    def loses(self) -> bool:
        """Whether the sum of both measures is lower than the other bundle's, beyond rounding."""
        return sum(self.new.values()) < sum(self.other.values()) - TOLERANCE

    def __str__(self) -> str:
        if not self.queries:
            return "no test query has a YES, so nothing could be compared"
        gains = ", ".join(
            f"{name} {self.new[name]:.3f} against {self.other[name]:.3f}" for name in MEASURES
        )
        verdict = "that chance explains" if self.may_serve else "that chance hardly explains"
        loss = f", a loss {verdict} (p = {self.p:.2f})" if self.loses else ""
        return f"on {counted(self.queries, 'test query')} {gains}{loss}"


def compare(new: Recommender, other: Recommender, test: Sequence[Label]) -> Comparison:
    """Compare both bundles on the labels of at most MOST_QUERIES test queries."""
    labels = with_answers(test)
    chosen = sorted(queries_of(labels), key=lambda query: query.id)[:MOST_QUERIES]
    ids = {query.id for query in chosen}
    labels = [label for label in labels if label.query.id in ids]
    if not chosen:
        return Comparison(0, {}, {})
    values = [evaluate(labels, condensed(run_queries(x, chosen), labels)) for x in (new, other)]
    worth = [np.sum([found[name] for name in MEASURES], axis=0) for found in values]  # [Q] each
    new_means, other_means = (
        {name: float(np.mean(found[name])) for name in MEASURES} for found in values
    )
    return Comparison(len(chosen), new_means, other_means, p=float(paired_p(worth[0], worth[1])[0]))


def condensed(run: Run, labels: Sequence[Label]) -> Run:
    """The run without unjudged tickets, for the queries that have a NO."""
    judged = grades_of(labels)
    return {
        id: [x for x in found if x[0] in judged[id]] if Grade.NO in judged[id].values() else found
        for id, found in run.items()
    }
