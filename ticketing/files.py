"""Files that are there as a whole or not at all, and the JSON that many of them hold."""

import errno
import fcntl
import hashlib
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
"""An object of JSON."""

CHUNK = 1 << 20
"""Bytes of a file that are held in memory."""

PRIVATE = 0o077
"""What is taken from everybody but the owner: the umask of every command."""

LOCK = "lock"
"""The file in a `sole_folder` that its process holds."""

LONGEST_NAME, LONGEST_ENDING = 48, 12
"""Characters of a file's name, each four bytes at most, of which a disk takes 255."""

OF_A_DESK = {"tickets.sqlite3", "models", "broker", "secret_key"}
"""Names in a folder, one of which tells that it belongs to a desk."""

OF_THE_DISK = {"lost+found"}
"""What a new disk holds."""


def private_folder(path: Path) -> None:
    """Make a folder, with its parents, that nobody but its owner may enter, or make it so.

    One of another owner stays as it is, which `ticketing check` says. Raises OSError.
    """
    path.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode
    if mode & PRIVATE:
        with suppress(PermissionError):
            path.chmod(mode & ~PRIVATE)


def desk_folder(path: Path) -> None:
    """Make or take a private folder for a desk. Raises InputError for one that others may enter and
    that holds other things: taking their rights would be no desk's business. Raises OSError."""
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
    """An empty private folder for the block, which one process has at a time; then it is deleted.

    What a killed process left in it is deleted. Raises Conflict where another process has it,
    OSError.
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
    """Delete the folders in `parent` that a killed process left, each a `sole_folder` once."""
    for folder in parent.glob("*"):
        with suppress(Conflict), sole_folder(folder):
            continue


def _lock_in(folder: Path) -> int:
    """The descriptor of a lock file in a folder, which ends with the process; both are made."""
    while True:
        private_folder(folder)
        with suppress(FileNotFoundError):  # whoever had the folder has just deleted it
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
    """Wait until the disk holds what was made, renamed or deleted in a folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def link_or_copy(path: Path, target: Path) -> None:
    """Let a file that is never written in place be at `target` as well, with no second copy where
    one disk has both; what is there already stays. Raises FileNotFoundError, OSError."""
    try:
        os.link(path, target)
    except FileNotFoundError:
        raise
    except FileExistsError:
        return
    except OSError:  # another disk, or one without links
        beside = Path(tempfile.mkdtemp(dir=target.parent, prefix="."))
        try:
            shutil.copyfile(path, beside / target.name)
            os.replace(beside / target.name, target)
        finally:
            shutil.rmtree(beside)


def link_in_place(path: Path, target: Path) -> None:
    """As `link_or_copy`, but in the place of what is at `target`, at once."""
    beside = target.with_name(f".{target.name}")
    beside.unlink(missing_ok=True)
    link_or_copy(path, beside)
    os.replace(beside, target)
    beside.unlink(missing_ok=True)  # where both were one file already, nothing was renamed


def file_name(said: str) -> str:
    """The name under which a file is kept here that somebody sends: the last part of what they
    call it, whatever its letters, without what no name can have, and no longer than a disk takes.
    """
    last = re.split(r"[/\\]", said)[-1]
    name = Path("".join(filter(str.isprintable, last)).lstrip(". ") or "tickets")
    endings = "".join(name.suffixes[-2:])[-LONGEST_ENDING:]
    return name.name.removesuffix(endings)[:LONGEST_NAME] + endings


def require_writes(home: Path) -> None:
    """Raises InputError for a desk's folder that takes no files. A full disk may have room later:
    it is none of those."""
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
    """Raises InputError for a path at which no file can be put, before any work is done for it."""
    _require_plain(path)
    require_target_folder(path.absolute().parent)


def require_target_folder(path: Path) -> None:
    """As `require_target`, of a folder, there or to be made, into which files are to be put."""
    around = (path, *path.absolute().parents)
    folder = next(folder for folder in around if os.path.exists(folder))
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise InputError(f"No file can be written in {folder}; name another folder.")


def _require_plain(path: Path) -> None:
    """Raises InputError where a folder, a link, a device or a pipe is, which no file replaces."""
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise InputError(f"{path} is no plain file, and is not replaced by one; name another path.")


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write bytes, or text as UTF-8, beside `path` and rename them in; parents are created, and
    nobody but the owner may read the file. Raises InputError where no plain file is, OSError."""
    _require_plain(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        _write(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:  # of the file that nobody named
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
    """The bytes of a file, some at a time."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def content_digest(path: Path) -> str:
    """SHA-256, in hex, of what a file holds."""
    digest = hashlib.sha256()
    for chunk in chunks(path):
        digest.update(chunk)
    return digest.hexdigest()
