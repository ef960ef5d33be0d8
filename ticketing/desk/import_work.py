"""The work of an import job: stores tickets page by page, with the rights of the person who started
it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ticketing.errors import Conflict, InputError, NotFound
from ticketing.files import Json
from ticketing.importing import ImportReport, Mapping, Source, import_sources
from ticketing.jobs import Job, OnStep, Step, Stopped
from ticketing.people import Person, Role
from ticketing.stores.checks import in_place_of
from ticketing.stores.protocols import PutCounts
from ticketing.stores.visible_events import formerly_hidden
from ticketing.tables import Reject, rejects_text
from ticketing.tickets import Filters, Ticket

if TYPE_CHECKING:
    from ticketing.desk import Desk

FIRST, FIRST_READ = 3, "first.jsonl"
"""A check-only import reports this many tickets as they would be stored, and the name of that
report."""

BEGINNING = 300
"""Characters shown of each of their texts."""

REJECTS = "rejects.jsonl"
"""Name of the report of rows that were left out."""

COUNTED = ("added", "changed", "unchanged")
"""Counts of stored tickets in a job's result."""

ALL_REJECTED = "Every row was rejected: mend the rows, or name the right columns."

READ_OTHERWISE = "the files are read otherwise than when this import began; all rows are put again"


def do_import(desk: Desk, job: Job, on_step: OnStep) -> Json:
    """Store the tickets of an import page by page. Pages that were stored by an earlier attempt are
    only read. If they are read differently now, for example by another version of the program, all
    pages are stored again. With `check_only`, nothing is stored; the job counts what would change
    and reports how the FIRST tickets are read.

    If it fails, the rows left out before are reported too. Raises whatever `on_step` raises,
    InputError, also if every row was rejected, StoreError.
    """
    if "rejected" in job.result:  # an earlier attempt stored all and was killed before it ended
        return _let_go(desk, job)
    files, before = job.arguments["files"], job.arguments["before"]
    total = sum(file["rows"] for file in files)
    on_step(Step.READING, job.done, total)
    with desk.import_folder() as folder:
        sources = []
        for number, file in enumerate(files):
            path = folder / str(number) / Path(file["name"]).name
            path.parent.mkdir()
            desk.fetch(file["file"], path)
            mapping, time = Mapping(**file["mapping"]), before and datetime.fromisoformat(before)
            sources.append(Source(path, file["rows"], mapping, time))
        pages, report = _put_all(desk, job, sources, partial(on_step, total=total), folder)
    on_step(pages.step, total, total)  # also if the last rows, or all, were left out
    _keep_rejects(desk, job, report.rejects, folder)
    if report.rejects and not any(pages.counts.values()):
        desk.whole.update_job(job.id, done=total)
        raise InputError(ALL_REJECTED)
    left_out = {"rejected": len(report.rejects), "to_come": len(report.to_come)}
    job = desk.whole.update_job(job.id, done=total, result={**pages.counts, **left_out})
    return _let_go(desk, job)


def _put_all(
    desk: Desk, job: Job, sources: Sequence[Source], on_step: Callable[..., None], folder: Path
) -> tuple[_Pages, ImportReport]:
    """Store what is left of an import, or all of it if the pages stored before are read
    differently.

    Raises InputError, after the report of rows left out has been written.
    """
    pages = (_Check if job.arguments.get("check_only") else _Pages)(desk, job, on_step)
    report = ImportReport()
    try:
        import_sources(sources, pages.put, pages.seen_row, report)
        pages.require_all_read()
    except _OtherPages:
        return _put_all(desk, _begun_anew(desk, job), sources, on_step, folder)
    except InputError as error:
        _keep_rejects(desk, job, report.rejects, folder)
        raise InputError(_as_given(str(error), folder)) from None
    return pages, report


def _begun_anew(desk: Desk, job: Job) -> Job:
    """Reset the job's counts and forget which ids were taken. Raises Stopped if the job has ended
    meanwhile."""
    for file in desk.whole.files(_taken_of(job)):
        desk.whole.drop_file(file.name)
    result = {"pages": 0, **dict.fromkeys(COUNTED, 0)}
    job = desk.whole.update_job(job.id, done=0, result=result, log=READ_OTHERWISE)
    if job.finished:
        raise Stopped
    return job


def _keep_rejects(desk: Desk, job: Job, rejects: Sequence[Reject], folder: Path) -> None:
    """Write the job's report of rows that were left out, if there are any."""
    said = [
        replace(one, file=_as_given(one.file, folder), reason=_as_given(one.reason, folder))
        for one in rejects
    ]
    if said:
        desk.whole.put_file(f"report/{job.id}/{REJECTS}", [rejects_text(said).encode()])


def _as_given(text: str, folder: Path) -> str:
    """A text in which temporary paths below `folder` are replaced by the file names that people
    gave."""
    return re.sub(rf"{re.escape(str(folder))}/\d+/", "", text)


def _let_go(desk: Desk, job: Job) -> Json:
    """Delete the auxiliary files of a completed import; returns the job's result."""
    kept = desk.whole.files(_taken_of(job))
    for name in (*(file["file"] for file in job.arguments["files"]), *(file.name for file in kept)):
        desk.whole.drop_file(name)
    return job.result


def _taken_of(job: Job) -> str:
    """Prefix of the store's files that list, for each page, the ids already taken by other people's
    tickets."""
    return f"{job.arguments['files'][0]['file']}-taken-"


