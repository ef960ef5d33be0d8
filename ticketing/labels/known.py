"""Queries that were judged here, known again by the one text that labels.csv has of each."""

from collections.abc import Iterable

from ticketing.cells import as_cell
from ticketing.labels.derive import derive_labels
from ticketing.tickets import Judgment, Query


def one_text(query: Query) -> str:
    """Subject and description in one line."""
    return " ".join(f"{query.subject} {query.description}".split())


class JudgedQueries:
    """The queries that judgments are about. Of one text, that of a ticket is meant first."""

    def __init__(self, judgments: Iterable[Judgment]):
        labels = derive_labels(judgments)
        self._grades = {(x.query.id, x.ticket_id): x.grade for x in labels}
        self._queries: dict[str, Query] = {}
        for query in sorted({x.query for x in labels}, key=lambda query: bool(query.ticket_id)):
            self._queries[one_text(query)] = query
        for text, query in list(self._queries.items()):
            self._queries.setdefault(as_cell(text), query)  # of a table whose columns were renamed

    def named(self, text: str) -> Query | None:
        """The query that labels.csv has as this text."""
        return self._queries.get(" ".join(text.split()))

    def agree(self, event: Judgment) -> bool:
        """Whether what everybody said comes to this grade already."""
        return self._grades.get((event.query.id, event.ticket_id)) == event.grade
