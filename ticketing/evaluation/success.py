"""The end-user evaluation (Figure 4 of Gupta et al. 2018): success rates of proposals against the
gold labels."""

from collections.abc import Sequence
from dataclasses import dataclass

from ticketing.evaluation.metrics import Run
from ticketing.tickets import Grade, Label, grades_of

AT_LEAST = (1, 2, 3)
SHOWN = 10


@dataclass(frozen=True)
class Matched:
    """Number of right tickets of a query, and number of those that were proposed."""

    query_id: str
    gold_yes: int
    gold_rel: int
    yes: int
    rel: int

    def gold(self, with_rel: bool) -> int:
        """Number of tickets that are YES, or YES or REL."""
        return self.gold_yes + with_rel * self.gold_rel

    def matched(self, with_rel: bool) -> int:
        """Number of those that were proposed."""
        return self.yes + with_rel * self.rel


@dataclass(frozen=True)
class Success:
    """The share of queries with at least a number of right proposals; `possible` is the share that
    has so many right tickets, which is the best possible rate."""

    at_least: int
    with_rel: bool
    rate: float
    possible: float


def count_matches(labels: Sequence[Label], run: Run) -> list[Matched]:
    """All queries with a YES or REL, in ascending order of id; the first ten tickets count as
    proposed."""
    counts = []
    for id, grades in sorted(grades_of(labels).items()):
        shown = [grades.get(ticket) for ticket, _ in list(run.get(id, ()))[:SHOWN]]
        gold = list(grades.values())
        if max(gold) > Grade.NO:
            counts.append(
                Matched(
                    id,
                    gold.count(Grade.YES),
                    gold.count(Grade.REL),
                    shown.count(Grade.YES),
                    shown.count(Grade.REL),
                )
            )
    return counts


def success_rates(counts: Sequence[Matched]) -> list[Success]:
    """Rates for YES, and for YES or REL, at 1, 2 and 3 or more. Queries without right tickets of
    the kind are left out, and an impossible rate is left out."""
    rates = []
    for with_rel in (False, True):
        answerable = [count for count in counts if count.gold(with_rel)]
        for least in AT_LEAST:
            possible = sum(count.gold(with_rel) >= least for count in answerable)
            if possible:
                reached = sum(count.matched(with_rel) >= least for count in answerable)
                rates.append(
                    Success(least, with_rel, reached / len(answerable), possible / len(answerable))
                )
    return rates
