"""Tickets and their words in SQLite."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from sqlite3 import Connection
from typing import Any, NamedTuple

from ticketing.stores.checks import in_place_of, latest_by_id
from ticketing.stores.protocols import MOST_NAMING, PutCounts, ReadTicket, Tickets
from ticketing.stores.sqlite.database import ANY_OF, DatabasePart, Row, json_list
from ticketing.text import token_lines, tokenize
from ticketing.text.literals import literal_keys
from ticketing.tickets import Filters, Ticket
from ticketing.times import plausible_until

COLUMNS = "id, subject, description, solution, product, status, created, groups"


class _Entry(NamedTuple):
    """The words of a ticket for the index, and the keys of its literals."""

    words: str
    literals: list[str]


class SQLiteTickets(DatabasePart, Tickets):
    """Tickets in a table, their words in a full-text index (FTS5), and their literals in a
    table."""

    def put_tickets(
        self,
        tickets: Sequence[Ticket],
        keep: Collection[str] = (),
        theirs: Filters = Filters(),
    ) -> PutCounts:
        given = latest_by_id(tickets)
        entries = self._new_entries(given, keep, theirs)  # outside the lock
        with self.database.writing() as connection:
            known = _tickets(
                connection.execute(f"{_SELECT} WHERE id {ANY_OF}", (json_list(given),))
            )
            latest = in_place_of(known, given, keep, theirs)
            new = [ticket for id, ticket in latest.items() if id not in known]
            changed = [latest[id] for id, ticket in known.items() if latest[id] != ticket]
            connection.executemany(_INSERT, map(_record, new))
            connection.executemany(_UPDATE, map(_record, changed))
            _index(connection, new, entries)
            regrouped = [t.id for t in changed if t.groups != known[t.id].groups]
            look_again(connection, regrouped)
            refiled = [(id,) for id in known if _filed(latest[id]) != _filed(known[id])]
            connection.executemany(_REFILED, refiled)
            reworded = [t for t in changed if t.version != known[t.id].version]
            _index(connection, reworded, entries)
        return PutCounts(len(new), len(changed), len(latest) - len(new) - len(changed))

    def _new_entries(
        self, given: Mapping[str, Ticket], keep: Collection[str], theirs: Filters
    ) -> dict[str, _Entry]:
        """Index entries of those tickets whose text is not in the store yet, by version."""
        known = self.get_tickets(list(given))
        return {
            ticket.version: _entry(ticket)
            for id, ticket in in_place_of(known, given, keep, theirs).items()
            if id not in known or known[id].version != ticket.version
        }

    def delete_tickets(self, ids: Sequence[str]) -> int:
        """Delete tickets, their words and, by cascade, their codes."""
        with self.database.writing() as connection:
            look_again(connection, ids)
            given = (json_list(ids),)
            connection.execute(f"DELETE FROM words WHERE rowid IN ({_OF_IDS})", given)
            return connection.execute(f"DELETE FROM tickets WHERE id {ANY_OF}", given).rowcount

    def get_tickets(self, ids: Sequence[str]) -> dict[str, Ticket]:
        return _tickets(self.database.rows(f"{_SELECT} WHERE id {ANY_OF}", json_list(ids)))

    def read_tickets(self, ids: Sequence[str]) -> dict[str, ReadTicket]:
        """See DatedTickets: the tokens are read from the word index."""
        rows = self.database.rows(
            f"SELECT tokens, {COLUMNS} FROM tickets LEFT JOIN words ON words.rowid = tickets.pk"
            f" WHERE id {ANY_OF}",
            json_list(ids),
        )
        found = ((_ticket(record), tokens) for tokens, *record in rows)
        return {
            ticket.id: (ticket, _words(ticket) if tokens is None else tokens)
            for ticket, tokens in found
        }

    def iter_tickets(self, filters: Filters = Filters()) -> Iterator[Ticket]:
        condition, values = where(filters)
        statement = f"{_SELECT} WHERE {condition} AND id > ? ORDER BY id LIMIT ?"
        return map(_ticket, self._pages(statement, "", *values))

    def count_tickets(self, filters: Filters = Filters()) -> int:
        condition, values = where(filters)
        [(count,)] = self.database.rows(f"SELECT count(*) FROM tickets WHERE {condition}", *values)
        return int(count)

    def newest(self, filters: Filters = Filters()) -> datetime | None:
        condition, values = where(filters)
        dated = self.database.rows(  # by the index of dates, read as far as the first that matches
            "SELECT created FROM tickets WHERE created < ?"
            f" AND {condition} ORDER BY created DESC LIMIT 1",
            plausible_until().isoformat(),
            *values,
        )
        return datetime.fromisoformat(dated[0][0]) if dated else None

    def facets(self, filters: Filters = Filters()) -> dict[str, list[str]]:
        condition, values = where(filters)
        return {
            field: [
                value
                for (value,) in self.database.rows(
                    f"SELECT DISTINCT {field} FROM tickets WHERE {field} <> '' AND {condition}"
                    f" ORDER BY {field}",
                    *values,
                )
            ]
            for field in ("product", "status")
        }

    def matching_ids(self, ids: Sequence[str], filters: Filters = Filters()) -> set[str]:
        condition, values = where(filters)
        statement = f"SELECT id FROM tickets WHERE id {ANY_OF} AND {condition}"
        return {id for (id,) in self.database.rows(statement, json_list(ids), *values)}

    def has_subject(self, subject: str, filters: Filters = Filters()) -> bool:
        """Whether a matching ticket has this subject. Compares the tickets whose subject begins
        with its words, or all if it has none."""
        condition, values = where(filters)
        if words := tokenize(subject):
            condition = f"pk IN (SELECT rowid FROM words WHERE words MATCH ?) AND {condition}"
            values = ["^ " + _quoted(" ".join(words)), *values]
        statement = f"SELECT 1 FROM tickets WHERE {condition} AND subject = ? LIMIT 1"
        return bool(self.database.rows(statement, *values, subject))

    def known_words(self, words: Sequence[str], filters: Filters = Filters()) -> set[str]:
        """Those of `words` that a matching ticket contains; each word is read up to the first
        match."""
        condition, values = where(filters)
        statement = (
            "SELECT 1 FROM words JOIN tickets ON tickets.pk = words.rowid"
            f" WHERE words MATCH ? AND {condition} LIMIT 1"
        )
        return {word for word in words if self.database.rows(statement, _quoted(word), *values)}

    def naming(
        self, keys: Collection[str], filters: Filters = Filters(), limit: int = 10
    ) -> dict[str, list[str]]:
        """See SearchedTickets. Of very many tickets with a key, the latest ones put are
        examined."""
        condition, values = where(filters)
        of_each = " UNION ALL ".join([_NAMING] * len(keys))
        statement = (
            f"SELECT tickets.id, json_group_array(literal) FROM ({of_each})"
            f" JOIN tickets ON tickets.pk = ticket WHERE {condition} GROUP BY tickets.pk"
            " ORDER BY count(*) DESC, tickets.created DESC, tickets.id LIMIT ?"
        )
        rows = self.database.rows(statement, *keys, *values, limit) if keys else []
        return {id: sorted(json.loads(found)) for id, found in rows}


def where(filters: Filters) -> tuple[str, list[str]]:
    """The condition on `tickets` for a filter, and its values."""
    since, before = filters.created_since, filters.created_before
    conditions = {
        "tickets.product = ?": filters.product,
        "tickets.status = ?": filters.status,
        "tickets.created >= ?": since.isoformat() if since else "",
        "tickets.created < ?": before.isoformat() if before else "",
        "tickets.has_solution = ?": "1" if filters.has_solution else "",
        _OF_GROUPS: "" if filters.groups is None else json_list(filters.groups),
    }
    given = {condition: value for condition, value in conditions.items() if value}
    return " AND ".join(given) or "TRUE", list(given.values())


def look_again(connection: Connection, ids: Sequence[str]) -> None:
    """Make every process read again which rows of codes are visible, because tickets with codes
    were deleted or changed their groups."""
    connection.execute(
        "UPDATE code_files SET deletions = deletions + 1"
        f" WHERE number IN (SELECT file FROM codes WHERE ticket IN ({_OF_IDS}))",
        (json_list(ids),),
    )


_OF_IDS = f"SELECT pk FROM tickets WHERE id {ANY_OF}"
_EVERYBODY = "[]"
_OF_GROUPS = f"""(tickets.groups = '{_EVERYBODY}' OR EXISTS
    (SELECT 1 FROM json_each(tickets.groups) WHERE json_each.value {ANY_OF}))"""
_SELECT = f"SELECT {COLUMNS} FROM tickets"
_WRITTEN = f"{COLUMNS}, has_solution, version"
_INSERT = f"INSERT INTO tickets ({_WRITTEN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_UPDATE = f"""UPDATE tickets SET ({_WRITTEN}) = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    WHERE id = ?1"""

_NAMING = f"""SELECT * FROM (SELECT literal, ticket FROM literals WHERE literal = ?
    ORDER BY ticket DESC LIMIT {MOST_NAMING})"""

_REFILED = """INSERT OR REPLACE INTO filter_changes (ticket)
    SELECT pk FROM tickets WHERE id = ?"""


def _filed(ticket: Ticket) -> tuple[str, str, datetime | None, bool]:
    """The values for filters other than groups."""
    return ticket.product, ticket.status, ticket.created, ticket.has_solution


def _record(ticket: Ticket) -> Row:
    created = ticket.created and ticket.created.isoformat()
    texts = (ticket.id, ticket.subject, ticket.description, ticket.solution)
    filed = ticket.product, ticket.status, created, json_list(sorted(ticket.groups))
    return (*texts, *filed, ticket.has_solution, ticket.version)


def _ticket(record: Sequence[Any]) -> Ticket:
    id, subject, description, solution, product, status, created, groups = record
    return Ticket(
        id,
        subject,
        description,
        solution,
        product,
        status,
        created=datetime.fromisoformat(created) if created else None,
        groups=frozenset(json.loads(groups)) if groups != _EVERYBODY else frozenset(),
    )


def _tickets(records: Iterable[Row]) -> dict[str, Ticket]:
    return {record[0]: _ticket(record) for record in records}


def _index(
    connection: Connection, tickets: Sequence[Ticket], entries: Mapping[str, _Entry]
) -> None:
    """Replace the tickets' words and literals in the indexes. Tickets missing in `entries` were
    changed by another process meanwhile.

    Each row has its own statement, since FTS5 flushes its buffer before a statement that may write
    several rows.
    """
    keys = dict(
        connection.execute(
            f"SELECT id, pk FROM tickets WHERE id {ANY_OF}", (json_list(t.id for t in tickets),)
        )
    )
    put = [(keys[t.id], entries.get(t.version) or _entry(t)) for t in tickets]
    connection.executemany(
        "INSERT OR REPLACE INTO words (rowid, tokens) VALUES (?, ?)",
        ((pk, entry.words) for pk, entry in put),
    )
    connection.executemany("DELETE FROM literals WHERE ticket = ?", ((pk,) for pk, _ in put))
    connection.executemany(
        "INSERT INTO literals (literal, ticket) VALUES (?, ?)",
        ((literal, pk) for pk, entry in put for literal in entry.literals),
    )


def _entry(ticket: Ticket) -> _Entry:
    texts = ticket.subject, ticket.description, ticket.solution
    return _Entry(_words(ticket), literal_keys(*texts))


def _words(ticket: Ticket) -> str:
    return token_lines(ticket.subject, ticket.description, ticket.solution)


def _quoted(word: str) -> str:
    """A word as an FTS5 string: only the quote is special in it, and a NUL ends it."""
    return '"' + word.replace('"', '""').replace("\0", " ") + '"'
