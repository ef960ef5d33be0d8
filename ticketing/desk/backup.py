"""Backups: one private file with all that a desk needs to go on elsewhere, for both stores.

The file is a zip. `store/` holds the store as SQLite files, `home/` the rest of the home, and
`manifest.json` the digest of every other file. Snapshots of Elasticsearch indices would fit only
the same server; this format fits both stores and can be read by people.
"""

import errno
import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from ticketing.desk.base import DeskBase
from ticketing.errors import InputError, StoreAway, StoreError, StoreFull
from ticketing.files import require_target, sole_folder, sync_folder
from ticketing.stores.migration import BYTES, Shown
from ticketing.stores.snapshot import snapshot
from ticketing.times import utc_now

FORMAT, VERSION = "ticketing backup", 1

MANIFEST = "manifest.json"

KEPT = ("models", "categories", "secret_key", "notice.txt")
"""The parts of a home that are backed up beside the store; everything else is temporary."""

STORED = PurePosixPath("store/files")
"""Folder of the store's files in a backup; each file is named by its SHA-256."""

HARM = (zipfile.BadZipFile, EOFError, ValueError, RuntimeError, zlib.error)
"""Exceptions raised while reading a damaged zip: RuntimeError if a flag wrongly says that it is
encrypted or compressed in another way."""

BLOCK = 1 << 20

FAST = 1
"""Compression level. Codes and networks hardly compress, and texts compress well enough."""


@dataclass(frozen=True)
class Member:
    """A file in a backup: its size in bytes and its SHA-256 in hex."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The manifest of a backup; times are UTC."""

    format: str
    version: int
    created: str
    files: dict[str, Member]

    @property
    def bytes(self) -> int:
        """Total size of all its files."""
        return sum(member.bytes for member in self.files.values())


class Backups(DeskBase):
    """Makes backups while the desk is in use."""

    def back_up(self, file: Path, shown: Shown) -> Manifest:
        """Write a backup to a temporary file beside `file`, verify its digests, and rename it to
        `file`.

        The backup contains everything acknowledged before this call. If it is interrupted or the
        store is damaged, `file` stays as it was. Raises InputError if `file` is in the home, or
        exists and is not a backup, Conflict while another backup to this file is being made,
        StoreError, StoreAway, OSError.
        """
        self._require_replaceable(file)
        beside = file.parent.resolve() / f".{file.name}.partial"
        with sole_folder(beside):
            whole = beside / "backup"
            with _leaving(file):
                manifest = self._pack_all(beside, whole, shown)
            os.replace(whole, file)
            sync_folder(file.parent)
        return manifest

    def _require_replaceable(self, file: Path) -> None:
        require_target(file)
        home = self.settings.home
        if file.resolve().is_relative_to(home.resolve()):
            raise InputError(f"{file} is in the home {home}; name a file outside it.")
        if file.exists() and file.stat().st_size:
            try:
                with zipfile.ZipFile(file) as archive:
                    _manifest(file, archive)
            except HARM:
                raise _no_backup(file) from None

    def _pack_all(self, beside: Path, whole: Path, shown: Shown) -> Manifest:
        """Write a backup from a copy of the store, and verify it."""
        self.models.share_all()
        shared = self.models.shared()
        snapshot(self.whole, beside / "store", shown)
        _pack(whole, dict(self._members(beside, shared)), shown)
        manifest = verified(whole, shown)
        _require_named_truly(manifest)
        return manifest

    def _members(self, beside: Path, shared: Collection[str]) -> Iterator[tuple[str, Path]]:
        """All files to back up, with their names in the backup. Bundles that are in the store are
        taken only from there."""
        roots = {"store": beside / "store"} | {
            f"home/{name}": self.settings.home / name for name in KEPT
        }
        for name, root in roots.items():
            if root.is_file():
                yield name, root
            for path in sorted(root.rglob("*")):
                inside = path.relative_to(root)
                hidden = any(part.startswith(".") for part in inside.parts)
                twice = root.name == "models" and inside.parts[0] in shared
                if path.is_file() and not hidden and not twice:
                    yield f"{name}/{inside.as_posix()}", path


