"""Acc@10 by the age of the youngest right ticket at the time of the query.

Duplicates cluster in time. A ranker that mainly prefers recent tickets has a good overall mean
although it does not find old solutions; the mean over age classes ("balanced") shows that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from ticketing.evaluation.comparison import Line
from ticketing.evaluation.metrics import with_answers
from ticketing.evaluation.text_table import table_text
from ticketing.model.recency import age_of
from ticketing.stores.protocols import DatedTickets
from ticketing.tickets import Grade, Label

MEASURE = "Acc@10"
AGES = ("under 7 days", "7 to 30", "30 to 180", "180 to 365", "older")
"""Names of the age classes divided by `recency.AGE_ENDS`."""


@dataclass(frozen=True)
class AgeRow:
    """A ranker's Acc@10 in each of AGES (None if no query has that age), and their mean."""

    name: str
    shares: tuple[float | None, ...]
    balanced: float


def ages_of(store: DatedTickets, labels: Sequence[Label]) -> dict[str, int]:
    """By query id, the index in AGES of its youngest YES ticket that could be found.

    Only queries that are dated tickets and have a dated YES ticket that is not younger.
    """
    right = [label for label in with_answers(labels) if label.grade == Grade.YES]
    ids = {id for x in right for id in (x.query.ticket_id, x.ticket_id) if id}
    created = {id: ticket.created for id, ticket in store.get_tickets(sorted(ids)).items()}
    days: dict[str, float] = {}
    for label in right:
        apart = _days(created.get(label.query.ticket_id), created.get(label.ticket_id))
        if apart is not None and apart >= 0:
            days[label.query.id] = min(apart, days.get(label.query.id, apart))
    return {id: age_of(apart) for id, apart in days.items()}


def _days(asked: datetime | None, created: datetime | None) -> float | None:
    return (asked - created).total_seconds() / 86400 if asked and created else None


def by_age(lines: Sequence[Line], labels: Sequence[Label], ages: Mapping[str, int]) -> list[AgeRow]:
    """A row for each line; queries of unknown age are left out."""
    asked = sorted({label.query.id for label in with_answers(labels)})  # the order of Line.values
    places = np.array([ages.get(id, -1) for id in asked])
    rows = []
    for line in lines:
        hits = np.array(line.values[MEASURE])
        shares = [
            float(hits[places == age].mean()) if (places == age).any() else None
            for age in range(len(AGES))
        ]
        known = [share for share in shares if share is not None]
        rows.append(AgeRow(line.name, tuple(shares), float(np.mean(known))))
    return rows


def age_text(rows: Sequence[AgeRow], ages: Mapping[str, int]) -> list[str]:
    """The table as lines of text: the number of queries by age, then one line per ranker."""
    counts = [sum(age == place for age in ages.values()) for place in range(len(AGES))]
    table = [["", *AGES, "balanced"], ["queries", *map(str, counts), str(len(ages))]]
    for row in rows:
        shares = ["–" if share is None else f"{share:.3f}" for share in row.shares]
        table.append([row.name, *shares, f"{row.balanced:.3f}"])
    return table_text(table)
