"""Exports judgments and labels for other tools: JSON Lines, Quepid CSV, TREC qrels."""

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ticketing.cells import as_cell
from ticketing.files import write_atomically
from ticketing.labels.derive import derive_labels
from ticketing.labels.events import to_json
from ticketing.labels.known import one_text
from ticketing.limits import is_one_column
from ticketing.tickets import Judgment, Label


@dataclass(frozen=True)
class Exported:
    """The files written, and ids with white space, which are left out of qrels.txt."""

    paths: list[Path]
    left_out: list[str]


def export_labels(events: Iterable[Judgment], folder: Path) -> Exported:
    """Write all four files, each atomically.

    judgments.jsonl: every event. labels.csv: query,docid,rating (Quepid), in which no cell is a
    formula (see `as_cell`). qrels.txt: qid 0 docid grade (TREC). In both, YES is 2, REL 1, NO 0.
    queries.jsonl: qid, subject, description. A qid is the ticket id if the query is a ticket, else
    the query id.
    """
    events = list(events)
    labels = derive_labels(events)
    ids = {id for label in labels for id in (label.query.key, label.ticket_id)}
    left_out = sorted(id for id in ids if not is_one_column(id))
    texts = {
        "judgments.jsonl": "".join(to_json(event) + "\n" for event in events),
        "labels.csv": _quepid(labels),
        "qrels.txt": _qrels(x for x in labels if {x.query.key, x.ticket_id}.isdisjoint(left_out)),
        "queries.jsonl": _queries(labels),
    }
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return Exported([folder / name for name in texts], left_out)


def _quepid(labels: list[Label]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["query", "docid", "rating"])
    for label in labels:
        query = as_cell(one_text(label.query))
        writer.writerow([query, as_cell(label.ticket_id), int(label.grade)])
    return text.getvalue()


def _qrels(labels: Iterable[Label]) -> str:
    """One line per qid and ticket; if the ticket of a query was reworded, the better grade is
    written."""
    grades: dict[tuple[str, str], int] = {}
    for label in labels:
        pair = label.query.key, label.ticket_id
        grades[pair] = max(label.grade, grades.get(pair, 0))
    return "".join(f"{qid} 0 {ticket} {int(grade)}\n" for (qid, ticket), grade in grades.items())


def _queries(labels: list[Label]) -> str:
    queries = {label.query.key: label.query for label in labels}
    return "".join(
        json.dumps({"qid": qid, "subject": query.subject, "description": query.description}) + "\n"
        for qid, query in queries.items()
    )
