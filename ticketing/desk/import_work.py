"""An import as a job: its pages put one by one, for whoever asked for it."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ticketing.errors import NotFound
from ticketing.files import Json
from ticketing.importing import Mapping, Source, import_sources
from ticketing.jobs import Job, Step, Stopped, Told
from ticketing.stores.protocols import PutCounts
from ticketing.stores.visible import VisibleStore
from ticketing.tables import rejects_text
from ticketing.tickets import Ticket

if TYPE_CHECKING:
    from ticketing.desk import Desk


def do_import(desk: Desk, job: Job, told: Told) -> Json:
    """Put the tickets page by page; pages that were put before are only read again.

    Raises whatever `told` does, InputError, StoreError.
    """
    if "rejected" in job.result:  # all of it was put, and whoever did that was killed
        return _let_go(desk, job)
    files, before = job.arguments["files"], job.arguments["before"]
    total = sum(file["rows"] for file in files)
    told(Step.READING, 0, total)
    with tempfile.TemporaryDirectory(prefix="ticketing-import-") as folder:
        sources = []
        for number, file in enumerate(files):
            path = Path(folder, str(number), Path(file["name"]).name)
            path.parent.mkdir()
            desk.fetch(file["file"], path)
            mapping, time = Mapping(**file["mapping"]), before and datetime.fromisoformat(before)
            sources.append(Source(path, file["rows"], mapping, time))
        pages = _Pages(desk, job, partial(told, total=total))
        report = import_sources(sources, pages.put, pages.seen_row)
    if report.rejects:
        temporary = re.compile(rf"{re.escape(folder)}/\d+/")
        rejects = temporary.sub("", rejects_text(report.rejects))
        desk.whole.put_file(f"report/{job.id}/rejects.jsonl", [rejects.encode()])
    left_out = {"rejected": len(report.rejects), "to_come": len(report.to_come)}
    job = desk.whole.update_job(job.id, result={**pages.counts, **left_out})
    return _let_go(desk, job)


def _let_go(desk: Desk, job: Job) -> Json:
    """Drop what was kept for an import of which all was put; gives what came of it."""
    kept = desk.whole.files(_taken_of(job))
    for name in (*(file["file"] for file in job.arguments["files"]), *(file.name for file in kept)):
        desk.whole.drop_file(name)
    return job.result


def _taken_of(job: Job) -> str:
    """How the names of the files begin that say which ids of each page are taken."""
    return f"{job.arguments['files'][0]['file']}-taken-"


class _Pages:
    """Puts the pages of an import that were not put before, and keeps the job's record."""

    def __init__(self, desk: Desk, job: Job, told: Callable[..., None]):
        self._desk = desk
        self._job = job
        self._told = told
        groups = job.arguments.get("groups")
        self._theirs = None if groups is None else VisibleStore(desk.whole, frozenset(groups))
        self._rows = 0
        self._page = 0
        self.counts = {name: job.result.get(name, 0) for name in ("added", "changed", "unchanged")}

    def seen_row(self) -> None:
        self._rows += 1

    def put(self, tickets: Sequence[Ticket], keep: Collection[str]) -> PutCounts:
        self._page += 1
        if self._page <= self._job.result.get("pages", 0):
            return PutCounts(taken=self._taken_at_first() or frozenset())
        taken = self._taken(self._theirs, tickets) if self._theirs else frozenset()
        tickets = [ticket for ticket in tickets if ticket.id not in taken]
        counts = self._desk.put_tickets(tickets, keep=keep)
        for name in self.counts:
            self.counts[name] += getattr(counts, name)
        result = {**self.counts, "pages": self._page}
        job = self._desk.whole.update_job(self._job.id, done=self._rows, result=result)
        if job.cancel_requested:
            raise Stopped
        self._told(Step.IMPORTING, self._rows)
        return PutCounts(counts.added, counts.changed, counts.unchanged, taken)

    def _taken(self, theirs: VisibleStore, tickets: Sequence[Ticket]) -> frozenset[str]:
        """The ids of a page that are those of tickets which whoever asked may not see.

        The first look is kept: what a page puts for other groups is hidden too, and the page is
        put once more where the work stopped in the midst of it.
        """
        hidden = theirs.hidden_ids([ticket.id for ticket in tickets])
        first = self._taken_at_first()
        if first is None:
            self._desk.whole.put_file(self._name(), [json.dumps(sorted(hidden)).encode()])
            return hidden
        there = self._desk.whole.get_tickets(sorted(hidden))
        put_by_others = {t.id for t in tickets if t.id in there and there[t.id] != t}
        return first | put_by_others

    def _taken_at_first(self) -> frozenset[str] | None:
        """What `_taken` gave when it was first asked about this page; None before that."""
        if self._theirs is None:
            return None
        try:
            return frozenset(json.loads(b"".join(self._desk.whole.file_chunks(self._name()))))
        except NotFound:
            return None

    def _name(self) -> str:
        return f"{_taken_of(self._job)}{self._page}"
