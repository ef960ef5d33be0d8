"""Limits of size for all input, and the messages for input that exceeds them.

They apply to every input: page, API, importer, labels and other tables. A message continues the
name of a field ("description has 300,000 characters, …").
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
    """At most `most` units; `advice` says what to do with more."""

    most: int
    unit: str
    advice: str

    def fault(self, size: int) -> str:
        """The message for a size that exceeds the limit, or ""."""
        if size <= self.most:
            return ""
        return f"has {size:,} {self.unit}, more than the {self.most:,} allowed; {self.advice}"

    def text_fault(self, text: str) -> str:
        """As `fault`, for a text, counted in bytes or characters as `unit` says."""
        return self.fault(len(text.encode(errors="replace") if self.unit == "bytes" else text))


SUBJECT = Limit(10_000, "characters", "put the rest into the description")
QUERY_TEXT = Limit(200_000, "characters", "keep the lines that matter")
TICKET_TEXT = Limit(1_000_000, "characters", "leave out logs and attachments")
NAME = Limit(500, "characters", "shorten it")
"""For names of products, statuses, groups and categories."""
NOTE = Limit(2_000, "characters", "shorten it")
ID = Limit(512, "bytes", "shorten it")
"""For ids of tickets, in UTF-8."""
EVENT_ID = Limit(100, "characters", "send a shorter one, such as a UUID")
GROUPS = Limit(100, "groups", "name fewer")
COMMENTS = Limit(10_000, "replies", "export the latest only")
COLUMNS = Limit(1_000, "columns", "export those that tickets are made of")
DEPTH = Limit(32, "levels of lists and objects", "flatten it")
TOO_DEEP = f"has more than the {DEPTH.most} {DEPTH.unit} allowed; {DEPTH.advice}"
LINE = Limit(16_000_000, "characters in one line", "check that each row has a line of its own")
ROW = Limit(LINE.most, "characters in one row", "check its quotes")
"""For a row of a CSV or TSV file, over all its lines."""
HEADER = Limit(1_000_000, "characters in the header", "check that its line ends")
UNPACKED = Limit(64 * 2**20, "characters, over 100 for each of its bytes", "unpack it yourself")
"""For the content of a gzip file. More is allowed if it is at most UNPACKED_RATIO characters per
packed byte."""
UNPACKED_RATIO = 100
WORKBOOK = Limit(2**28, "bytes when unpacked", "save it as CSV in UTF-8")
"""For all parts of an Excel workbook: its texts are held in memory while it is read."""
OFFSET = Limit(100_000, "tickets before what is asked for", "narrow the filters instead")


def id_fault(id: str) -> str:
    """The message for a text that cannot be a ticket's id, or "".

    Rankings and judgments are written in columns separated by blanks (TREC), so an id has no
    blanks. The id is also part of a page's address, and browsers and servers rewrite some parts of
    addresses.
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
    """Whether a text has no blanks that would split it into several columns (TREC)."""
    return len(text.split()) == 1 and text == text.strip()


_PARTING = frozenset(",;")
"""Separators of group names in a cell of a table, so no group's name may contain one."""


def half_fault(text: str) -> str:
    """The message for a text with an unpaired surrogate, which no store can keep, or ""."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"holds half a character ({text[error.start]!r}); repair or remove it"
    return ""


def without_halves(text: str) -> str:
    """The text with a question mark for each unpaired surrogate."""
    return text.encode(errors="replace").decode()


def ticket_fault(ticket: Ticket) -> tuple[str, str]:
    """The first invalid field of a ticket and its message; two empty strings for a valid ticket."""
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
    """Raises InputError for an invalid ticket."""
    field, fault = ticket_fault(ticket)
    if fault:
        raise InputError(f"The {field} of the ticket {ticket.id[:40]!r} {fault}.")


def usable_groups(names: Collection[str]) -> frozenset[str]:
    """Names of groups without surrounding blanks. Raises InputError for a name with a comma or
    semicolon, since these separate groups in tables, and for an empty or too long one."""
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
    """As `ticket_fault`, for a query. A query that is itself a ticket has a ticket's limits and
    passes."""
    if query.ticket_id:
        return "", ""
    texts = {
        "subject": (SUBJECT, [query.subject]),
        "description": (QUERY_TEXT, [query.description]),
    }
    return _first_fault(texts)


def require_query(query: Query) -> None:
    """Raises InputError for an invalid query."""
    field, fault = query_fault(query)
    if fault:
        raise InputError(f"The {field} {fault}.")


def depth_fault(value: object) -> str:
    """The message for lists and objects that are nested too deep, or ""."""
    level, depth = [value], 0
    while level:
        inner = [item for item in level if isinstance(item, list | dict)]
        level = [x for item in inner for x in (item if isinstance(item, list) else item.values())]
        depth += bool(inner)
        if depth > DEPTH.most:
            return TOO_DEEP
    return ""


def read_toml(text: str) -> dict[str, Any]:
    """Parse TOML. Raises ValueError for malformed text and for text that is nested too deep."""
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"it {TOO_DEEP}") from None
    if fault := depth_fault(table):
        raise ValueError(f"it {fault}")
    return table


def _written_out(text: str) -> int:
    """Number of characters after NFKC normalisation, if that is larger: a ligature may expand to
    18."""
    return max(len(text), 0 if text.isascii() else len(normalize("NFKC", text)))


def _first_fault(texts: Mapping[str, tuple[Limit, Sequence[str]]]) -> tuple[str, str]:
    for field, (limit, given) in texts.items():
        for text in given:
            if fault := limit.fault(_written_out(text)) or half_fault(text):
                return field, fault
    return "", ""
