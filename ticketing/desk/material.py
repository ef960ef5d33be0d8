"""What a training learns from, written down once, so that it goes on with the same where it stops.

A desk lives on while it trains: with the tickets and judgments of an hour later, a checkpoint would
belong to another training, and hours would be lost with a worker.
"""

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from pydantic import TypeAdapter

from ticketing.tickets import Label, Ticket

_TICKET = TypeAdapter(Ticket)
_LABEL = TypeAdapter(Label)


class WrittenTickets:
    """The tickets of a file that `write_material` wrote, read anew each time: a TicketList that
    memory need not hold. One reader at a time."""

    def __init__(self, file: IO[bytes], count: int):
        self._file = file
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Ticket]:
        for line in _lines(self._file):
            if line.startswith(b"T"):
                yield _TICKET.validate_json(line[1:])


class Material(NamedTuple):
    """Tickets and labels."""

    tickets: WrittenTickets
    labels: list[Label]


def write_material(file: IO[bytes], tickets: Iterable[Ticket], labels: Iterable[Label]) -> None:
    """Write what `read_material` reads."""
    with gzip.open(file, "wb", compresslevel=1) as written:
        for label in labels:
            written.write(b"L" + _LABEL.dump_json(label) + b"\n")
        for ticket in tickets:
            written.write(b"T" + _TICKET.dump_json(ticket) + b"\n")
    file.flush()


def read_material(file: IO[bytes]) -> Material:
    """What was written; its tickets are read from the file, which must stay open."""
    labels, count = [], 0
    for line in _lines(file):
        if line.startswith(b"L"):
            labels.append(_LABEL.validate_json(line[1:]))
        else:
            count += 1
    return Material(WrittenTickets(file, count), labels)


@contextmanager
def material_of(
    folder: Path, job_id: str, gather: Callable[[], tuple[Iterable[Ticket], Iterable[Label]]]
) -> Iterator[Material]:
    """What the training of a job learns from: gathered at its first start, and then the same;
    gathered again where the file was left without tickets, or cannot be read, as by a power cut.

    That of other jobs is removed: one desk has one training at a time.
    """
    path = folder / f"{job_id}.learned.gz"
    for other in set(folder.glob("*.learned.*")) - {path}:
        other.unlink(missing_ok=True)
    if not _is_whole(path):
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        with unfinished.open("wb") as file:
            write_material(file, *gather())
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    with path.open("rb") as file:
        yield read_material(file)


def _is_whole(path: Path) -> bool:
    """Whether a file holds tickets, and all that was written."""
    try:
        with path.open("rb") as file:
            return len(read_material(file).tickets) > 0
    except (FileNotFoundError, EOFError, gzip.BadGzipFile, zlib.error):
        return False


def drop_material(folder: Path, job_id: str) -> None:
    """Remove what a training that is done has learned from."""
    (folder / f"{job_id}.learned.gz").unlink(missing_ok=True)


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    file.seek(0)
    with gzip.open(file, "rb") as read:
        yield from read
