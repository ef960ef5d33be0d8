"""The tutorial's two files, cut from the demonstration base.

`python -m tests.docs.tutorial_files` writes them anew; a test compares them.
"""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from ticketing.demo.generator import generate

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "tutorial"
TICKETS = 120


def tutorial_files() -> dict[str, str]:
    """Text by file name: an export as a tracker might write it, and what colleagues judged."""
    base = generate()
    tickets = base.tickets[:TICKETS]
    known = {ticket.id for ticket in tickets}
    export = [("key", "summary", "description", "resolution_notes", "service", "state", "opened")]
    export += [
        (t.id, t.subject, t.description, t.solution, t.product, t.status, str(t.created))
        for t in tickets
    ]
    judged = [("subject", "description", "ticket", "grade")]
    judged += [
        (label.query.subject, label.query.description, label.ticket_id, label.grade.name)
        for label in base.labels
        if label.ticket_id in known
    ]
    return {"tickets.csv": _csv(export), "judgments.csv": _csv(judged)}


def _csv(rows: Iterable[tuple[str, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


if __name__ == "__main__":
    for name, text in tutorial_files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
