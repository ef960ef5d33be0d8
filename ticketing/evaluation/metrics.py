"""Retrieval metrics of a run against labels, computed by ir_measures."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import ir_measures
from ir_measures import AP, RR, Judged, R, Success, nDCG

from ticketing.errors import InputError
from ticketing.files import write_atomically
from ticketing.limits import is_one_column
from ticketing.tickets import Grade, Label, grades_of

MEASURES = {
    "Acc@1": Success(rel=2) @ 1,
    "Acc@5": Success(rel=2) @ 5,
    "Acc@10": Success(rel=2) @ 10,
    "MAP@10": AP(rel=2) @ 10,
    "MRR@10": RR(rel=2) @ 10,
    "Recall@100": R(rel=2) @ 100,
    "nDCG@10": nDCG @ 10,
    "judged@10": Judged @ 10,
}
"""YES counts as right in all measures except nDCG, whose gain is 2 for YES and 1 for REL."""

DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
"""Depths at which the recall curve is computed."""

Run = Mapping[str, Sequence[tuple[str, float]]]
"""By query id: (ticket id, distance), nearest first."""


def with_answers(labels: Sequence[Label]) -> list[Label]:
    """Labels of the queries that have a YES; other queries cannot be answered."""
    answered = {label.query.id for label in labels if label.grade == Grade.YES}
    return [label for label in labels if label.query.id in answered]


def evaluate(labels: Sequence[Label], run: Run) -> dict[str, list[float]]:
    """Every measure for every query with a YES, in ascending order of query id.

    A query that is missing in the run has found nothing. judged@10 is the share of the first ten
    that somebody graded: an unjudged ticket is not wrong.
    """
    return _by_query(MEASURES, grades_of(with_answers(labels)), run)


def recall_curve(labels: Sequence[Label], run: Run) -> list[float]:
    """Mean share of a query's YES tickets among the first k, for each k of DEPTHS."""
    measures = {str(depth): R(rel=2) @ depth for depth in DEPTHS}
    table = _by_query(measures, grades_of(with_answers(labels)), run)
    return [sum(values) / len(values) for values in table.values() if values]


def _by_query(
    measures: Mapping[str, ir_measures.Measure], grades: dict[str, dict[str, Grade]], run: Run
) -> dict[str, list[float]]:
    """Each measure's values in ascending order of query id."""
    scores = {
        id: {ticket: -float(place) for place, (ticket, _) in enumerate(run.get(id, ()))}
        for id in grades
    }
    # A query without results must still count: ir_measures skips one that the run lacks.
    scores = {id: found or {"": 0.0} for id, found in scores.items()}
    values: dict[str, dict[str, float]] = defaultdict(dict)
    names = {measure: name for name, measure in measures.items()}
    for metric in ir_measures.iter_calc(list(names), grades, scores):
        values[names[metric.measure]][metric.query_id] = metric.value
    return {name: [values[name].get(id, 0.0) for id in sorted(grades)] for name in measures}


def write_run(path: Path, labels: Sequence[Label], run: Run, tag: str) -> None:
    """Write a TREC run, `qid Q0 docid rank score tag`, atomically.

    The score is the negative distance. If that is not below the previous score, it is set just
    below, so that sorting by score keeps the order. A query that is a ticket has that ticket's id;
    if the ticket was reworded, the last query of it is written, as in queries.jsonl. Raises
    InputError for an id with white space, which separates the columns.
    """
    last = {label.query.key: label.query.id for label in labels}
    names = {id: name for name, id in last.items()}
    for name in (tag, *names.values(), *(ticket for found in run.values() for ticket, _ in found)):
        if not is_one_column(name):
            raise InputError(
                f"{path} is not written: {name[:40]!r} holds white space, which parts the columns"
                " of a run; give it another name."
            )
    lines = [
        f"{names[id]} Q0 {ticket} {rank} {score:.6f} {tag}\n"
        for id, found in run.items()
        if id in names
        for rank, ((ticket, _), score) in enumerate(zip(found, _falling(found), strict=True), 1)
    ]
    write_atomically(path, "".join(lines))


def _falling(found: Sequence[tuple[str, float]]) -> Iterator[float]:
    """Scores of a ranking, strictly falling in six decimals."""
    last = math.inf
    for _, distance in found:
        last = min(round(-distance, 6), last - 1e-6)
        yield last
