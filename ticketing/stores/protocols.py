"""What every store does, and nothing about how: one narrow protocol for each thing it keeps.

`Store` is all of them; a function takes the narrowest that serves. `tests/contract` holds every
sentence below as a test that each store passes. All methods may raise StoreAway (try again
later) or StoreError.
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
    """How many tickets of a put were new, changed, or already there as given."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    taken: frozenset[str] = frozenset()
    """Ids of those that an import left out: tickets have them which whoever asked may not see."""


ReadTicket = tuple[Ticket, str]
"""A ticket and its tokens."""

MOST_NAMING = 20_000
"""Tickets that are looked at of those that name one number or code: half the archive may."""


def parted(read: Mapping[str, ReadTicket]) -> tuple[list[Ticket], dict[str, str]]:
    """Tickets, in the order in which they were read, and their tokens by id."""
    tickets = [ticket for ticket, _ in read.values()]
    return tickets, {id: tokens for id, (_, tokens) in read.items()}


class DatedTickets(Protocol):
    """Tickets by id, and when the newest was created: what the time of a query is known by."""

    def get_tickets(self, ids: Sequence[str]) -> dict[str, Ticket]:
        """The tickets that exist among `ids`, by id."""

    def read_tickets(self, ids: Sequence[str]) -> dict[str, ReadTicket]:
        """Tickets by id, each with the tokens of its `text`, joined by blanks: a line a component,
        or one line where they were kept before components had lines."""
        return {
            id: (ticket, token_lines(ticket.subject, ticket.description, ticket.solution))
            for id, ticket in self.get_tickets(ids).items()
        }

    def newest(self, filters: Filters = Filters()) -> datetime | None:
        """When the newest matching ticket was created; None where none has a date. One whose date
        is after tomorrow is left out: it was written wrong."""


class SearchedTickets(DatedTickets, Protocol):
    """Tickets, how many there are, and which of them name a number or code."""

    def count_tickets(self, filters: Filters = Filters()) -> int:
        """How many tickets match."""

    def naming(
        self, keys: Collection[str], filters: Filters = Filters(), limit: int = 10
    ) -> dict[str, list[str]]:
        """Which of some keys (`literal_keys` of ticketing.text.literals) the matching tickets name
        that name any: ids with their keys, ascending; at most `limit`, first those that name most,
        then the last created, undated ones last, ties by id. Of a key that more than MOST_NAMING
        tickets have, whether they match or not, some may be left out."""


class Tickets(SearchedTickets, Protocol):
    """The knowledge base, and which words are in it."""

    def put_tickets(
        self,
        tickets: Sequence[Ticket],
        keep: Collection[str] = (),
        theirs: Filters = Filters(),
    ) -> PutCounts:
        """Add or replace tickets by id; putting the same twice changes nothing.

        A ticket that is there keeps the fields that `keep` names, whatever the new one says, also
        where others change them meanwhile. Raises Conflict, and puts nothing, where a ticket that
        is there is not among `theirs`.
        Each ticket is put whole or not at all. What cannot be used is refused before anything
        is put: raises InputError for an id that is empty, holds a NUL or is longer than 512
        bytes, and for half a surrogate pair in any text. Where StoreError or StoreAway is
        raised, a store on one machine has put none; one on servers may have put some, and
        putting the same again puts the rest. Of one id given twice the last counts."""

    def delete_tickets(self, ids: Sequence[str]) -> int:
        """Delete tickets and their codes under every bundle; returns how many existed."""

    def iter_tickets(self, filters: Filters = Filters()) -> Iterator[Ticket]:
        """All matching tickets in ascending id order, holding only a page in memory."""

    def facets(self, filters: Filters = Filters()) -> dict[str, list[str]]:
        """The distinct non-empty values of `product` and `status` of matching tickets, sorted."""

    def matching_ids(self, ids: Sequence[str], filters: Filters = Filters()) -> set[str]:
        """Those of `ids` whose tickets exist and match."""

    def has_subject(self, subject: str, filters: Filters = Filters()) -> bool:
        """Whether a matching ticket has this subject, letter by letter."""

    def known_words(self, words: Sequence[str], filters: Filters = Filters()) -> set[str]:
        """Those of `words`, tokens of ticketing.text, that a matching ticket holds."""


