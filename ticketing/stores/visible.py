"""A store as those see it who belong to some groups: what they may not open is not there.

A ticket is theirs to see when it is everybody's or has one of their groups. A query that is itself
a ticket, a judgment, a saved query and a row of codes are seen with their tickets: of a ticket that
is hidden, or gone, nothing is. What a bundle learned from all tickets it keeps; see
docs/explanation/groups.md.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from ticketing.errors import Conflict
from ticketing.history import Asking, SavedQuery, TopicName
from ticketing.queries import EncodedQuery
from ticketing.stores.history import Event
from ticketing.stores.passed_on import PassedOn
from ticketing.stores.protocols import CodeBlock, CodeRow, PutCounts, Store
from ticketing.text import tokenize
from ticketing.tickets import Filters, Job, Judgment, Query, Ticket, Verdict

PAGE = 500
"""Things whose tickets are looked up at once."""

Thing = TypeVar("Thing")


class VisibleStore(PassedOn, Store):
    """Narrows every read of `store` to what `groups` may see; writes go through."""

    def __init__(self, store: Store, groups: frozenset[str]):
        super().__init__(store)
        self.groups = groups
        self._theirs = Filters(groups=groups)

    # tickets ---------------------------------------------------------------------------------
    def get_tickets(self, ids: Sequence[str]) -> dict[str, Ticket]:
        """Those of them that may be seen."""
        found = self._store.get_tickets(ids)
        return {id: ticket for id, ticket in found.items() if self._theirs.admit(ticket)}

    def newest(self, filters: Filters = Filters()) -> datetime | None:
        """See DatedTickets."""
        return self._store.newest(self._narrow(filters))

    def put_tickets(self, tickets: Sequence[Ticket]) -> PutCounts:
        """See Tickets. Raises Conflict, and puts nothing, where a hidden ticket has one of the
        ids: that an id is taken is the one thing of a hidden ticket that shows."""
        ids = [ticket.id for ticket in tickets]
        hidden = self._store.matching_ids(ids) - self.matching_ids(ids)
        if hidden:
            raise Conflict(f"The ticket id {min(hidden)} cannot be used; choose another one.")
        return self._store.put_tickets(tickets)

    def delete_tickets(self, ids: Sequence[str]) -> int:
        """Deletes those of them that may be seen."""
        return self._store.delete_tickets(sorted(self.matching_ids(ids)))

    def iter_tickets(self, filters: Filters = Filters()) -> Iterator[Ticket]:
        """See Tickets."""
        return self._store.iter_tickets(self._narrow(filters))

    def count_tickets(self, filters: Filters = Filters()) -> int:
        """See Tickets."""
        return self._store.count_tickets(self._narrow(filters))

    def facets(self, filters: Filters = Filters()) -> dict[str, list[str]]:
        """See Tickets."""
        return self._store.facets(self._narrow(filters))

    def matching_ids(self, ids: Sequence[str], filters: Filters = Filters()) -> set[str]:
        """See Tickets."""
        return self._store.matching_ids(ids, self._narrow(filters))

    def known_words(self, words: Sequence[str], filters: Filters = Filters()) -> set[str]:
        """See Tickets."""
        return self._store.known_words(words, self._narrow(filters))

    def search_words(
        self, words: Sequence[str], limit: int, filters: Filters = Filters()
    ) -> list[tuple[str, float]]:
        """See Tickets. How rare a word is, is that among the tickets that may be seen, all of which
        are read: a store's own index would tell how many hidden ones hold it."""
        from ticketing.text.bm25 import BM25  # no page or program asks for this

        tickets = list(self.iter_tickets())
        if not tickets:
            return []
        [scores] = BM25([tokenize(ticket.text) for ticket in tickets]).scores([words])
        narrow = self._narrow(filters)
        found = [
            (ticket.id, float(score))
            for ticket, score in zip(tickets, scores, strict=True)
            if score > 0 and narrow.admit(ticket)
        ]
        return sorted(found, key=lambda item: (-item[1], item[0]))[:limit]

    # queries, judgments, verdicts, history -----------------------------------------------------
    def get_query(self, query_id: str) -> Query | None:
        """A query that is no hidden ticket."""
        found = self._store.get_query(query_id)
        return found if found and next(self._seen([found], _of_query), None) else None

    def queries(self) -> Iterator[Query]:
        """Queries that are no hidden tickets."""
        return self._seen(self._store.queries(), _of_query)

    def judgments(self, query_id: str = "") -> Iterator[Judgment]:
        """Judgments of tickets that may be seen, without rank and score: the judge, who may see
        others, saw them among those."""
        events = self._seen(
            self._store.judgments(query_id), lambda event: (event.ticket_id, event.query.ticket_id)
        )
        return (replace(event, rank=None, score=None) for event in events)

    def verdicts(self, subject: str = "") -> Iterator[Verdict]:
        """Verdicts on subjects, but for those that only hidden tickets have."""
        events = list(self._store.verdicts(subject))
        theirs = cache(self._is_theirs)
        return (event for event in events if theirs(event.subject))

    def events(self, kind: type[Event], person: str = "") -> Iterator[Event]:
        """Of askings those whose answer could hold no hidden ticket, of saved queries those that
        are no hidden ticket, of topics named their words that may be seen."""
        narrow: dict[type[Any], Callable[[Iterator[Any]], Iterator[Any]]] = {
            Asking: self._askings,
            SavedQuery: self._saved,
            TopicName: self._named,
        }
        return narrow[kind](self._store.events(kind, person))

    # codes -----------------------------------------------------------------------------------
    def codes(self, bundle_id: str, filters: Filters = Filters()) -> CodeBlock:
        """See ScannedCodes."""
        return self._store.codes(bundle_id, self._narrow(filters))

    def candidates(
        self,
        bundle_id: str,
        query: EncodedQuery,
        filters: Filters = Filters(),
        limit: int = 10,
    ) -> CodeBlock:
        """See ScannedCodes."""
        return self._store.candidates(bundle_id, query, self._narrow(filters), limit)

    def stale_ids(
        self,
        bundle_id: str,
        limit: int = 0,
        after: str = "",
        among: Sequence[str] | None = None,
    ) -> list[str]:
        """See Codes."""
        stale = self._store.stale_ids(bundle_id, after=after, among=among)
        theirs = self.matching_ids(stale)
        return [id for id in stale if id in theirs][: limit or None]

    def count_codes(self, bundle_id: str) -> int:
        """See Codes."""
        return self.count_tickets() - len(self.stale_ids(bundle_id))

    def code_rows(self, bundle_id: str) -> Iterator[CodeRow]:
        """See Codes."""
        return self._seen(self._store.code_rows(bundle_id), lambda row: (row.ticket_id,))

    def topic_counts(
        self, bundle_id: str, filters: Filters = Filters()
    ) -> dict[tuple[int | None, date | None], int]:
        """See Codes."""
        return self._store.topic_counts(bundle_id, self._narrow(filters))

    def topic_tickets(
        self,
        bundle_id: str,
        topic: int,
        filters: Filters = Filters(),
        limit: int = 10,
        offset: int = 0,
    ) -> list[str]:
        """See Codes."""
        narrow = self._narrow(filters)
        return self._store.topic_tickets(bundle_id, topic, narrow, limit, offset)

    # jobs ------------------------------------------------------------------------------------
    def create_job(self, kind: str, bundle_id: str, total: int) -> Job:
        """See Jobs."""
        return self._told(self._store.create_job(kind, bundle_id, total))[0]

    def get_job(self, job_id: str) -> Job | None:
        """A job as `jobs` tells of it."""
        job = self._store.get_job(job_id)
        return job and self._told(job)[0]

    def jobs(self, limit: int = 20) -> list[Job]:
        """See Jobs. How far each is, is told as if it had only the tickets that may be seen."""
        return self._told(*self._store.jobs(limit))

    def update_job(
        self,
        job_id: str,
        *,
        state: str | None = None,
        done: int | None = None,
        total: int | None = None,
        errors: Mapping[str, str] | None = None,
        message: str | None = None,
    ) -> Job:
        """See Jobs."""
        job = self._store.update_job(
            job_id, state=state, done=done, total=total, errors=errors, message=message
        )
        return self._told(job)[0]

    def request_cancel(self, job_id: str) -> Job:
        """See Jobs."""
        return self._told(self._store.request_cancel(job_id))[0]

    # how it is narrowed ----------------------------------------------------------------------
    def _narrow(self, filters: Filters) -> Filters:
        if filters.groups is None:
            return replace(filters, groups=self.groups)
        return replace(filters, groups=filters.groups & self.groups)

    def _seen(
        self, things: Iterable[Thing], tickets_of: Callable[[Thing], Iterable[str]]
    ) -> Iterator[Thing]:
        """Things all of whose tickets may be seen, looked up page by page; an empty id is none."""
        things = iter(things)
        while page := list(islice(things, PAGE)):
            ids = {id for thing in page for id in tickets_of(thing) if id}
            seen = self.matching_ids(list(ids)) | {""}
            yield from (thing for thing in page if seen.issuperset(tickets_of(thing)))

    def _is_theirs(self, subject: str) -> bool:
        """Whether a ticket that may be seen has a subject, or none that is hidden."""
        found = self._store.search_words(tokenize(subject), PAGE)
        tickets = self._store.get_tickets([id for id, _ in found]).values()
        seen = [self._theirs.admit(ticket) for ticket in tickets if ticket.subject == subject]
        return any(seen) or not seen

    def _askings(self, askings: Iterable[Asking]) -> Iterator[Asking]:
        """Those whose answer held nothing that is hidden, and could not have: who asked belonged to
        no other groups, or sees no ticket that is hidden here."""
        no_more = cache(self._see_no_more)
        askings = self._seen(askings, lambda asking: _of_query(asking.query))
        while page := list(islice(askings, PAGE)):
            shown = list({id for asking in page for id in asking.shown})
            there, seen = self._store.matching_ids(shown), self.matching_ids(shown)
            for asking in page:
                groups = asking.groups
                if groups is not None and groups <= self.groups:
                    if not there.intersection(asking.shown) - seen:
                        yield asking
                elif seen.issuperset(asking.shown) and no_more(groups):
                    yield asking

    def _see_no_more(self, groups: frozenset[str] | None) -> bool:
        """Whether those who belong to other groups (None: who see all) see no ticket more."""
        either = None if groups is None else groups | self.groups
        return self._store.count_tickets(Filters(groups=either)) == self.count_tickets()

    def _saved(self, events: Iterable[SavedQuery]) -> Iterator[SavedQuery]:
        return self._seen(events, lambda event: _of_query(event.query))

    def _named(self, events: Iterable[TopicName]) -> Iterator[TopicName]:
        for event in events:
            known = self.known_words(event.words)
            yield replace(event, words=tuple(word for word in event.words if word in known))

    def _told(self, *jobs: Job) -> list[Job]:
        """Jobs' records without hidden tickets, their number, and a message that counts them."""
        theirs = self.count_tickets()
        if theirs == self._store.count_tickets():
            return list(jobs)
        seen = self.matching_ids(list({id for job in jobs for id in job.errors}))
        told = []
        for job in jobs:
            errors = {id: error for id, error in job.errors.items() if id in seen}
            message = job.message if len(errors) == len(job.errors) else ""
            total = theirs if job.total else 0
            done = total * job.done // max(job.total, 1)
            told.append(replace(job, errors=errors, message=message, total=total, done=done))
        return told


def _of_query(query: Query) -> tuple[str]:
    return (query.ticket_id,)
