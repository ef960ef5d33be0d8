"""The interfaces of a store: one narrow protocol for each kind of data.

`Store` combines all of them; a function takes the narrowest that suffices. Every sentence below is
tested in `tests/contract` for each store. All methods may raise StoreAway (try again later) or
StoreError.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from ticketing.queries import EncodedQuery
from ticketing.stores.blocks import CodeBlock, CodeRow
from ticketing.stores.damage import Checked
from ticketing.stores.files import Files
from ticketing.stores.history import History
from ticketing.stores.jobs import Jobs, Leases
from ticketing.stores.people import PeopleStore
from ticketing.stores.schedules import Schedules
from ticketing.text import token_lines
from ticketing.tickets import Filters, Judgment, ModelKind, Query, Ticket, Verdict


@dataclass(frozen=True)
class PutCounts:
    """How many of the tickets put were new, changed or unchanged."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    taken: frozenset[str] = frozenset()
    """Ids that an import left out, since they belong to tickets which the person may not see."""


ReadTicket = tuple[Ticket, str]
"""A ticket and its tokens."""

MOST_NAMING = 20_000
"""Maximum number of tickets examined for one number or code; half of the archive may contain it."""


def parted(read: Mapping[str, ReadTicket]) -> tuple[list[Ticket], dict[str, str]]:
    """Tickets in the order in which they were read, and their tokens by id."""
    tickets = [ticket for ticket, _ in read.values()]
    return tickets, {id: tokens for id, (_, tokens) in read.items()}


class DatedTickets(Protocol):
    """Tickets by id and the date of the newest one, which give the time of a query."""

    def get_tickets(self, ids: Sequence[str]) -> dict[str, Ticket]:
        """The tickets that exist among `ids`, by id."""

    def read_tickets(self, ids: Sequence[str]) -> dict[str, ReadTicket]:
        """Tickets by id, each with the tokens of its `text`, joined by blanks, one line per
        component (or all in one line if they were stored by an older version)."""
        return {
            id: (ticket, token_lines(ticket.subject, ticket.description, ticket.solution))
            for id, ticket in self.get_tickets(ids).items()
        }

    def newest(self, filters: Filters = Filters()) -> datetime | None:
        """Creation date of the newest matching ticket; None if none has a date. Dates after
        tomorrow are mistakes and are ignored."""


class SearchedTickets(DatedTickets, Protocol):
    """Tickets, their number, and which of them contain a number or code."""

    def count_tickets(self, filters: Filters = Filters()) -> int:
        """How many tickets match."""

    def naming(
        self, keys: Collection[str], filters: Filters = Filters(), limit: int = 10
    ) -> dict[str, list[str]]:
        """Matching tickets that contain any of the keys (`literal_keys` of
        ticketing.text.literals): ids with their keys, ascending. At most `limit`: those with most
        keys first, then the newest, undated ones last, ties by id. If more than MOST_NAMING tickets
        contain a key, matching or not, some may be left out."""


class Tickets(SearchedTickets, Protocol):
    """The tickets of the knowledge base, and the words in them."""

    def put_tickets(
        self,
        tickets: Sequence[Ticket],
        keep: Collection[str] = (),
        theirs: Filters = Filters(),
    ) -> PutCounts:
        """Add or replace tickets by id; putting the same twice changes nothing.

        A present ticket keeps the fields in `keep`, whatever the new one says, also if others
        change them meanwhile. Raises Conflict, and puts nothing, if a present ticket is not among
        `theirs`. Each ticket is put completely or not at all. Invalid tickets are refused before
        anything is put: raises InputError for an id that is empty, holds a NUL or is longer than
        512 bytes, and for an unpaired surrogate in any text. If StoreError or StoreAway is raised,
        a store on one machine has put none; one on servers may have put some, and putting the same
        again puts the rest. If an id is given twice, the last ticket counts.
        """

    def delete_tickets(self, ids: Sequence[str]) -> int:
        """Delete tickets and their codes under every bundle; returns how many existed."""

    def iter_tickets(self, filters: Filters = Filters()) -> Iterator[Ticket]:
        """All matching tickets in ascending id order, holding only a page in memory."""

    def facets(self, filters: Filters = Filters()) -> dict[str, list[str]]:
        """The distinct non-empty values of `product` and `status` of matching tickets, sorted."""

    def matching_ids(self, ids: Sequence[str], filters: Filters = Filters()) -> set[str]:
        """Those of `ids` whose tickets exist and match."""

    def has_subject(self, subject: str, filters: Filters = Filters()) -> bool:
        """Whether a matching ticket has exactly this subject."""

    def known_words(self, words: Sequence[str], filters: Filters = Filters()) -> set[str]:
        """Those of `words`, tokens of ticketing.text, that a matching ticket contains."""


class Judgments(Protocol):
    """Queries, and people's judgments of the answers to them."""

    def put_query(self, query: Query) -> str:
        """Keep a query, so that its address can be shared, and record that it was asked today;
        returns query.id."""

    def put_queries(self, queries: Sequence[Query]) -> None:
        """Keep many queries at once."""

    def get_query(self, query_id: str) -> Query | None:
        """A query put or judged before."""

    def queries(self) -> Iterator[Query]:
        """All queries put or judged before, in no particular order."""

    def forget_queries(self, before: date, keep: Collection[str] = ()) -> int:
        """Delete queries last put before a day (UTC), except judged ones and those in `keep`;
        askings before it; and saved queries before it that are not in `keep`. Returns how many
        queries were deleted; safe to repeat after a failure."""

    def add_judgments(self, judgments: Sequence[Judgment]) -> int:
        """Append events permanently; an event with a known id is skipped. Returns how many were
        new.

        Invalid events are refused before any is added, as in `put_tickets`. Safe to repeat after a
        failure. Raises Conflict, and adds none, if an event id belongs to a different event.
        """

    def judgments(self, query_id: str = "", ticket_id: str = "") -> Iterator[Judgment]:
        """All events, optionally of one query and one ticket, in the order in which they were
        added."""

    def judgment_log(self, start: int = 0) -> Iterator[tuple[int, Judgment]]:
        """All events in the order in which they were added, each with its number, beginning at
        `start`. Numbers are positive and ascending, and never change until the desk is restored."""

    def count_judgments(self) -> int:
        """Number of events."""


