"""Files that are there as a whole or not at all, and the JSON that many of them hold."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

Json = dict[str, Any]
"""An object of JSON."""

CHUNK = 1 << 20
"""Bytes of a file that are held in memory."""

PRIVATE = 0o077
"""What is taken from everybody but the owner: the umask of every command."""


def private_folder(path: Path) -> None:
    """Make a folder, with its parents, that nobody but its owner may enter, or make it so.

    One of another owner stays as it is, which `ticketing check` says. Raises OSError.
    """
    path.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode
    if mode & PRIVATE:
        with suppress(PermissionError):
            path.chmod(mode & ~PRIVATE)


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


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write bytes, or text as UTF-8, beside `path` and rename them in; parents are created, and
    nobody but the owner may read the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
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
