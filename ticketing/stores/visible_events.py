"""Queries, judgments, verdicts and history as seen by a person of certain groups; see `visible`."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import chain, count
from typing import Any, TypeVar

from ticketing.batches import batches
from ticketing.history import Asking, AuditEntry, FormerTicket, SavedQuery, TopicName
from ticketing.stores.delegating import DelegatingStore
from ticketing.stores.history import ASKED, Event
from ticketing.stores.protocols import Store
from ticketing.tickets import Filters, Judgment, Query, Verdict

HIDDEN = "a ticket of other groups, or a deleted one"
"""Replaces the id of a hidden ticket in the audit."""

UNSEEN = "a category of no ticket that you may see"
"""Replaces the name of a hidden category in the audit."""

PAGE = 500
"""Number of events whose tickets are looked up at once."""

MOST_COUNTS = 20
"""How often tickets are counted for whether some are hidden; then some are taken to be."""

Thing = TypeVar("Thing")


class VisibleEvents(DelegatingStore):
    """Shows queries, judgments, verdicts and history only if their tickets are visible."""

    def __init__(self, store: Store, groups: frozenset[str], name: str = ""):
        super().__init__(store)
        self.groups = groups
        self.name = name
        """Name of the person; empty for nobody in particular."""
        self._theirs = Filters(groups=groups)

    def get_query(self, query_id: str) -> Query | None:
        """A query that is not a hidden ticket. If some tickets are hidden, only a query that is
        itself a ticket, that a visible judgment or asking refers to, or that the person asked or
        saved."""
        found = self._store.get_query(query_id)
        seen = found and next(self._seen([found], _of_query), None)
        return found if seen and self._is_open(seen) else None

    def queries(self) -> Iterator[Query]:
        """Queries that are not hidden tickets. If some tickets are hidden, only those that a
        visible judgment or asking refers to, or that the person asked."""
        found = self._seen(self._store.queries(), _of_query)
        if self._see_no_more(None):
            return found
        own = self._store.events(Asking, self.name) if self.name else ()
        named = {judgment.query.id for judgment in self.judgments()}
        named |= {asking.query.id for asking in chain(self.events(Asking), own)}
        return (query for query in found if query.id in named)

    def judgments(self, query_id: str = "", ticket_id: str = "") -> Iterator[Judgment]:
        """Judgments of visible tickets, without rank and score: the judge may have seen other
        tickets among them."""
        events = self._seen(self._store.judgments(query_id, ticket_id), _of_judgment)
        return map(_unplaced, events)

    def judgment_log(self, start: int = 0) -> Iterator[tuple[int, Judgment]]:
        """The judgments of `judgments`, with their numbers in the whole log."""
        log = self._seen(self._store.judgment_log(start), lambda entry: _of_judgment(entry[1]))
        return ((number, _unplaced(event)) for number, event in log)

    def count_judgments(self) -> int:
        """Number of visible judgments."""
        return sum(1 for _ in self.judgments())

    def verdicts(self, subject: str = "") -> Iterator[Verdict]:
        """Verdicts on subjects, except subjects that only hidden tickets have."""
        events = list(self._store.verdicts(subject))
        theirs = cache(self._is_theirs)
        return (event for event in events if theirs(event.subject))

    def events(self, kind: type[Event], person: str = "") -> Iterator[Event]:
        """Askings whose answer could not contain a hidden ticket, saved queries that are not hidden
        tickets, named topics with visible words only, and audit entries without references to
        hidden tickets."""
        narrow: dict[type[Any], Callable[[Iterator[Any]], Iterator[Any]]] = {
            Asking: self._askings,
            SavedQuery: self._saved,
            TopicName: self._named,
            FormerTicket: self._former,
            AuditEntry: self._audited,
        }
        return narrow[kind](self._store.events(kind, person))

    def last_events(
        self, kind: type[Event], limit: int, offset: int = 0, person: str = ""
    ) -> list[Event]:
        """See History. Reads all events, except those of the audit, which leaves none out."""
        if kind is AuditEntry:
            return [*self._audited(self._store.last_events(kind, limit, offset, person))]
        return list(self.events(kind, person))[::-1][offset : offset + limit]

    def count_events(self, kind: type[Event], person: str = "") -> int:
        """See History."""
        if kind is AuditEntry:
            return self._store.count_events(kind, person)
        return sum(1 for _ in self.events(kind, person))

    # how it is narrowed ----------------------------------------------------------------------
    def _matching(self, ids: Sequence[str]) -> set[str]:
        return self._store.matching_ids(ids, self._theirs)

    def _seen(
        self, things: Iterable[Thing], tickets_of: Callable[[Thing], Iterable[str]]
    ) -> Iterator[Thing]:
        """Items all of whose tickets are visible, looked up page by page; an empty id is
        ignored."""
        for page in batches(things, PAGE):
            ids = {id for thing in page for id in tickets_of(thing) if id}
            seen = self._matching(list(ids)) | {""}
            yield from (thing for thing in page if seen.issuperset(tickets_of(thing)))

    def _is_open(self, query: Query) -> bool:
        """Whether a query that is not a hidden ticket may be read; the most expensive checks come
        last."""
        return (
            bool(query.ticket_id)
            or next(self.judgments(query.id), None) is not None
            or self._is_own(query.id)
            or self._see_no_more(None)
            or query.id in self._asked
        )

    def _is_own(self, query_id: str) -> bool:
        """Whether the person asked or saved a query."""
        return any(event.query.id == query_id for kind in ASKED for event in self._own(kind))

    def _own(self, kind: type[Event]) -> Iterator[Event]:
        """Events of the person, newest first, since queries are mostly opened soon after they were
        asked."""
        for offset in count(0, PAGE) if self.name else ():
            page = self._store.last_events(kind, PAGE, offset, self.name)
            yield from page
            if len(page) < PAGE:
                break

    @cached_property
    def _asked(self) -> set[str]:
        """Ids of queries that visible askings refer to, read once: a person who opens one query
        opens several, and each request has its own instance."""
        return {asking.query.id for asking in self.events(Asking)}

    def _is_theirs(self, subject: str) -> bool:
        """Whether a visible ticket has a subject, or no hidden ticket has it."""
        has_subject = self._store.has_subject
        return has_subject(subject, self._theirs) or not has_subject(subject)

    def _askings(self, askings: Iterable[Asking]) -> Iterator[Asking]:
        """Askings whose answer contained nothing hidden and could not have: the person who asked
        had no other groups, or sees no ticket that is hidden here."""
        no_more = cache(self._see_no_more)
        askings = self._seen(askings, lambda asking: _of_query(asking.query))
        for page in batches(askings, PAGE):
            shown = list({id for asking in page for id in asking.shown})
            there, seen = self._store.matching_ids(shown), self._matching(shown)
            for asking in page:
                groups = asking.groups
                if groups is not None and groups <= self.groups:
                    if not there.intersection(asking.shown) - seen:
                        yield asking
                elif seen.issuperset(asking.shown) and no_more(groups):
                    yield asking

    def _see_no_more(self, groups: frozenset[str] | None) -> bool:
        """Whether people of other groups (None: people who see all) see no further tickets."""
        either = None if groups is None else groups | self.groups
        return see_no_more(self._store, either, self.groups)

    def _saved(self, events: Iterable[SavedQuery]) -> Iterator[SavedQuery]:
        return self._seen(events, lambda event: _of_query(event.query))

    def _named(self, events: Iterable[TopicName]) -> Iterator[TopicName]:
        for event in events:
            known = self._store.known_words(event.words, self._theirs)
            yield replace(event, words=tuple(word for word in event.words if word in known))

    def _former(self, events: Iterable[FormerTicket]) -> Iterator[FormerTicket]:
        return (event for event in events if event.groups & self.groups)

    def _audited(self, entries: Iterable[Any]) -> Iterator[Any]:
        """Audit entries. The id is removed if it belongs to a ticket that is hidden or was when it
        was deleted, or to a category of such tickets alone. If any ticket is hidden, a deleted
        ticket may have been hidden too."""
        no_more = cache(self._see_no_more)
        products = cache(lambda: set(self._store.facets(self._theirs)["product"]))
        for page in batches(entries, PAGE):
            named = [entry.ticket_id for entry in page if entry.ticket_id]
            hidden: Collection[str] = set(named) - self._matching(named)
            if hidden and no_more(None):
                hidden = formerly_hidden(self._store, hidden, self.groups)
            for entry in page:
                if entry.ticket_id in hidden:
                    yield replace(entry, which=HIDDEN)
                elif entry.category and not no_more(None) and entry.category not in products():
                    yield replace(entry, which=UNSEEN)
                else:
                    yield entry


def see_no_more(store: Store, either: frozenset[str] | None, groups: frozenset[str] | None) -> bool:
    """Whether people of `either` groups (None: people who see all), among which `groups` are, see
    no further tickets than people of `groups`. Counts between which others put or deleted tickets
    tell nothing; so they are counted again, MOST_COUNTS times at most."""
    theirs = Filters(groups=groups)
    for _ in range(MOST_COUNTS):
        before, whole = store.count_tickets(theirs), store.count_tickets(Filters(groups=either))
        if before == store.count_tickets(theirs):
            return before == whole
    return False


def formerly_hidden(store: Store, ids: Collection[str], groups: frozenset[str]) -> frozenset[str]:
    """Those of `ids` that no ticket has now, but that belonged, when it was deleted, to a ticket
    which people of `groups` might not see."""
    gone = set(ids) - store.matching_ids(list(ids))
    former = store.events(FormerTicket) if gone else iter(())
    return frozenset(
        event.ticket_id for event in former if event.ticket_id in gone and not event.groups & groups
    )


def _of_query(query: Query) -> tuple[str]:
    return (query.ticket_id,)


def _of_judgment(event: Judgment) -> tuple[str, str]:
    return event.ticket_id, event.query.ticket_id


def _unplaced(event: Judgment) -> Judgment:
    """A judgment without the rank and score that its judge saw."""
    return replace(event, rank=None, score=None)