class Verdicts(Protocol):
    """People's verdicts on the categories proposed for a subject."""

    def add_verdicts(self, verdicts: Sequence[Verdict]) -> int:
        """Append events permanently, with the rules of `Judgments.add_judgments`. Raises Conflict,
        and adds none, if an event id belongs to a different event."""

    def verdicts(self, subject: str = "") -> Iterator[Verdict]:
        """All events, optionally of exactly one subject, in the order in which they were added."""


class ScannedCodes(Protocol):
    """The codes that a query is compared with."""

    def codes(self, bundle_id: str, filters: Filters = Filters()) -> CodeBlock:
        """The block that a query scans: for each matching ticket its latest codes (those of its
        former text until the new text is encoded). The next call sees every change by any process;
        a returned block does not change."""

    def candidates(
        self,
        bundle_id: str,
        query: EncodedQuery,
        filters: Filters = Filters(),
        limit: int = 10,
        also: Collection[str] = (),
    ) -> CodeBlock:
        """Codes as from `codes`, of all matching tickets or of a part that contains the `limit`
        nearest to the query (near by words or by vector, not only by both). Those of `also` that
        match are included. By default of all: where the codes are on this machine, scanning them
        takes milliseconds."""
        return self.codes(bundle_id, filters)


class Codes(ScannedCodes, Protocol):
    """Each ticket's codes, vector and main topic under each bundle."""

    @property
    def keeps_vectors(self) -> bool:
        """Whether tickets are searched by vectors; if not, rows of codes have none."""

    def stale_ids(
        self,
        bundle_id: str,
        limit: int = 0,
        after: str = "",
        among: Sequence[str] | None = None,
    ) -> list[str]:
        """Ids of tickets without fresh codes (none, or of another version) under the bundle:
        ascending, greater than `after`, at most `limit` unless 0, and among `among` if given."""

    def put_codes(self, bundle_id: str, rows: Sequence[CodeRow]) -> int:
        """Store codes; safe to repeat after a failure. A row is skipped if its ticket is gone or
        has another version by now, or if the codes are already stored. Returns how many were
        stored. Raises StoreError, before any is stored, if the width differs from the bundle's
        other rows."""

    def count_codes(self, bundle_id: str) -> int:
        """Number of tickets with fresh codes under the bundle."""

    def topic_counts(
        self, bundle_id: str, filters: Filters = Filters()
    ) -> dict[tuple[int | None, date | None], int]:
        """Number of matching tickets by main topic and month, by their latest codes under the
        bundle. A month is its first day; None stands for no topic or no date. Zero counts are left
        out."""

    def topic_tickets(
        self,
        bundle_id: str,
        topic: int,
        filters: Filters = Filters(),
        limit: int = 10,
        offset: int = 0,
    ) -> list[str]:
        """Ids of the matching tickets with this main topic, newest first, undated ones last, ties
        by id; at most `limit`, after the first `offset`."""

    def bundles(self) -> list[str]:
        """Ids of the bundles that have codes, ascending."""

    def code_rows(self, bundle_id: str) -> Iterator[CodeRow]:
        """All fresh codes in ascending order of ticket id, with only a page in memory; `vector` is
        empty in a store that does not use it."""

    def damaged_codes(self, bundle_id: str) -> list[str]:
        """Ids, ascending, of tickets whose codes under the bundle are damaged, as far as this
        process has read them. Reading codes leaves these out."""

    def forget_codes(self, bundle_id: str, ids: Sequence[str]) -> None:
        """Delete the codes of these tickets under the bundle, which makes them stale."""

    def drop_codes(self, bundle_id: str) -> None:
        """Delete all codes of a bundle; unknown bundles are ignored. Raises Conflict for the
        serving bundle."""


class Serving(Protocol):
    """Which bundle of each kind serves."""

    def serving(self, kind: ModelKind = ModelKind.RANKING) -> str:
        """Id of the serving bundle, or an empty string."""

    def set_serving(self, bundle_id: str, kind: ModelKind = ModelKind.RANKING) -> None:
        """Switch atomically; the previous one is kept for `previous_serving`. Naming the serving
        bundle again changes nothing."""

    def previous_serving(self, kind: ModelKind = ModelKind.RANKING) -> str:
        """Id of the bundle that served before the current one, or an empty string."""


class RankedTickets(SearchedTickets, ScannedCodes, Protocol):
    """The parts of a store that ranking needs."""


class TicketsWithCodes(Tickets, Codes, Protocol):
    """Tickets and codes."""


class Store(
    Tickets,
    Judgments,
    Verdicts,
    History,
    Serving,
    Codes,
    Jobs,
    Leases,
    Schedules,
    PeopleStore,
    Files,
    Checked,
    Protocol,
):
    """All data of a desk."""

    def close(self) -> None:
        """Release files and connections; the store can't be used afterwards."""