@contextmanager
def _leaving(file: Path) -> Iterator[None]:
    """Add to the error of a damaged store that no backup was written, and to that of a full disk
    which file did not fit."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise OSError(error.errno, error.strerror, str(file)) from error
        raise
    except (StoreAway, StoreFull):
        raise
    except StoreError as error:
        left = " and an earlier backup stays as it is" if file.exists() else ""
        raise StoreError(f"{str(error).rstrip('.')}; no backup was written{left}.") from error


def _require_named_truly(manifest: Manifest) -> None:
    """Raises StoreError for a file of the store whose content does not match its name (its
    SHA-256)."""
    for name, member in manifest.files.items():
        path = PurePosixPath(name)
        if path.parent == STORED and path.name != member.sha256:
            raise StoreError(
                f"The file files/{path.name} of the store was changed; run `ticketing check"
                " --repair`."
            )


def _pack(whole: Path, members: dict[str, Path], shown: Shown) -> None:
    went = shown("packed", sum(path.stat().st_size for path in members.values()), BYTES)
    files = {}
    with (
        open(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=FAST) as archive,
    ):
        for name, path in members.items():
            size, digest = 0, hashlib.sha256()
            with path.open("rb") as file, archive.open(name, "w", force_zip64=True) as packed:
                while data := file.read(BLOCK):
                    packed.write(data)
                    digest.update(data)
                    size += len(data)
                    went(len(data))
            files[name] = {"bytes": size, "sha256": digest.hexdigest()}
        facts = {"format": FORMAT, "version": VERSION, "created": utc_now().isoformat()}
        archive.writestr(MANIFEST, json.dumps({**facts, "files": files}, indent=1))
    with whole.open("rb") as file:
        os.fsync(file.fileno())


def verified(file: Path, shown: Shown) -> Manifest:
    """Read a backup and compare every file with the manifest; returns the manifest.

    Raises InputError for a file that is not a backup, is damaged or is of a later version.
    """
    if not file.is_file():
        raise InputError(f"{file} is no file; name the one that `ticketing backup` wrote.")
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = _manifest(file, archive)
            names = set(archive.namelist()) - {MANIFEST}
            if names != manifest.files.keys():
                raise damaged(file, min(names ^ manifest.files.keys()))
            went = shown("compared", manifest.bytes, BYTES)
            for name in manifest.files:
                for data in read(file, archive, name, manifest):
                    went(len(data))
    except HARM as error:
        raise InputError(f"{file} is no whole backup ({error}); name another one.") from None
    return manifest


def read(file: Path, archive: zipfile.ZipFile, name: str, manifest: Manifest) -> Iterator[bytes]:
    """The bytes of one file, in blocks. Raises InputError before the last block if they do not
    match the manifest."""
    member, size, digest = manifest.files[name], 0, hashlib.sha256()
    try:
        with archive.open(name) as packed:
            while data := packed.read(BLOCK):
                digest.update(data)
                size += len(data)
                if size > member.bytes:
                    break
                yield data
    except (*HARM, OSError):
        raise damaged(file, name) from None
    if (size, digest.hexdigest()) != (member.bytes, member.sha256):
        raise damaged(file, name)


def damaged(file: Path, name: str) -> InputError:
    """The error for a backup with a damaged file."""
    return InputError(f"{file} is damaged at {name}; name another backup.")


def _no_backup(file: Path) -> InputError:
    return InputError(f"{file} is no backup of this program; name another file.")


def _manifest(file: Path, archive: zipfile.ZipFile) -> Manifest:
    try:
        found = TypeAdapter(Manifest).validate_json(archive.read(MANIFEST))
    except (*HARM, OSError, KeyError):  # ValidationError is a ValueError
        raise _no_backup(file) from None
    if found.format != FORMAT or found.version > VERSION:
        raise InputError(
            f"{file} has format {found.version} of {found.format!r}, and this program reads format"
            f" {VERSION} of {FORMAT!r}; run the program that wrote it."
        )
    return found
