"""What a training learns from, written down once, so that it goes on with the same where it stops.

A desk lives on while it trains: with the tickets and judgments of an hour later, a checkpoint would
belong to another training, and hours would be lost with a worker.
"""

import gzip
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from ticketing.tickets import Label, Ticket

_TICKET = TypeAdapter(Ticket)
_LABEL = TypeAdapter(Label)

Material = tuple[list[Ticket], list[Label]]
"""Tickets and labels."""


def material_of(
    folder: Path, job_id: str, gather: Callable[[], tuple[Iterable[Ticket], Iterable[Label]]]
) -> Material:
    """What the training of a job learns from: gathered at its first start, and then the same.

    That of other jobs is removed: one desk has one training at a time.
    """
    path = folder / f"{job_id}.learned.gz"
    for other in set(folder.glob("*.learned.gz")) - {path}:
        other.unlink(missing_ok=True)
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        tickets, labels = gather()
        with gzip.open(unfinished, "wb", compresslevel=1) as file:
            for adapter, things in ((_LABEL, labels), (_TICKET, tickets)):
                _write(file, adapter, things)
        os.replace(unfinished, path)
    with gzip.open(path, "rb") as file:
        learned: list[list[Any]] = [[], []]
        for line in file:
            at, adapter = (0, _LABEL) if line.startswith(b"L") else (1, _TICKET)
            learned[at].append(adapter.validate_json(line[1:]))
    return learned[1], learned[0]


def _write(file: gzip.GzipFile, adapter: TypeAdapter[Any], things: Iterable[Any]) -> None:
    mark = b"L" if adapter is _LABEL else b"T"
    for thing in things:
        file.write(mark + adapter.dump_json(thing) + b"\n")


def drop_material(folder: Path, job_id: str) -> None:
    """Remove what a training that is done has learned from."""
    (folder / f"{job_id}.learned.gz").unlink(missing_ok=True)
