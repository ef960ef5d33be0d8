"""Comparison of two bundles, query by query: gained, lost, unchanged."""

from collections.abc import Sequence
from dataclasses import dataclass

from ticketing.evaluation.metrics import with_answers
from ticketing.evaluation.runs import Ranked
from ticketing.text.sentences import clipped
from ticketing.tickets import Grade, Label, Query, queries_of

SHOWN = 10
KINDS = ("gained", "lost", "unchanged")


@dataclass(frozen=True)
class Change:
    """The best rank of a right ticket under each of two bundles; None if it was not found."""

    query: Query
    one: int | None
    other: int | None

    @property
    def kind(self) -> str:
        """Either "gained" or "lost" if only the other or only the first bundle shows it among the
        first ten."""
        one, other = (rank is not None and rank <= SHOWN for rank in (self.one, self.other))
        return "unchanged" if one == other else "gained" if other else "lost"


def best_ranks(labels: Sequence[Label], ranked: Ranked) -> dict[str, int | None]:
    """The rank of the best YES of each query that has one."""
    best: dict[str, int | None] = {}
    for label in with_answers(labels):
        best.setdefault(label.query.id, None)
        place = ranked.places.get(label.query.id, {}).get(label.ticket_id)
        if label.grade == Grade.YES and place:
            best[label.query.id] = min(place[0], best[label.query.id] or place[0])
    return best


def changes(labels: Sequence[Label], one: Ranked, other: Ranked) -> list[Change]:
    """All queries with a YES: gained, lost, then unchanged ones, each with the largest moves
    first."""
    before, after = best_ranks(labels, one), best_ranks(labels, other)
    found = [
        Change(query, before[query.id], after[query.id])
        for query in queries_of(with_answers(labels))
    ]
    return sorted(found, key=lambda x: (KINDS.index(x.kind), -_moved(x), x.query.id))


def _moved(change: Change) -> float:
    """The absolute change of the reciprocal rank."""
    one, other = (1 / rank if rank else 0.0 for rank in (change.one, change.other))
    return abs(one - other)


def change_text(found: Sequence[Change]) -> list[str]:
    """Counts, then all gained and lost queries with their ranks."""
    by_kind = {kind: [change for change in found if change.kind == kind] for kind in KINDS}
    text = [", ".join(f"{len(some)} {kind}" for kind, some in by_kind.items())]
    for kind in KINDS[:2]:
        text += [
            f"  {kind:8}{_rank(x.one):>6} → {_rank(x.other):<6} {first_line(x.query)}"
            for x in by_kind[kind]
        ]
    return text


def first_line(query: Query) -> str:
    """A short name of a query for lists: its subject, or the beginning of its description."""
    return clipped(query.subject or query.description, 70)


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)
