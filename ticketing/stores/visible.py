"""A store as seen by a person of certain groups: tickets that the person may not see are hidden.

A person sees a ticket if it has no groups or one of theirs. A query that is itself a ticket, a
judgment, a saved query and a row of codes are visible together with their tickets; of a hidden or
deleted ticket nothing is visible. What a bundle has learned from all tickets stays in it; see
docs/how-to/groups.md.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, Unpack

from ticketing.files import Json
from ticketing.jobs import Job, JobKind
from ticketing.stores.blocks import CodeRow
from ticketing.stores.checks import taken
from ticketing.stores.files import KeptFile, no_file
from ticketing.stores.jobs import JobChanges
from ticketing.stores.protocols import PutCounts, ReadTicket, Store
from ticketing.stores.visible_events import VisibleEvents, formerly_hidden
from ticketing.tickets import Filters, Ticket

Given = ParamSpec("Given")
Found = TypeVar("Found")


def narrowed(
    method: Callable[Concatenate[Store, Given], Found],
) -> Callable[Concatenate["VisibleStore", Given], Found]:
    """The same method of a store, with `filters` that let only visible tickets pass."""
    name, parameters = method.__name__, signature(method)

    @wraps(method)
    def seen(self: "VisibleStore", /, *given: Given.args, **named: Given.kwargs) -> Found:
        asked = parameters.bind(self, *given, **named)
        asked.arguments["filters"] = self._narrow(asked.arguments.get("filters", Filters()))
        found: Found = getattr(self._store, name)(*asked.args[1:], **asked.kwargs)
        return found

    return seen


class VisibleStore(VisibleEvents, Store):
    """Filters every read of `store` by what `groups` may see; writes are passed on."""

    # what takes filters ----------------------------------------------------------------------
    newest = narrowed(Store.newest)
    iter_tickets = narrowed(Store.iter_tickets)
    count_tickets = narrowed(Store.count_tickets)
    facets = narrowed(Store.facets)
    matching_ids = narrowed(Store.matching_ids)
    has_subject = narrowed(Store.has_subject)
    known_words = narrowed(Store.known_words)
    naming = narrowed(Store.naming)
    codes = narrowed(Store.codes)
    candidates = narrowed(Store.candidates)
    topic_counts = narrowed(Store.topic_counts)
    topic_tickets = narrowed(Store.topic_tickets)

    # tickets ---------------------------------------------------------------------------------
    def get_tickets(self, ids: Sequence[str]) -> dict[str, Ticket]:
        """The visible tickets among `ids`, by id."""
        found = self._store.get_tickets(ids)
        return {id: ticket for id, ticket in found.items() if self._theirs.admit(ticket)}

    def read_tickets(self, ids: Sequence[str]) -> dict[str, ReadTicket]:
        """The visible tickets among `ids`, by id."""
        found = self._store.read_tickets(ids)
        return {id: read for id, read in found.items() if self._theirs.admit(read[0])}

    def put_tickets(
        self,
        tickets: Sequence[Ticket],
        keep: Collection[str] = (),
        theirs: Filters = Filters(),
    ) -> PutCounts:
        """See Tickets. Raises Conflict, and puts nothing, if a hidden ticket has one of the ids or
        had it when it was deleted. This reveals only that the id is taken. Otherwise judgments of
        the former ticket would refer to the new one."""
        if former := formerly_hidden(self._store, [t.id for t in tickets], self.groups):
            raise taken(min(former))
        return self._store.put_tickets(tickets, keep=keep, theirs=self._narrow(theirs))

    def hidden_ids(self, ids: Sequence[str]) -> frozenset[str]:
        """Those of `ids` that belong to hidden tickets."""
        return frozenset(self._store.matching_ids(ids) - self.matching_ids(ids))

    def delete_tickets(self, ids: Sequence[str]) -> int:
        """Delete the visible tickets among `ids`, and remains of deleted ones."""
        hidden = self.hidden_ids(ids)
        return self._store.delete_tickets([id for id in ids if id not in hidden])

    # codes -----------------------------------------------------------------------------------
    def stale_ids(
        self,
        bundle_id: str,
        limit: int = 0,
        after: str = "",
        among: Sequence[str] | None = None,
    ) -> list[str]:
        stale = self._store.stale_ids(bundle_id, after=after, among=among)
        theirs = self.matching_ids(stale)
        return [id for id in stale if id in theirs][: limit or None]

    def count_codes(self, bundle_id: str) -> int:
        return self.count_tickets() - len(self.stale_ids(bundle_id))

    def code_rows(self, bundle_id: str) -> Iterator[CodeRow]:
        return self._seen(self._store.code_rows(bundle_id), lambda row: (row.ticket_id,))

    def damaged_codes(self, bundle_id: str) -> list[str]:
        """See Codes; only ids of visible tickets."""
        damaged = self._store.damaged_codes(bundle_id)
        theirs = self.matching_ids(damaged)
        return [id for id in damaged if id in theirs]

    def forget_codes(self, bundle_id: str, ids: Sequence[str]) -> None:
        """Delete the codes of the visible tickets among `ids`."""
        self._store.forget_codes(bundle_id, sorted(self.matching_ids(ids)))

    # files, which may hold any ticket ----------------------------------------------------------
    def file_chunks(self, name: str) -> Iterator[bytes]:
        """See Files. Raises NotFound."""
        raise no_file(name)

    def files(self, prefix: str = "") -> list[KeptFile]:
        """Always empty, since any file may contain hidden tickets."""
        return []

    def drop_file(self, name: str) -> None:
        """Does nothing, as for a missing file."""

    def file_at(self, name: str) -> Path | None:
        """Always None."""
        return None

    # jobs ------------------------------------------------------------------------------------
    def create_job(
        self,
        kind: JobKind,
        bundle_id: str,
        total: int,
        arguments: Json | None = None,
        by: str = "",
    ) -> Job:
        return self._shown(self._store.create_job(kind, bundle_id, total, arguments, by))[0]

    def get_job(self, job_id: str) -> Job | None:
        """A job as `jobs` shows it."""
        job = self._store.get_job(job_id)
        return job and self._shown(job)[0]

    def jobs(self, limit: int = 20, kind: JobKind | None = None, bundle_id: str = "") -> list[Job]:
        """See Jobs. The progress of a reindex is shown as if there were only the visible tickets.
        The progress of an evaluation, or of somebody else's import, is not shown."""
        return self._shown(*self._store.jobs(limit, kind, bundle_id))

    def unfinished_jobs(self) -> list[Job]:
        return self._shown(*self._store.unfinished_jobs())

    def update_job(self, job_id: str, **changes: Unpack[JobChanges]) -> Job:
        return self._shown(self._store.update_job(job_id, **changes))[0]

    def request_cancel(self, job_id: str) -> Job:
        return self._shown(self._store.request_cancel(job_id))[0]

    def reopen_job(self, job_id: str) -> Job:
        return self._shown(self._store.reopen_job(job_id))[0]

    # how it is narrowed ----------------------------------------------------------------------
    def _narrow(self, filters: Filters) -> Filters:
        if filters.groups is None:
            return replace(filters, groups=self.groups)
        return replace(filters, groups=filters.groups & self.groups)

    def _shown(self, *jobs: Job) -> list[Job]:
        """Records of jobs without hidden tickets, their number, and messages that may mention them;
        the person's own imports unchanged."""
        theirs = self.count_tickets()
        if theirs == self._store.count_tickets():
            return list(jobs)
        seen = self.matching_ids(list({id for job in jobs for id in job.errors}))
        hidden = self.hidden_ids(list({word for job in jobs for word in _words(job.message)}))
        shown = []
        for job in jobs:
            if job.imports_for(self.name):
                shown.append(job)
                continue
            errors = {id: error for id, error in job.errors.items() if id in seen}
            counts_some = job.kind == JobKind.IMPORT or len(errors) < len(job.errors)
            names_some = not hidden.isdisjoint(_words(job.message))
            message = "" if counts_some or names_some else job.message
            total, done = _figures(job, theirs)
            figures = replace(job, errors=errors, message=message, total=total, done=done)
            shown.append(replace(figures, arguments={}, result={}, log=()))
        return shown


def _words(message: str) -> list[str]:
    """Words of a message that may be ids."""
    return [word.strip(".,;:!?()'\"") for word in message.split()]


def _figures(job: Job, tickets: int) -> tuple[int, int]:
    """`total` and `done` of a job for a person who sees this many tickets; 0 for rows of imports
    and queries of evaluations, which include hidden ones."""
    if job.kind == JobKind.TRAINING:
        return job.total, job.done  # epochs
    total = tickets if job.kind == JobKind.REINDEX and job.total else 0
    return total, total * job.done // max(job.total, 1)
