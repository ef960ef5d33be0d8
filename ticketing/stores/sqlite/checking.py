"""Checks the database for damage: its pages, its indexes, and inconsistent rows."""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path

from ticketing.files import private_folder
from ticketing.plurals import counted
from ticketing.stores.damage import BACKUP, Checked, Finding, StoreDamaged, half_written
from ticketing.stores.files import damaged_files
from ticketing.stores.history import KINDS, from_json
from ticketing.stores.sqlite.code_files import code_file, remove_codes, remove_known
from ticketing.stores.sqlite.database import Row
from ticketing.stores.sqlite.files import SQLiteFiles, file_path
from ticketing.stores.sqlite.jobs import COLUMNS, read_job
from ticketing.text import token_lines
from ticketing.tickets import Query, Ticket

ROOM = 1 << 20
"""Free bytes that a store needs for writes."""

NAMED = 3
"""Number of examples named in a finding."""

_OF_INDEX = "missing from index", "wrong # of entries in index", "non-unique entry in index"


class SQLiteChecking(SQLiteFiles, Checked):
    """Reads everything; data that other data depend on come first."""

    def require_room(self) -> None:
        """Raises StoreFull if the disk has less than a megabyte left, or takes no writes."""
        folder = self.database.folder
        with self.database.plain_errors():
            try:
                with tempfile.TemporaryFile(dir=folder) as file:
                    os.posix_fallocate(file.fileno(), 0, ROOM)
            except OSError as error:  # it may name a temporary file
                raise OSError(error.errno, error.strerror, str(folder)) from error

    def findings(self) -> Iterator[Finding]:
        """Damage of the database, and files beside it that belong to nothing."""
        yield from self._pages_of_the_file()
        for check in (
            self._texts,
            self._words,
            self._references,
            self._events,
            self._codes,
            self._files,
        ):
            try:
                yield from check()
            except StoreDamaged as error:
                yield Finding(str(self.database.path), str(error.__cause__), BACKUP)

    def _pages_of_the_file(self) -> Iterator[Finding]:
        try:
            said = [line for (line,) in self.database.rows("PRAGMA integrity_check(100)")]
        except StoreDamaged as error:
            said = [str(error.__cause__)]
        said = [line for line in said if line != "ok" and "FTS5" not in line]  # see _words
        if not said:
            return
        what = "; ".join(said[:NAMED]).replace("\n", " ").rstrip(".")
        if all(any(sign in line for sign in _OF_INDEX) for line in said):
            yield Finding(str(self.database.path), what, "build its indexes anew", self._reindex)
        else:
            yield Finding(str(self.database.path), what, BACKUP)

    def _reindex(self) -> str:
        self.database.rows("REINDEX")
        return "the indexes were built anew"

    def _texts(self) -> Iterator[Finding]:
        """A ticket's version and a query's id are digests of their texts."""
        statement = (
            "SELECT pk, id, subject, description, solution, created, version FROM tickets"
            " WHERE pk > ? ORDER BY pk LIMIT ?"
        )
        rows = self._pages(statement, 0)
        for pk, id, subject, description, solution, created, version in rows:
            try:
                time = created and datetime.fromisoformat(created)
                found = Ticket(id, subject, description, solution, created=time).version
            except (TypeError, ValueError):
                yield Finding(f"ticket {id}", "it cannot be read", BACKUP)
                continue
            if found != version:
                yield Finding(
                    f"ticket {id}",
                    "its text is not the one that was stored",
                    "import it again, or take it as it is now",
                    partial(self._take, pk, found),
                )
        statement = "SELECT rowid, id, subject, description, ticket_id FROM queries"
        statement += " WHERE rowid > ? ORDER BY rowid LIMIT ?"
        for _, id, *texts in self._pages(statement, 0):
            if Query(*texts).id != id:
                yield Finding(f"query {id}", "its text is not the one that was stored", BACKUP)

    def _take(self, pk: int, version: str) -> str:
        with self.database.writing() as connection:
            connection.execute("UPDATE tickets SET version = ? WHERE pk = ?", (version, pk))
        return "its text was taken as it is now"

    def _words(self) -> Iterator[Finding]:
        """The word index is consistent and contains every ticket."""
        try:
            self.database.rows("INSERT INTO words (words) VALUES ('integrity-check')")
            [(lacking,)] = self.database.rows(
                "SELECT count(*) FROM tickets WHERE pk NOT IN (SELECT rowid FROM words)"
            )
        except StoreDamaged:
            what = "the index of words does not agree with itself"
        else:
            what = f"the index of words lacks {counted(lacking, 'ticket')}" if lacking else ""
        if what:
            todo = "build it anew"
            yield Finding(str(self.database.path), what, todo, self._index_words)

    def _index_words(self) -> str:
        columns = "pk, version, subject, description, solution"
        rows = self._pages(f"SELECT {columns} FROM tickets WHERE pk > ? ORDER BY pk LIMIT ?", 0)
        read = {pk: (version, token_lines(*texts)) for pk, version, *texts in rows}
        with self.database.writing() as connection:
            now = dict(connection.execute("SELECT pk, version FROM tickets"))
            for pk in [pk for pk, version in now.items() if read.get(pk, ("",))[0] != version]:
                statement = "SELECT subject, description, solution FROM tickets WHERE pk = ?"
                [texts] = connection.execute(statement, (pk,)).fetchall()
                read[pk] = now[pk], token_lines(*texts)  # new or changed meanwhile
            entries = [(pk, read[pk][1]) for pk in sorted(now)]
            # Empty the damaged index first: a deletion would look words up in it.
            connection.execute("DELETE FROM words_content")
            connection.execute("INSERT INTO words (words) VALUES ('rebuild')")
            connection.executemany("INSERT INTO words (rowid, tokens) VALUES (?, ?)", entries)
        return f"the words of {counted(len(entries), 'ticket')} were indexed anew"

    def _references(self) -> Iterator[Finding]:
        """Rows that refer to a missing row."""
        found = self.database.rows(
            'SELECT "table", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2'
        )
        for table, parent, count in found:
            where, what = f"table {table}", f"{counted(count, 'row')} of no row in {parent}"
            if table == "codes":
                yield Finding(where, what, "delete them", self._drop_orphans)
            else:
                yield Finding(where, what, BACKUP)

    def _drop_orphans(self) -> str:
        with self.database.writing() as connection:
            count = connection.execute(
                "DELETE FROM codes WHERE ticket NOT IN (SELECT pk FROM tickets)"
                " OR file NOT IN (SELECT number FROM code_files)"
            ).rowcount
        return f"{counted(count, 'row')} of codes were deleted"

    def _events(self) -> Iterator[Finding]:
        """Unreadable rows of append-only tables and of jobs."""
        kinds = {name: kind for kind, name in KINDS.items()}
        of: dict[str, tuple[str, Callable[..., object]]] = {
            "judgments": ("time", datetime.fromisoformat),
            "verdicts": ("time", datetime.fromisoformat),
            "history": ("kind, event", lambda kind, event: from_json(kinds[kind], event)),
            "jobs": (COLUMNS, lambda *row: read_job(row)),
        }
        for table, (columns, read) in of.items():
            statement = f"SELECT number, {columns} FROM {table} WHERE number > ?"
            for number, *values in self._pages(f"{statement} ORDER BY number LIMIT ?", 0):
                try:
                    read(*values)
                except (ValueError, TypeError, KeyError, AttributeError):
                    where = f"table {table}, row {number}"
                    mend = partial(self._set_aside, table, number)
                    yield Finding(where, "it cannot be read", "set it aside", mend)

    def _set_aside(self, table: str, number: int) -> str:
        """Move a row of a table, also of an append-only one, into a file of its own."""
        path = self._damaged() / f"{table}-{number}.json"
        with self.database.writing(durable=True) as connection:
            cursor = connection.execute(f"SELECT * FROM {table} WHERE number = ?", (number,))
            names = [name for name, *_ in cursor.description]
            [row] = cursor.fetchall()
            path.write_text(json.dumps(dict(zip(names, map(_as_json, row), strict=True))))
            guards = connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?",
                (table,),
            ).fetchall()
            for name, _ in guards:
                connection.execute(f"DROP TRIGGER {name}")
            connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
            for _, guard in guards:
                connection.execute(guard)
        return f"it was moved to {path}"

    def _codes(self) -> Iterator[Finding]:
        """Code files that belong to no bundle. The files of bundles are read again, even if another
        process has read them: see `damaged_codes`."""
        found = list((self.database.folder / "codes").glob("[0-9]*"))
        known = self._known_codes()
        for path in known:
            remove_known(path)
        for path in sorted({path.with_suffix(".bin") for path in found}):
            if path not in known:
                yield Finding(
                    str(path), "no bundle has these codes", "delete it", partial(self._forget, path)
                )

    def _known_codes(self) -> set[Path]:
        rows: list[Row] = self.database.rows("SELECT number FROM code_files")
        return {code_file(self.database.folder, number) for (number,) in rows}

    def _forget(self, path: Path) -> str:
        with self.database.writing():  # no writer of new codes is at work
            if path in self._known_codes():
                return "a bundle has it by now"
            remove_codes(path)
        return "it was deleted"

    def _files(self) -> Iterator[Finding]:
        """Files that are damaged, half-written or without a name."""
        yield from damaged_files(self)
        yield from half_written(self.database.folder / "files")
        found = sorted((self.database.folder / "files").glob("[!.]*"))
        named = {file_path(self.database.folder, kept.sha256) for kept in self.files()}
        for path in found:
            if path not in named:
                mend = partial(self._move_aside, path)
                yield Finding(str(path), "it has no name", "move it aside", mend)

    def _move_aside(self, path: Path) -> str:
        with self.database.writing():  # as in `_forget`
            if path.name in {kept.sha256 for kept in self.files()}:
                return "it has a name by now"
            place = path.rename(self._damaged() / path.name)
        return f"it was moved to {place}"

    def _damaged(self) -> Path:
        """The folder of data that cannot be mended."""
        folder = self.database.folder / "damaged"
        private_folder(folder)
        return folder


def _as_json(value: object) -> object:
    return value.hex() if isinstance(value, bytes) else value
