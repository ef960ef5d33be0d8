"""Atomic writes of files, private folders, and the type of JSON objects."""

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ticketing.errors import Conflict, InputError

Json = dict[str, Any]
"""A JSON object."""

CHUNK = 1 << 20
"""Bytes read at a time."""

PRIVATE = 0o077
"""The umask of every command: only the owner may access what is written."""

LOCK = "lock"
"""The lock file in a `sole_folder`."""

LONGEST_NAME, LONGEST_ENDING = 48, 12
"""Longest base name and ending in characters. A character takes at most four bytes, and disks allow
names of 255 bytes."""

OF_A_DESK = {"tickets.sqlite3", "models", "broker", "secret_key"}
"""Files and folders of a desk. A folder that holds one of them belongs to a desk."""

OF_THE_DISK = {"lost+found"}
"""Found on a new, empty disk."""


def private_folder(path: Path) -> None:
    """Create a folder with its parents, or change an existing one, so that only its owner may enter
    it.

    A folder of another owner is not changed; `ticketing check` reports it. Raises OSError.
    """
    path.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode
    if mode & PRIVATE:
        with suppress(PermissionError):
            path.chmod(mode & ~PRIVATE)


def desk_folder(path: Path) -> None:
    """Create a private folder for a desk, or make an existing one private.

    Raises InputError for a folder that others may enter and that holds other things than a desk:
    its permissions are not changed. Raises OSError.
    """
    if path.is_dir() and path.stat().st_mode & PRIVATE:
        names = set(os.listdir(path)) - OF_THE_DISK
        if names and names.isdisjoint(OF_A_DESK):
            raise InputError(
                f"{path} is open to others and holds other things, as {min(names)}, but no desk;"
                " name a folder that the desk has to itself."
            )
    private_folder(path)


@contextmanager
def sole_folder(folder: Path) -> Iterator[None]:
    """Context manager: an empty private folder that one process uses at a time, deleted at the end.

    Files left by a killed process are deleted first. Raises Conflict if another process uses the
    folder, OSError.
    """
    lock = _lock_in(folder)
    try:
        for path in folder.iterdir():
            if path.name != LOCK:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def sweep_folders(parent: Path) -> None:
    """Delete the folders in `parent` that killed processes left; each was a `sole_folder`."""
    for folder in parent.glob("*"):
        with suppress(Conflict), sole_folder(folder):
            continue


def _lock_in(folder: Path) -> int:
    """Create the folder and a lock file in it. Returns the lock's descriptor; the lock ends with
    the process."""
    while True:
        private_folder(folder)
        with suppress(FileNotFoundError):  # its former process has just deleted it
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(lock), (folder / LOCK).stat()):
                    return lock
            except BlockingIOError:
                os.close(lock)
                raise Conflict(
                    f"Another command is at work in {folder}; run this again when it has ended."
                ) from None
            except BaseException:
                os.close(lock)
                raise
            os.close(lock)


def sync_folder(folder: Path) -> None:
    """Wait until files created, renamed or deleted in a folder are on the disk (fsync)."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def link_or_copy(path: Path, target: Path) -> None:
    """Hard-link a file to `target`, or copy it if that is on another disk. An existing target is
    kept. The file must never be changed in place. Raises FileNotFoundError, OSError."""
    try:
        os.link(path, target)
    except FileNotFoundError:
        raise
    except FileExistsError:
        return
    except OSError:  # another disk, or one without hard links
        beside = Path(tempfile.mkdtemp(dir=target.parent, prefix="."))
        try:
            shutil.copyfile(path, beside / target.name)
            os.replace(beside / target.name, target)
        finally:
            shutil.rmtree(beside)


def link_in_place(path: Path, target: Path) -> None:
    """As `link_or_copy`, but atomically replaces what is at `target`."""
    beside = target.with_name(f".{target.name}")
    beside.unlink(missing_ok=True)
    link_or_copy(path, beside)
    os.replace(beside, target)
    beside.unlink(missing_ok=True)  # if both were the same file already, os.replace renamed nothing


def file_name(said: str) -> str:
    """A safe name for an uploaded file: the last part of the name sent, in any alphabet, without
    unprintable characters, and short enough for a disk."""
    last = re.split(r"[/\\]", said)[-1]
    name = Path("".join(filter(str.isprintable, last)).lstrip(". ") or "tickets")
    endings = "".join(name.suffixes[-2:])[-LONGEST_ENDING:]
    return name.name.removesuffix(endings)[:LONGEST_NAME] + endings


def require_writes(home: Path) -> None:
    """Raises InputError if no file can be created in the desk's folder. A full disk is not an error
    here, since it may have room later."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=home).close()
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise InputError(
                f"The home {home} takes no files ({error.strerror}); let it be written to, or name"
                " another with TICKETING_HOME."
            ) from None


def require_target(path: Path) -> None:
    """Raises InputError if no file can be written at this path; called before long work."""
    _require_plain(path)
    require_target_folder(path.absolute().parent)


def require_target_folder(path: Path) -> None:
    """Raises InputError if no file can be written in a folder, existing or new."""
    around = (path, *path.absolute().parents)
    folder = next(folder for folder in around if os.path.exists(folder))
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise InputError(f"No file can be written in {folder}; name another folder.")


def _require_plain(path: Path) -> None:
    """Raises InputError if the path is a folder, link, device or pipe, which a file must not
    replace."""
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise InputError(f"{path} is no plain file, and is not replaced by one; name another path.")


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a temporary file beside `path` and rename it to `path`. Text is written as UTF-8,
    parents are created, and only the owner may read the file.

    Raises InputError if something other than a plain file is there, OSError.
    """
    _require_plain(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        _write(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:  # name the target instead of the temporary file
        raise OSError(error.errno, error.strerror, str(path)) from error


def _write(path: Path, content: bytes) -> None:
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a file, CHUNK at a time."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def content_digest(path: Path) -> str:
    """SHA-256 of a file's content, in hex."""
    digest = hashlib.sha256()
    for chunk in chunks(path):
        digest.update(chunk)
    return digest.hexdigest()


def short_digest(*values: Any) -> str:
    """Sixteen hex digits that identify values, which JSON must be able to hold."""
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]
