"""Codes: which row of which file holds a ticket's codes, and the block that a query scans."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from sqlite3 import Connection
from typing import cast

import numpy as np
import numpy.typing as npt

from ticketing.errors import StoreError
from ticketing.queries import EncodedQuery
from ticketing.stores.protocols import CodeBlock, CodeRow, Codes
from ticketing.stores.sqlite.code_files import map_rows, write_rows
from ticketing.stores.sqlite.database import ANY_OF, Database, DatabasePart, json_list
from ticketing.stores.sqlite.serving import served
from ticketing.stores.sqlite.tickets import where
from ticketing.tickets import Filters

MOST_KEPT = 16
"""Blocks kept in memory, each of a bundle for some groups."""

_FRESH = "codes.version = tickets.version"


@dataclass(frozen=True)
class _File:
    """A row of `code_files`: `rows` are committed; `deletions` counts deletes of tickets in it, and
    changes of their groups."""

    number: int
    width: int
    rows: int
    deletions: int


@dataclass(frozen=True)
class _Seen:
    """What this process last saw of a bundle for some groups."""

    file: _File
    block: CodeBlock


class SQLiteCodes(DatabasePart, Codes):
    """A file of rows for each bundle, and a table that says which row is which ticket's.

    An unchanged bundle's block is kept, for each of the last sets of groups that asked, and whether
    it is unchanged is asked of the database on every call, so that another process's change is seen
    at once.
    """

    def __init__(self, database: Database):
        super().__init__(database)
        self._seen: dict[tuple[str, Filters], _Seen] = {}
        self._looking = threading.Lock()

    def stale_ids(
        self,
        bundle_id: str,
        limit: int = 0,
        after: str = "",
        among: Sequence[str] | None = None,
    ) -> list[str]:
        """Ids, ascending and greater than `after`, of tickets without fresh codes."""
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
        """Store codes, all or none; a killed process leaves only bytes that nobody reads."""
        with self.database.writing() as connection:
            file = _file(connection, bundle_id)
            widths = {len(row.code) for row in rows} | ({file.width} if file else set())
            if len(widths) > 1:
                raise StoreError(
                    f"Codes of bundle {bundle_id} must all have one width, not"
                    f" {' and '.join(map(str, sorted(widths)))} bytes; drop its codes and reindex."
                )
            wanted = _wanted(connection, file, rows)
            if not wanted:
                return 0
            file = file or _new_file(connection, bundle_id, *widths)
            blob = b"".join(row.code for row in wanted.values())
            write_rows(self._path(file), file.rows * file.width, blob)
            connection.executemany(
                "INSERT INTO codes (file, ticket, row, version, topic) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (file, ticket) DO UPDATE SET row = excluded.row,"
                " version = excluded.version, topic = excluded.topic",
                (
                    (file.number, ticket, file.rows + i, row.version, row.topic)
                    for i, (ticket, row) in enumerate(wanted.items())
                ),
            )
            connection.execute(
                "UPDATE code_files SET rows = rows + ? WHERE number = ?", (len(wanted), file.number)
            )
            return len(wanted)

    def count_codes(self, bundle_id: str) -> int:
        """How many tickets carry fresh codes under the bundle."""
        [(count,)] = self.database.rows(
            "SELECT count(*) FROM code_files JOIN codes ON codes.file = code_files.number"
            f" JOIN tickets ON tickets.pk = codes.ticket WHERE bundle_id = ? AND {_FRESH}",
            bundle_id,
        )
        return int(count)

    def codes(self, bundle_id: str, filters: Filters = Filters()) -> CodeBlock:
        """What a query under this bundle scans, as of this very call."""
        if filters == Filters(groups=filters.groups):
            return self._kept_block(bundle_id, filters)
        with self.database.reading() as connection:
            file = _file(connection, bundle_id)
            if file is None:
                return _EMPTY
            condition, values = where(filters)
            rows = _rows(connection, file, condition, *values)
        return _block(rows, self._map(file))

    def candidates(
        self,
        bundle_id: str,
        query: EncodedQuery,
        filters: Filters = Filters(),
        limit: int = 10,
    ) -> CodeBlock:
        """Codes of all matching tickets: here the exact scan of all takes milliseconds."""
        return self.codes(bundle_id, filters)

    def topic_counts(
        self, bundle_id: str, filters: Filters = Filters()
    ) -> dict[tuple[int | None, date | None], int]:
        """How many matching tickets have each main topic in each month."""
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
        """Ids of the matching tickets with this main topic, newest first, undated ones last."""
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
        """Ids of the bundles that codes are kept under."""
        rows = self.database.rows("SELECT bundle_id FROM code_files ORDER BY bundle_id")
        return [bundle_id for (bundle_id,) in rows]

    def code_rows(self, bundle_id: str) -> Iterator[CodeRow]:
        """All fresh codes in ascending order of ticket id; the file keeps no vectors."""
        codes = self.codes(bundle_id).codes
        statement = (
            "SELECT id, codes.version, row, topic FROM code_files JOIN codes ON file = number"
            f" JOIN tickets ON pk = ticket WHERE bundle_id = ? AND {_FRESH}"
            " AND row < ? AND id > ? ORDER BY id LIMIT ?"
        )
        for id, version, row, topic in self._pages(statement, "", bundle_id, len(codes)):
            yield CodeRow(id, version, codes[row].tobytes(), topic)

    def drop_codes(self, bundle_id: str) -> None:
        """Delete all codes of a bundle; raises StoreError for the serving one."""
        with self.database.writing() as connection:
            if served(connection) == bundle_id:
                raise StoreError(
                    f"Bundle {bundle_id} serves; let another one serve before its codes go."
                )
            file = _file(connection, bundle_id)
            connection.execute("DELETE FROM code_files WHERE bundle_id = ?", (bundle_id,))
        if file:
            self._path(file).unlink(missing_ok=True)

    def _kept_block(self, bundle_id: str, filters: Filters) -> CodeBlock:
        """The block under filters that name groups alone, if anything."""
        key = bundle_id, filters
        with self._looking, self.database.reading() as connection:
            file = _file(connection, bundle_id)
            seen = self._seen.pop(key, None)
            if file is None:
                return _EMPTY
            if seen is None or seen.file != file:
                seen = self._look(connection, file, filters, seen)
            if len(self._seen) == MOST_KEPT:
                del self._seen[next(iter(self._seen))]  # the one that was asked for longest ago
            self._seen[key] = seen
        return seen.block

    def _look(
        self, connection: Connection, file: _File, filters: Filters, seen: _Seen | None
    ) -> _Seen:
        """What is there now; only rows past those seen are read, unless tickets were deleted or
        have other groups."""
        condition, values = where(filters)
        if seen and (seen.file.number, seen.file.deletions) == (file.number, file.deletions):
            condition = f"codes.row >= ? AND {condition}"
            merged = dict(zip(seen.block.ids, seen.block.live.tolist(), strict=True))
            merged |= _rows(connection, file, condition, seen.file.rows, *values)
            row_of = {id: merged[id] for id in sorted(merged)}
        else:
            row_of = _rows(connection, file, condition, *values)
        return _Seen(file, _block(row_of, self._map(file)))

    def _forget_codes(self) -> None:
        self._seen.clear()

    def _path(self, file: _File) -> Path:
        return self.database.folder / "codes" / f"{file.number}.bin"

    def _map(self, file: _File) -> npt.NDArray[np.uint8]:
        return map_rows(self._path(file), file.rows, file.width)


_EMPTY = CodeBlock(np.empty((0, 0), np.uint8), np.empty(0, np.int64), ())


def _file(connection: Connection, bundle_id: str) -> _File | None:
    row = connection.execute(
        "SELECT number, width, rows, deletions FROM code_files WHERE bundle_id = ?", (bundle_id,)
    ).fetchone()
    return _File(*row) if row else None


def _new_file(connection: Connection, bundle_id: str, width: int) -> _File:
    inserted = connection.execute(
        "INSERT INTO code_files (bundle_id, width) VALUES (?, ?)", (bundle_id, width)
    )
    number = cast(int, inserted.lastrowid)  # an INSERT has one
    return _File(number, width, rows=0, deletions=0)


def _wanted(
    connection: Connection, file: _File | None, rows: Sequence[CodeRow]
) -> dict[int, CodeRow]:
    """Rows still worth storing, by the ticket's key: of the present text, and not there yet."""
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


def _rows(connection: Connection, file: _File, condition: str, *values: object) -> dict[str, int]:
    """Each matching ticket's row in the file, in ascending id order."""
    return dict(
        connection.execute(
            "SELECT id, row FROM codes JOIN tickets ON pk = ticket"
            f" WHERE file = ? AND {condition} ORDER BY id",
            (file.number, *values),
        )
    )


def _block(row_of: dict[str, int], codes: npt.NDArray[np.uint8]) -> CodeBlock:
    live = np.fromiter(row_of.values(), np.int64, len(row_of))
    live.setflags(write=False)
    return CodeBlock(codes, live, tuple(row_of))
