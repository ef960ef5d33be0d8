"""Agreement of two judges on the same tickets for the same queries."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from ticketing.tickets import Judgment


@dataclass(frozen=True)
class Disagreement:
    """Two judgments of one ticket for one query with different grades."""

    one: Judgment
    other: Judgment

    @property
    def query_id(self) -> str:
        """The id of the query."""
        return self.one.query.id

    @property
    def ticket_id(self) -> str:
        """The id of the ticket."""
        return self.one.ticket_id

    @property
    def apart(self) -> int:
        """1 for neighbouring grades, 2 for YES and NO."""
        assert self.one.grade is not None and self.other.grade is not None
        return abs(self.one.grade - self.other.grade)


@dataclass(frozen=True)
class Agreement:
    """Agreement of two judges on what both judged: the number of pairs of query and ticket, how
    many have the same grade, and the others, largest differences first.

    `kappa` is Cohen's kappa (1960), the agreement beyond chance: 1 for equal grades, 0 for chance
    level, None if undefined because both gave only one and the same grade.
    """

    judges: tuple[str, str]
    both: int
    same: int
    kappa: float | None
    disagreements: tuple[Disagreement, ...]


def agreements(judgments: Iterable[Judgment]) -> list[Agreement]:
    """Agreement of every two judges with common judgments, most in common first.

    `judgments` are the present ones: one for each judge, query and ticket, each with a grade.
    """
    by_judge: defaultdict[str, dict[tuple[str, str], Judgment]] = defaultdict(dict)
    for judgment in judgments:
        by_judge[judgment.judge][judgment.query.id, judgment.ticket_id] = judgment
    found = [
        _agreement(
            (one, other),
            [(by_judge[one][pair], by_judge[other][pair]) for pair in sorted(common)],
        )
        for one, other in combinations(sorted(by_judge), 2)
        if (common := by_judge[one].keys() & by_judge[other].keys())
    ]
    return sorted(found, key=lambda agreement: (-agreement.both, agreement.judges))


def _agreement(judges: tuple[str, str], pairs: list[tuple[Judgment, Judgment]]) -> Agreement:
    from sklearn.metrics import cohen_kappa_score  # takes a second to import

    grades = [[int(judgment.grade or 0) for judgment in some] for some in zip(*pairs, strict=True)]
    one_grade = len({*grades[0], *grades[1]}) == 1
    different = [Disagreement(a, b) for a, b in pairs if a.grade != b.grade]
    return Agreement(
        judges,
        both=len(pairs),
        same=len(pairs) - len(different),
        kappa=None if one_grade else float(cohen_kappa_score(*grades)),
        disagreements=tuple(sorted(different, key=lambda x: -x.apart)),
    )
