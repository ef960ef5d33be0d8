"""Judgments and labels as files that other tools read: JSON Lines, Quepid CSV, TREC qrels."""

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path

from ticketing.files import write_atomically
from ticketing.labels.derive import derive_labels
from ticketing.labels.events import to_json
from ticketing.tickets import Judgment, Label, Query


def export_labels(events: Iterable[Judgment], folder: Path) -> list[Path]:
    """Write all four files, each whole or not at all, and return their paths.

    judgments.jsonl: every event; labels.csv: query,docid,rating (Quepid); qrels.txt:
    qid 0 docid grade (TREC), in both YES 2, REL 1, NO 0; queries.jsonl: qid, subject,
    description. A qid is the ticket id of a query that is a ticket, else the query id.
    """
    events = list(events)
    labels = derive_labels(events)
    texts = {
        "judgments.jsonl": "".join(to_json(event) + "\n" for event in events),
        "labels.csv": _quepid(labels),
        "qrels.txt": _qrels(labels),
        "queries.jsonl": _queries(labels),
    }
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return [folder / name for name in texts]


def _qid(query: Query) -> str:
    return query.ticket_id or query.id


def _quepid(labels: list[Label]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["query", "docid", "rating"])
    for label in labels:
        words = f"{label.query.subject} {label.query.description}".split()
        writer.writerow([" ".join(words), label.ticket_id, int(label.grade)])
    return text.getvalue()


def _qrels(labels: list[Label]) -> str:
    """One line a qid and ticket; where a query's ticket was reworded, the better grade stands."""
    grades: dict[tuple[str, str], int] = {}
    for label in labels:
        pair = _qid(label.query), label.ticket_id
        grades[pair] = max(label.grade, grades.get(pair, 0))
    return "".join(f"{qid} 0 {ticket} {int(grade)}\n" for (qid, ticket), grade in grades.items())


def _queries(labels: list[Label]) -> str:
    queries = {_qid(label.query): label.query for label in labels}
    return "".join(
        json.dumps({"qid": qid, "subject": query.subject, "description": query.description}) + "\n"
        for qid, query in queries.items()
    )
