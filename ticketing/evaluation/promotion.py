"""May a new bundle serve? Both rank the held-out queries; the new one must not be worse.

People judge what the serving bundle shows them, so what they found right is always among its own
ten, and what a new bundle would show instead is unjudged. For a query with a NO the unjudged
tickets are therefore left out of both rankings (condensed lists, Sakai 2007). Links between
tickets name no wrong ones; for a query without a NO all tickets count.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ticketing.evaluation.ranking import Run, evaluate, qrels_of, with_answers
from ticketing.evaluation.runs import run_queries
from ticketing.retrieval.recommend import Recommender
from ticketing.tickets import Grade, Label

MOST_QUERIES = 500


@dataclass(frozen=True)
class Comparison:
    """Means over the held-out queries with a YES; `queries` may be 0, and then nothing is known."""

    queries: int
    new: dict[str, float]
    serving: dict[str, float]

    @property
    def may_serve(self) -> bool:
        """Whether Acc@10 and MAP@10 together are at least those of the serving bundle."""
        return self._worth(self.new) >= self._worth(self.serving)

    @staticmethod
    def _worth(means: dict[str, float]) -> float:
        return means.get("Acc@10", 0.0) + means.get("MAP@10", 0.0)

    def __str__(self) -> str:
        if not self.queries:
            return "no held-out query has a YES, so nothing could be compared"
        gains = ", ".join(
            f"{name} {self.new[name]:.3f} (serving {self.serving[name]:.3f})"
            for name in ("Acc@10", "MAP@10")
        )
        return f"on {self.queries} held-out queries {gains}"


def compare(new: Recommender, serving: Recommender, held_out: Sequence[Label]) -> Comparison:
    """Both bundles on the held-out labels (of at most MOST_QUERIES queries)."""
    labels = with_answers(held_out)
    queries = {label.query.id: label.query for label in labels}
    chosen = [queries[id] for id in sorted(queries)[:MOST_QUERIES]]
    kept = {query.id for query in chosen}
    labels = [label for label in labels if label.query.id in kept]
    if not chosen:
        return Comparison(0, {}, {})
    runs = [condensed(run_queries(one, chosen), labels) for one in (new, serving)]
    means = [
        {name: float(np.mean(values)) for name, values in evaluate(labels, run).items()}
        for run in runs
    ]
    return Comparison(len(chosen), *means)


def condensed(run: Run, labels: Sequence[Label]) -> Run:
    """The run without the unjudged tickets of the queries for which some ticket is a NO."""
    judged = qrels_of(labels)
    return {
        id: [x for x in found if x[0] in judged[id]] if Grade.NO in judged[id].values() else found
        for id, found in run.items()
    }
