"""The components of queries and tickets: as tokens, and as word ids."""

from collections.abc import Sequence

from ticketing.encoders.protocol import Whole
from ticketing.model.settings import QUERY_FIELDS, TICKET_FIELDS, NetworkSettings
from ticketing.text import tokenize
from ticketing.tickets import Query, Ticket

Tokens = tuple[list[str], ...]
"""The components of a query or ticket as tokens, in the settings' order."""

Components = tuple[list[int], ...]
"""The components of a query or ticket as word ids; an empty list is missing."""


Fields = dict[str, list[str]]
"""Tokens of each text of a query or ticket, by component, before settings merge or drop
components."""


def query_tokens(fields: Fields, settings: NetworkSettings) -> Tokens:
    """A query's components as tokens, in the settings' order."""
    return _components(fields, settings.query_components)


def query_fields(query: Query) -> Fields:
    """The tokens of a query, in the order of `Query.text`."""
    return _fields(query, QUERY_FIELDS)


def ticket_tokens(fields: Fields, settings: NetworkSettings) -> Tokens:
    """A ticket's components as tokens, in the settings' order."""
    return _components(fields, settings.ticket_components)


def ticket_fields(ticket: Ticket) -> Fields:
    """The tokens of a ticket, in the order of `Ticket.text`."""
    return _fields(ticket, TICKET_FIELDS)


def kept_fields(ticket: Ticket, tokens: str) -> Fields:
    """The tokens of a ticket, from those kept by a store, one line per component. Tokens kept in
    one line, as formerly, are ignored and the ticket is tokenized again."""
    lines = tokens.split("\n")
    if len(lines) != len(TICKET_FIELDS):
        return ticket_fields(ticket)
    texts = [line.split(" ") if line else [] for line in lines]
    return dict(zip(TICKET_FIELDS, texts, strict=True))


def _fields(source: Query | Ticket, names: dict[str, str]) -> Fields:
    return {component: tokenize(getattr(source, name)) for component, name in names.items()}


def _components(fields: Fields, names: Sequence[str]) -> Tokens:
    return tuple([token for part in name.split("+") for token in fields[part]] for name in names)


def wholes(items: Sequence[Components]) -> list[Whole]:
    """For each present component, the range of texts read as one: subject and description together,
    a solution alone."""
    found: list[Whole] = []
    for item in items:
        first = len(found)
        both = sum(map(bool, item[:2])) if len(item) > 1 else 0
        found += [(first, first + both)] * both
        found += [(n, n + 1) for n in range(first + both, first + sum(map(bool, item)))]
    return found
