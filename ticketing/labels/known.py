"""Recognises judged queries by their text in labels.csv, which has subject and description in one
line."""

from collections.abc import Iterable

from ticketing.cells import as_cell
from ticketing.labels.derive import derive_labels
from ticketing.tickets import Judgment, Query


def one_text(query: Query) -> str:
    """Subject and description in one line."""
    return " ".join(f"{query.subject} {query.description}".split())


class JudgedQueries:
    """The judged queries. If several have the same text, one that is a ticket is preferred."""

    def __init__(self, judgments: Iterable[Judgment]):
        labels = derive_labels(judgments)
        self._grades = {(x.query.id, x.ticket_id): x.grade for x in labels}
        self._queries: dict[str, Query] = {}
        for query in sorted({x.query for x in labels}, key=lambda query: bool(query.ticket_id)):
            self._queries[one_text(query)] = query
        for text, query in list(self._queries.items()):
            self._queries.setdefault(as_cell(text), query)  # from a table with renamed columns

    def named(self, text: str) -> Query | None:
        """The query with this text in labels.csv."""
        return self._queries.get(" ".join(text.split()))

    def agree(self, event: Judgment) -> bool:
        """Whether the label from all judgments already has this grade."""
        return self._grades.get((event.query.id, event.ticket_id)) == event.grade
