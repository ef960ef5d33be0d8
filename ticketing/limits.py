"""How much of anything is taken: every limit of size, and the words that refuse more.

They hold wherever something comes in: page, API, importer, labels and every other table. What is
said of too much stands behind the name of the place ("description has 300,000 characters, …").
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from ticketing.errors import InputError
from ticketing.tickets import Query, Ticket


@dataclass(frozen=True)
class Limit:
    """At most so many of something; `advice` says what to do with more."""

    most: int
    unit: str
    advice: str

    def fault(self, size: int) -> str:
        """What is wrong with so many, nothing where they are taken."""
        if size <= self.most:
            return ""
        return f"has {size:,} {self.unit}, more than the {self.most:,} allowed; {self.advice}"

    def text_fault(self, text: str) -> str:
        """As `fault`, of a text, counted as the unit has it."""
        return self.fault(len(text.encode(errors="replace") if self.unit == "bytes" else text))

    def check(self, text: str) -> str:
        """A text that is taken. Raises ValueError saying what is wrong with another."""
        if fault := self.text_fault(text):
            raise ValueError(fault)
        return text


SUBJECT = Limit(10_000, "characters", "put the rest into the description")
QUERY_TEXT = Limit(200_000, "characters", "keep the lines that matter")
TICKET_TEXT = Limit(1_000_000, "characters", "leave out logs and attachments")
NAME = Limit(500, "characters", "shorten it")
"""A product, a status, a group, a category."""
NOTE = Limit(2_000, "characters", "shorten it")
ID = Limit(512, "bytes", "shorten it")
"""In UTF-8, of a ticket."""
EVENT_ID = Limit(100, "characters", "send a shorter one, such as a UUID")
GROUPS = Limit(100, "groups", "name fewer")
COMMENTS = Limit(10_000, "replies", "export the latest only")
COLUMNS = Limit(1_000, "columns", "export those that tickets are made of")
DEPTH = Limit(32, "levels of lists and objects", "flatten it")
TOO_DEEP = f"has more than the {DEPTH.most} {DEPTH.unit} allowed; {DEPTH.advice}"
LINE = Limit(16_000_000, "characters in one line", "check that each row has a line of its own")
ROW = Limit(LINE.most, "characters in one row", "check its quotes")
"""Of a CSV or TSV file, over all its lines."""
HEADER = Limit(1_000_000, "characters in the header", "check that its line ends")
UNPACKED = Limit(64 * 2**20, "characters, over 100 for each of its bytes", "unpack it yourself")
"""Of a gzip file, which holds more where they are no more than UNPACKED_RATIO for each byte."""
UNPACKED_RATIO = 100
OFFSET = Limit(100_000, "tickets before what is asked for", "narrow the filters instead")


def id_fault(id: str) -> str:
    """What is wrong with the id of a ticket, nothing where it can be one.

    Rankings and judgments are written in columns parted by spaces (TREC), so none is in an id. A
    ticket's page has the id in its address, of which browsers and servers rewrite some parts.
    """
    if not id.strip():
        return "is empty; give it an id"
    if "\ufffd" in id:
        return "holds characters that could not be read; send it as UTF-8"
    if not (id.isprintable() and is_one_column(id)):
        return "holds white space or control characters; replace them, by - for example"
    if id.startswith("/") or "//" in id or not {".", ".."}.isdisjoint(id.split("/")):
        return (
            "begins with /, or has //, or a part . or .. between slashes; web addresses drop these,"
            " so change the id"
        )
    return ID.text_fault(id)


def is_one_column(text: str) -> bool:
    """Whether a text stays whole between the spaces of a line (TREC)."""
    return len(text.split()) == 1 and text == text.strip()


_PARTING = frozenset(",;")
"""Separators of group names in a cell of a table; no name of a group may hold one."""


def half_fault(text: str) -> str:
    """What is wrong with a text that no store can keep, half of a surrogate pair; else nothing."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"holds half a character ({text[error.start]!r}); repair or remove it"
    return ""


def ticket_fault(ticket: Ticket) -> tuple[str, str]:
    """The first field that is not taken and what is wrong with it; both empty where all are."""
    if fault := id_fault(ticket.id):
        return "id", fault
    if fault := GROUPS.fault(len(ticket.groups)):
        return "groups", fault
    for name in sorted(ticket.groups):
        if not _PARTING.isdisjoint(name):
            return "groups", f"hold {name[:40]!r}; name groups without commas and semicolons"
    texts = {
        "subject": (SUBJECT, [ticket.subject]),
        "description": (TICKET_TEXT, [ticket.description]),
        "solution": (TICKET_TEXT, [ticket.solution]),
        "product": (NAME, [ticket.product]),
        "status": (NAME, [ticket.status]),
        "groups": (NAME, sorted(ticket.groups)),
    }
    return _first_fault(texts)


def require_ticket(ticket: Ticket) -> None:
    """Raises InputError for a ticket that is not taken."""
    field, fault = ticket_fault(ticket)
    if fault:
        raise InputError(f"The {field} of the ticket {ticket.id[:40]!r} {fault}.")


def usable_groups(names: Collection[str]) -> frozenset[str]:
    """Names of somebody's groups, without blanks around them. Raises InputError for one that no
    ticket of a table can have: commas and semicolons part groups there."""
    for name in names:
        if fault := NAME.fault(len(name)) or half_fault(name):
            raise InputError(f"The group {name[:40]!r} {fault}.")
        if not name.strip() or not _PARTING.isdisjoint(name):
            raise InputError(
                f"{name!r} is no name of a group; name one at a time, without commas and"
                " semicolons."
            )
    return frozenset(map(str.strip, names))


def query_fault(query: Query) -> tuple[str, str]:
    """As `ticket_fault`, of a query; one that is a ticket is as long as that."""
    if query.ticket_id:
        return "", ""
    texts = {
        "subject": (SUBJECT, [query.subject]),
        "description": (QUERY_TEXT, [query.description]),
    }
    return _first_fault(texts)


def require_query(query: Query) -> None:
    """Raises InputError for a query that is not taken."""
    field, fault = query_fault(query)
    if fault:
        raise InputError(f"The {field} {fault}.")


def depth_fault(value: object) -> str:
    """What is wrong with lists and objects that lie in each other, nothing where it is read."""
    level, depth = [value], 0
    while level:
        inner = [item for item in level if isinstance(item, list | dict)]
        level = [x for item in inner for x in (item if isinstance(item, list) else item.values())]
        depth += bool(inner)
        if depth > DEPTH.most:
            return TOO_DEEP
    return ""


def read_toml(text: str) -> dict[str, Any]:
    """What a text of TOML holds. Raises ValueError where it is none, or is nested too deep."""
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"it {TOO_DEEP}") from None
    if fault := depth_fault(table):
        raise ValueError(f"it {fault}")
    return table


def _written_out(text: str) -> int:
    """Characters that a text has where each stands for one: a ligature may be up to 18."""
    return max(len(text), 0 if text.isascii() else len(normalize("NFKC", text)))


def _first_fault(texts: Mapping[str, tuple[Limit, Sequence[str]]]) -> tuple[str, str]:
    for field, (limit, given) in texts.items():
        for text in given:
            if fault := limit.fault(_written_out(text)) or half_fault(text):
                return field, fault
    return "", ""