class Judgments(Protocol):
    """Queries, and what people judged of the answers to them."""

    def put_query(self, query: Query) -> str:
        """Remember a query so that its address can be shared, and that it was asked today; returns
        query.id."""

    def put_queries(self, queries: Sequence[Query]) -> None:
        """Remember many at once."""

    def get_query(self, query_id: str) -> Query | None:
        """A query put or judged before."""

    def queries(self) -> Iterator[Query]:
        """All queries put or judged before, in no particular order."""

    def forget_queries(self, before: date, keep: Collection[str] = ()) -> int:
        """Forget what was asked before a day (UTC), and by whom: the queries last put before it,
        but those judged and those whose ids are in `keep`; the askings before it; and what was
        saved before it of queries that are not in `keep`. Returns how many queries were forgotten;
        safe to repeat after a failure."""

    def add_judgments(self, judgments: Sequence[Judgment]) -> int:
        """Append events for good; one seen before is skipped. Returns how many were new.

        Refused before any is added as in `put_tickets`, and safe to repeat after a failure.
        Raises Conflict, and adds none, where an event id is that of another event."""

    def judgments(self, query_id: str = "", ticket_id: str = "") -> Iterator[Judgment]:
        """All events, of one query and of one ticket where given, in the order they were added."""

    def judgment_log(self, start: int = 0) -> Iterator[tuple[int, Judgment]]:
        """All events in the order they were added, each with its number, from a number on. Numbers
        are above 0 and ascend; whatever is there keeps its number until the desk is restored."""

    def count_judgments(self) -> int:
        """How many events there are."""


class Verdicts(Protocol):
    """What people said to the categories proposed for a subject."""

    def add_verdicts(self, verdicts: Sequence[Verdict]) -> int:
        """Append events for good; one seen before is skipped. Returns how many were new.

        Refused before any is added as in `put_tickets`, and safe to repeat after a failure.
        Raises Conflict, and adds none, where an event id is that of another event."""

    def verdicts(self, subject: str = "") -> Iterator[Verdict]:
        """All events, of one subject, letter by letter, where given, in the order they were
        added."""


class ScannedCodes(Protocol):
    """The codes that a query is compared with."""

    def codes(self, bundle_id: str, filters: Filters = Filters()) -> CodeBlock:
        """What a query under this bundle scans: for each matching ticket its latest codes (those of
        its previous text, until the new text is encoded). Every change, by whatever process, is
        seen by the next call; a block once given stays as it is."""

    def candidates(
        self,
        bundle_id: str,
        query: EncodedQuery,
        filters: Filters = Filters(),
        limit: int = 10,
        also: Collection[str] = (),
    ) -> CodeBlock:
        """Codes as `codes` gives them, of all matching tickets or of those among which the
        `limit` nearest to the query are: near in words or near by vector, never only in both. Those
        of `also` that match are among them."""


class Codes(ScannedCodes, Protocol):
    """What the scan compares: each ticket's codes, vectors and main topic under each bundle."""

    @property
    def keeps_vectors(self) -> bool:
        """Whether tickets are found by vectors: rows of codes come without one where not."""

    def stale_ids(
        self,
        bundle_id: str,
        limit: int = 0,
        after: str = "",
        among: Sequence[str] | None = None,
    ) -> list[str]:
        """Ids (ascending, greater than `after`, at most `limit` unless 0, of those `among` where
        given) of tickets without fresh codes under the bundle: none at all, or of another
        version."""

    def put_codes(self, bundle_id: str, rows: Sequence[CodeRow]) -> int:
        """Store codes; safe to repeat after a failure. A row whose ticket is gone or has another
        version by now, or whose codes are already there, is skipped. Returns how many were
        stored. Raises StoreError, before any is stored, when the width differs from the
        bundle's other rows."""

    def count_codes(self, bundle_id: str) -> int:
        """How many tickets carry fresh codes under the bundle."""

    def topic_counts(
        self, bundle_id: str, filters: Filters = Filters()
    ) -> dict[tuple[int | None, date | None], int]:
        """How many matching tickets have each main topic in each month, as their latest codes under
        the bundle say. A month is its first day; None stands for no topic and for no date. Only
        what occurs is named."""

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
        """Ids of the bundles that codes are kept under, in ascending order."""

    def code_rows(self, bundle_id: str) -> Iterator[CodeRow]:
        """All fresh codes in ascending order of ticket id, holding only a page in memory; `vector`
        is empty in a store that has no use for it."""

    def damaged_codes(self, bundle_id: str) -> list[str]:
        """Ids, ascending, of the tickets whose codes under the bundle are no longer those that were
        put, as far as this process has read them: whoever reads codes gets all but these."""

    def forget_codes(self, bundle_id: str, ids: Sequence[str]) -> None:
        """Delete the codes of these tickets under the bundle, which are stale then."""

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
    """As much of a store as the ranking of queries asks of it."""


class TicketsWithCodes(Tickets, Codes, Protocol):
    """All that a search stands on."""


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
    """Everything a desk knows, in one place."""

    def close(self) -> None:
        """Release files and connections; the store can't be used afterwards."""
