"""Codes: which row of which file holds a ticket's codes, and the block that a query scans."""

from collections.abc import Iterator, Sequence
from datetime import date
from sqlite3 import Connection
from typing import cast
from zlib import crc32

from ticketing.stores.blocks import CodeBlock, CodeRow
from ticketing.stores.checks import require_idle, require_one_width
from ticketing.stores.protocols import Codes
from ticketing.stores.sqlite.code_blocks import CodeFile, SeenCodes, file_of
from ticketing.stores.sqlite.code_files import remove_codes, write_rows
from ticketing.stores.sqlite.database import ANY_OF, Database, DatabasePart, json_list
from ticketing.stores.sqlite.serving import served
from ticketing.stores.sqlite.tickets import where
from ticketing.tickets import Filters

_FRESH = "codes.version = tickets.version"


class SQLiteCodes(DatabasePart, Codes):
    """A file of rows for each bundle, and a table of each ticket's row.

    The block of an unchanged bundle is cached for each of the last sets of groups that were asked
    for. Each call checks in the database whether it has changed, so changes by other processes are
    seen at once. A process compares each row with its checksum once, at its first use.
    """

    def __init__(self, database: Database):
        super().__init__(database)
        self._seen = SeenCodes(database.folder)

    @property
    def keeps_vectors(self) -> bool:
        """See Codes. Always False: the scan compares all codes, or those that the index selects."""
        return False

    def stale_ids(
        self,
        bundle_id: str,
        limit: int = 0,
        after: str = "",
        among: Sequence[str] | None = None,
    ) -> list[str]:
        condition, values = ("TRUE", []) if among is None else (f"id {ANY_OF}", [json_list(among)])
        rows = self.database.rows(
            "SELECT id FROM tickets LEFT JOIN codes ON codes.ticket = tickets.pk AND codes.file ="
            " (SELECT number FROM code_files WHERE bundle_id = ?)"
            f" WHERE id > ? AND {condition} AND ({_FRESH}) IS NOT TRUE ORDER BY id LIMIT ?",
            bundle_id,
            after,
            *values,
            limit or -1,
        )
        return [id for (id,) in rows]

    def put_codes(self, bundle_id: str, rows: Sequence[CodeRow]) -> int:
        """Store all codes or none; a killed process leaves only bytes that nobody reads.

        Codes and data derived from them survive a power cut: the number of a row is never used
        again.
        """
        with self.database.writing(durable=True) as connection:
            file = file_of(connection, bundle_id)
            widths = {len(row.code) for row in rows} | ({file.width} if file else set())
            require_one_width(bundle_id, widths)
            wanted = _wanted(connection, file, rows)
            if not wanted:
                return 0
            file = file or _new_file(connection, bundle_id, *widths)
            blob = b"".join(row.code for row in wanted.values())
            write_rows(self._seen.path(file), file.rows * file.width, blob)
            connection.executemany(
                "INSERT INTO codes (file, ticket, row, version, topic, checksum)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (file, ticket) DO UPDATE SET"
                " row = excluded.row, version = excluded.version, topic = excluded.topic,"
                " checksum = excluded.checksum",
                (
                    (file.number, ticket, file.rows + i, row.version, row.topic, crc32(row.code))
                    for i, (ticket, row) in enumerate(wanted.items())
                ),
            )
            connection.execute(
                "UPDATE code_files SET rows = rows + ? WHERE number = ?", (len(wanted), file.number)
            )
            return len(wanted)

    def count_codes(self, bundle_id: str) -> int:
        [(count,)] = self.database.rows(
            "SELECT count(*) FROM code_files JOIN codes ON codes.file = code_files.number"
            f" JOIN tickets ON tickets.pk = codes.ticket WHERE bundle_id = ? AND {_FRESH}",
            bundle_id,
        )
        return int(count)

    def codes(self, bundle_id: str, filters: Filters = Filters()) -> CodeBlock:
        """The block that a query with this bundle scans, at the time of the call.

        Raises StoreError if the code file has lost all rows.
        """
        with self.database.reading() as connection:
            return self._seen.block(connection, bundle_id, filters)

    def topic_counts(
        self, bundle_id: str, filters: Filters = Filters()
    ) -> dict[tuple[int | None, date | None], int]:
        condition, values = where(filters)
        rows = self.database.rows(
            "SELECT topic, substr(created, 1, 7) AS month, count(*) FROM code_files"
            " JOIN codes ON file = number JOIN tickets ON pk = ticket"
            f" WHERE bundle_id = ? AND {condition} GROUP BY topic, month",
            bundle_id,
            *values,
        )
        return {
            (topic, date.fromisoformat(f"{month}-01") if month else None): count
            for topic, month, count in rows
        }

    def topic_tickets(
        self,
        bundle_id: str,
        topic: int,
        filters: Filters = Filters(),
        limit: int = 10,
        offset: int = 0,
    ) -> list[str]:
        condition, values = where(filters)
        rows = self.database.rows(
            "SELECT id FROM code_files JOIN codes ON file = number JOIN tickets ON pk = ticket"
            f" WHERE bundle_id = ? AND topic = ? AND {condition}"
            " ORDER BY created DESC NULLS LAST, id LIMIT ? OFFSET ?",
            bundle_id,
            topic,
            *values,
            limit,
            offset,
        )
        return [id for (id,) in rows]

    def bundles(self) -> list[str]:
        rows = self.database.rows("SELECT bundle_id FROM code_files ORDER BY bundle_id")
        return [bundle_id for (bundle_id,) in rows]

    def code_rows(self, bundle_id: str) -> Iterator[CodeRow]:
        """All fresh codes in ascending order of ticket id; the file keeps no vectors."""
        with self.database.reading() as connection:
            found = self._seen.checked(connection, bundle_id)
        if found is None:
            return
        statement = (
            "SELECT id, codes.version, row, topic FROM codes JOIN tickets ON pk = ticket"
            f" WHERE file = ? AND {_FRESH} AND row < ? AND id > ? ORDER BY id LIMIT ?"
        )
        file = found.file
        for id, version, row, topic in self._pages(statement, "", file.number, file.rows):
            if row not in found.damaged:
                yield CodeRow(id, version, found.codes[row].tobytes(), topic)

    def damaged_codes(self, bundle_id: str) -> list[str]:
        with self.database.reading() as connection:
            found = self._seen.checked(connection, bundle_id)
            if found is None or not found.damaged:
                return []
            statement = (
                "SELECT id FROM codes JOIN tickets ON pk = ticket"
                f" WHERE file = ? AND row {ANY_OF} ORDER BY id"
            )
            rows = connection.execute(statement, (found.file.number, json_list(found.damaged)))
            return [id for (id,) in rows]

    def forget_codes(self, bundle_id: str, ids: Sequence[str]) -> None:
        """Delete the codes of these tickets; their rows are never used again."""
        with self.database.writing() as connection:
            if file := file_of(connection, bundle_id):
                connection.execute(
                    "DELETE FROM codes WHERE file = ?"
                    f" AND ticket IN (SELECT pk FROM tickets WHERE id {ANY_OF})",
                    (file.number, json_list(ids)),
                )
                connection.execute(
                    "UPDATE code_files SET deletions = deletions + 1 WHERE number = ?",
                    (file.number,),
                )

    def drop_codes(self, bundle_id: str) -> None:
        with self.database.writing() as connection:
            require_idle(bundle_id, served(connection))
            file = file_of(connection, bundle_id)
            connection.execute("DELETE FROM code_files WHERE bundle_id = ?", (bundle_id,))
        if file:
            remove_codes(self._seen.path(file))

    def _forget_codes(self) -> None:
        self._seen.forget()


def _new_file(connection: Connection, bundle_id: str, width: int) -> CodeFile:
    inserted = connection.execute(
        "INSERT INTO code_files (bundle_id, width) VALUES (?, ?)", (bundle_id, width)
    )
    number = cast(int, inserted.lastrowid)  # an INSERT has one
    return CodeFile(number, width, rows=0, deletions=0)


def _wanted(
    connection: Connection, file: CodeFile | None, rows: Sequence[CodeRow]
) -> dict[int, CodeRow]:
    """Rows still to be stored, by the ticket's key: of the present text, and not stored yet."""
    stale = connection.execute(
        "SELECT tickets.id, pk, tickets.version FROM json_each(?) JOIN tickets"
        " ON tickets.id = value LEFT JOIN codes ON codes.ticket = pk AND codes.file = ?"
        f" WHERE ({_FRESH}) IS NOT TRUE",
        (json_list(row.ticket_id for row in rows), file and file.number),
    )
    wanted = {(id, version): pk for id, pk, version in stale}
    return {
        wanted[row.ticket_id, row.version]: row
        for row in rows
        if (row.ticket_id, row.version) in wanted
    }
