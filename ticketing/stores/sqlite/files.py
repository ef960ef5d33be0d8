"""Files beside the database, named by their digests; a table maps names to digests.

Files are never changed in place, so other places on the same disk may hard-link them.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from sqlite3 import Connection

from ticketing.files import private_folder, sync_folder
from ticketing.stores.files import Files, KeptFile, compared, damaged, no_file
from ticketing.stores.sqlite.database import DatabasePart
from ticketing.times import utc_now

BLOCK = 1 << 20

_COLUMNS = "SELECT name, bytes, sha256, put FROM files"


class SQLiteFiles(DatabasePart, Files):
    """Files in the folder `files` of the store."""

    def put_file(self, name: str, chunks: Iterable[bytes]) -> KeptFile:
        """Keep a file; it is on the disk before the table refers to it."""
        folder = self.database.folder / "files"
        size, digest = 0, hashlib.sha256()
        with self.database.plain_errors():
            private_folder(folder)
            handle, beside = tempfile.mkstemp(dir=folder, prefix=".")
        try:
            with open(handle, "wb") as file:
                for chunk in chunks:
                    with self.database.plain_errors():
                        file.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
                with self.database.plain_errors():
                    file.flush()
                    os.fsync(file.fileno())
            kept = KeptFile(name, size, digest.hexdigest(), utc_now())
            with self.database.writing(durable=True) as connection:
                before = _named(connection, name)
                os.replace(beside, file_path(self.database.folder, kept.sha256))
                sync_folder(folder)
                connection.execute(
                    "INSERT OR REPLACE INTO files (name, bytes, sha256, put) VALUES (?, ?, ?, ?)",
                    (name, size, kept.sha256, kept.put.isoformat()),
                )
        finally:
            Path(beside).unlink(missing_ok=True)
        if before:
            self._unlink_unnamed(before.sha256)
        return kept

    def file_chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a file, in blocks of a megabyte."""
        kept = self._require(name)
        while True:
            try:
                file = file_path(self.database.folder, kept.sha256).open("rb")
                break
            except FileNotFoundError:
                before, kept = kept, self._require(name)
                if kept == before:
                    raise damaged(name) from None
        with file, self.database.plain_errors():
            yield from compared(iter(lambda: file.read(BLOCK), b""), kept)

    def files(self, prefix: str = "") -> list[KeptFile]:
        rows = self.database.rows(
            f"{_COLUMNS} WHERE substr(name, 1, ?) = ? ORDER BY name", len(prefix), prefix
        )
        return [_kept(*row) for row in rows]

    def drop_file(self, name: str) -> None:
        """Delete a file, its name first: after a power cut there is no name without its bytes, and
        nothing written before is undone."""
        with self.database.writing(durable=True) as connection:
            before = _named(connection, name)
            connection.execute("DELETE FROM files WHERE name = ?", (name,))
        if before:
            self._unlink_unnamed(before.sha256)

    def file_at(self, name: str) -> Path | None:
        with self.database.reading() as connection:
            kept = _named(connection, name)
        path = kept and file_path(self.database.folder, kept.sha256)
        return path if path and path.exists() else None

    def _require(self, name: str) -> KeptFile:
        with self.database.reading() as connection:
            kept = _named(connection, name)
        if kept is None:
            raise no_file(name)
        return kept

    def _unlink_unnamed(self, sha256: str) -> None:
        """Delete the bytes of a digest without a name; the lock prevents new names meanwhile."""
        with self.database.writing() as connection:
            named = connection.execute("SELECT 1 FROM files WHERE sha256 = ?", (sha256,))
            if not named.fetchone():
                file_path(self.database.folder, sha256).unlink(missing_ok=True)


def file_path(folder: Path, sha256: str) -> Path:
    """The path of a digest's bytes in the folder of a store."""
    return folder / "files" / sha256


def _named(connection: Connection, name: str) -> KeptFile | None:
    row = connection.execute(f"{_COLUMNS} WHERE name = ?", (name,)).fetchone()
    return _kept(*row) if row else None


def _kept(name: str, size: int, sha256: str, put: str) -> KeptFile:
    return KeptFile(name, size, sha256, datetime.fromisoformat(put))
