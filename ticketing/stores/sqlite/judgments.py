"""Queries and judgments in SQLite."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime
from sqlite3 import Connection

from ticketing import times
from ticketing.stores.checks import require_same
from ticketing.stores.protocols import Judgments
from ticketing.stores.sqlite.database import ANY_OF, DatabasePart, Row, json_list
from ticketing.stores.sqlite.history import forget_asked
from ticketing.tickets import Grade, Judgment, Query


class SQLiteJudgments(DatabasePart, Judgments):
    """Queries and judgments in two tables; that of judgments is append-only."""

    def put_query(self, query: Query) -> str:
        asked_today = "SELECT id FROM queries WHERE id = ? AND asked >= ?"
        if not self.database.rows(asked_today, query.id, _today()):
            self.put_queries([query])
        return query.id

    def put_queries(self, queries: Sequence[Query]) -> None:
        with self.database.writing() as connection:
            for query in queries:
                _put_query(connection, query)

    def get_query(self, query_id: str) -> Query | None:
        rows = self.database.rows(
            "SELECT subject, description, ticket_id FROM queries WHERE id = ?", query_id
        )
        return Query(*rows[0]) if rows else None

    def queries(self) -> Iterator[Query]:
        statement = (
            "SELECT id, subject, description, ticket_id FROM queries"
            " WHERE id > ? ORDER BY id LIMIT ?"
        )
        return (Query(*texts) for _, *texts in self._pages(statement, ""))

    def forget_queries(self, before: date, keep: Collection[str] = ()) -> int:
        with self.database.writing() as connection:
            forget_asked(connection, before, keep)
            return connection.execute(
                f"DELETE FROM queries WHERE asked < ? AND NOT id {ANY_OF}"
                " AND id NOT IN (SELECT query_id FROM judgments)",
                (before.isoformat(), json_list(keep)),
            ).rowcount

    def add_judgments(self, judgments: Sequence[Judgment]) -> int:
        ids = json_list(judgment.event_id for judgment in judgments)
        with self.database.writing(durable=True) as connection:
            kept = connection.execute(f"{_SELECT} WHERE event_id {ANY_OF}", (ids,))
            require_same(map(_judgment, kept), judgments)
            return sum(_add_judgment(connection, judgment) for judgment in judgments)

    def judgments(self, query_id: str = "", ticket_id: str = "") -> Iterator[Judgment]:
        of = {"query_id": query_id, "judgments.ticket_id": ticket_id}
        given = {column: id for column, id in of.items() if id}
        conditions = " AND ".join([*(f"{column} = ?" for column in given), "number > ?"])
        statement = f"{_SELECT} WHERE {conditions} ORDER BY number LIMIT ?"
        return map(_judgment, self._pages(statement, 0, *given.values()))

    def judgment_log(self, start: int = 0) -> Iterator[tuple[int, Judgment]]:
        statement = f"{_SELECT} WHERE number > ? ORDER BY number LIMIT ?"
        records = self._pages(statement, start - 1)
        return ((int(record[0]), _judgment(record)) for record in records)

    def count_judgments(self) -> int:
        return int(self.database.rows("SELECT count(*) FROM judgments")[0][0])


_SELECT = (
    "SELECT number, event_id, subject, description, queries.ticket_id, judgments.ticket_id, grade,"
    " judge, time, rank, score, bundle_id, note"
    " FROM judgments JOIN queries ON queries.id = query_id"
)


def _put_query(connection: Connection, query: Query) -> None:
    connection.execute(
        "INSERT INTO queries (id, subject, description, ticket_id, asked) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET asked = excluded.asked WHERE asked < excluded.asked",
        (query.id, query.subject, query.description, query.ticket_id, _today()),
    )


def _today() -> str:
    return times.utc_now().date().isoformat()


def _add_judgment(connection: Connection, judgment: Judgment) -> int:
    _put_query(connection, judgment.query)
    return connection.execute(
        "INSERT INTO judgments (event_id, query_id, ticket_id, grade, judge, time, rank, score,"
        " bundle_id, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (event_id) DO NOTHING",
        (
            judgment.event_id,
            judgment.query.id,
            judgment.ticket_id,
            judgment.grade,
            judgment.judge,
            judgment.time.isoformat(),
            judgment.rank,
            judgment.score,
            judgment.bundle_id,
            judgment.note,
        ),
    ).rowcount


def _judgment(record: Row) -> Judgment:
    _, event_id, subject, description, asked_by, ticket_id, grade, judge, time, *seen = record
    return Judgment(
        event_id,
        Query(subject, description, asked_by),
        ticket_id,
        None if grade is None else Grade(grade),
        judge,
        datetime.fromisoformat(time),
        *seen,
    )
