"""Training data written to a file, so that an interrupted training resumes with the same data.

Tickets and judgments change while a training runs. With changed data its checkpoints would not be
valid, and hours of work would be lost with a killed worker.
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
    """The tickets in a file of `write_material`: a TicketList that is read from the file each time
    and needs no memory. Only one iteration at a time."""

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
    """Write tickets and labels for `read_material`."""
    with gzip.open(file, "wb", compresslevel=1) as written:
        for label in labels:
            written.write(b"L" + _LABEL.dump_json(label) + b"\n")
        for ticket in tickets:
            written.write(b"T" + _TICKET.dump_json(ticket) + b"\n")
    file.flush()


def read_material(file: IO[bytes]) -> Material:
    """Read a file of `write_material`. Its tickets are read from the file on demand, so it must
    stay open."""
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
    """Context manager: the training data of a job. `gather` is called at the job's first start, and
    the data is written to a file. It is called again if that file holds no tickets or is damaged,
    for example by a power cut.

    Files of other jobs are deleted, since a desk has one training at a time.
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
    """Whether a file is complete and holds tickets."""
    try:
        with path.open("rb") as file:
            return len(read_material(file).tickets) > 0
    except (FileNotFoundError, EOFError, gzip.BadGzipFile, zlib.error):
        return False


def drop_material(folder: Path, job_id: str) -> None:
    """Delete the training data of a finished job."""
    (folder / f"{job_id}.learned.gz").unlink(missing_ok=True)


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    file.seek(0)
    with gzip.open(file, "rb") as read:
        yield from read