def _as_read(ticket: Ticket) -> str:
    """A ticket as a line of JSON, with shortened texts."""
    texts = {name: getattr(ticket, name) for name in ("id", "subject", "description", "solution")}
    filed = {"product": ticket.product, "status": ticket.status}
    created = ticket.created.isoformat(" ") if ticket.created else ""
    seen_by = {"created": created, "groups": ", ".join(sorted(ticket.groups))}
    begun = {
        name: text if len(text) <= BEGINNING else f"{text[:BEGINNING]}…"
        for name, text in texts.items()
    }
    return json.dumps(begun | filed | seen_by) + "\n"


def _as_bytes(tickets: Sequence[Ticket], keep: Collection[str]) -> bytes:
    """The content of a page as bytes, the same in every process, for a digest."""
    said = [vars(ticket) | {"groups": sorted(ticket.groups)} for ticket in tickets]
    return json.dumps([said, sorted(keep)], default=str).encode()


class _OtherPages(Exception):
    """The pages stored before are read differently now."""


class _Pages:
    """Stores the pages that were not stored before, and updates the job's record."""

    step = Step.IMPORTING

    def __init__(self, desk: Desk, job: Job, on_step: Callable[..., None]):
        self._desk = desk
        self._job = job
        self._on_step = on_step
        groups = job.arguments.get("groups")
        self._sees_all = groups is None
        theirs = None if groups is None else frozenset(groups)
        self._seen = desk.seen_by(Person(job.by, Role.ENGINEER, theirs))
        self._rows = 0
        self._page = 0
        self._read = sha256()
        self._put_before = job.result.get("pages", 0)
        self.counts = {name: job.result.get(name, 0) for name in COUNTED}

    def seen_row(self) -> None:
        self._rows += 1

    def put(self, tickets: Sequence[Ticket], keep: Collection[str]) -> PutCounts:
        """Store a page, or only read it if it was stored before. Raises _OtherPages at the last
        page stored before, if any page up to it is read differently now."""
        self._page += 1
        self._read.update(_as_bytes(tickets, keep))
        read = self._read.hexdigest()
        if self._page <= self._put_before:
            if self._page == self._put_before and read != self._job.result.get("read"):
                raise _OtherPages
            self._on_step(Step.READING, self._job.done)
            return PutCounts(taken=self._taken_before() or frozenset())
        counts = self._put_theirs(tickets, keep)
        for name in self.counts:
            self.counts[name] += getattr(counts, name)
        result = {**self.counts, "pages": self._page, "read": read}
        job = self._desk.whole.update_job(self._job.id, done=self._rows, result=result)
        if job.cancel_requested:
            raise Stopped
        self._on_step(self.step, self._rows)
        return counts

    def require_all_read(self) -> None:
        """Raises _OtherPages if more pages were stored before than there are now."""
        if self._page < self._put_before:
            raise _OtherPages

    def _put_theirs(self, tickets: Sequence[Ticket], keep: Collection[str]) -> PutCounts:
        """Store the tickets of a page, except those whose ids belong to tickets hidden from the
        person; also if such a ticket is stored by others meanwhile."""
        while True:
            taken, ours = self._hidden(tickets, keep)
            theirs = [ticket for ticket in tickets if ticket.id not in taken | ours]
            try:
                counts = self._seen.put_tickets(theirs, keep=keep)
            except Conflict:  # one of them was stored or hidden meanwhile
                continue
            self._desk.encode_put(sorted(ours))
            return replace(counts, unchanged=counts.unchanged + len(ours), taken=taken)

    def _hidden(
        self, tickets: Sequence[Ticket], keep: Collection[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Ids of a page that belong to hidden tickets, or did when these were deleted. The first
        set are other people's tickets. The second are tickets that this page itself has stored for
        groups that the person is not in, when the page is stored again.

        The first set is saved at the first call. Afterwards, a hidden ticket that equals the page's
        ticket is taken for the page's own.
        """
        if self._sees_all:
            return frozenset(), frozenset()
        given = {ticket.id: ticket for ticket in tickets}
        whole, seen = self._desk.whole, self._seen.store
        hidden = whole.matching_ids(list(given)) - seen.matching_ids(list(given))
        before = self._taken_before()
        there = whole.get_tickets(sorted(hidden - (before or set())))
        put = in_place_of(there, {id: given[id] for id in there}, keep, Filters())
        ours = {id for id in put if put[id] == there[id]} if before is not None else set()
        former = formerly_hidden(whole, given, self._seen.groups or frozenset())
        taken = (before or set()) | (there.keys() - ours) | former
        if taken != before:
            whole.put_file(self._name(), [json.dumps(sorted(taken)).encode()])
        return frozenset(taken), frozenset(ours)

    def _taken_before(self) -> frozenset[str] | None:
        """The first set of `_hidden` as saved for this page, or None if it was not saved yet."""
        if self._sees_all:
            return None
        try:
            return frozenset(json.loads(b"".join(self._desk.whole.file_chunks(self._name()))))
        except NotFound:
            return None

    def _name(self) -> str:
        return f"{_taken_of(self._job)}{self._page}"


class _Check(_Pages):
    """Counts what the pages would change, and stores nothing."""

    step = Step.CHECKING

    def _put_theirs(self, tickets: Sequence[Ticket], keep: Collection[str]) -> PutCounts:
        taken, _ = self._hidden(tickets, keep)
        given = {ticket.id: ticket for ticket in tickets if ticket.id not in taken}
        if self._page == 1:
            read = "".join(map(_as_read, islice(given.values(), FIRST)))
            self._desk.whole.put_file(f"report/{self._job.id}/{FIRST_READ}", [read.encode()])
        known = self._seen.store.get_tickets(list(given))
        then = in_place_of(known, given, keep, Filters())
        changed = sum(then[id] != ticket for id, ticket in known.items())
        return PutCounts(len(then) - len(known), changed, len(known) - changed, taken)
