"""The components of queries and tickets: as tokens, and as word ids."""

from collections.abc import Sequence

from ticketing.model.settings import QUERY_FIELDS, TICKET_FIELDS, NetworkSettings
from ticketing.text import tokenize
from ticketing.tickets import Query, Ticket

Tokens = tuple[list[str], ...]
"""The components of a query or ticket as tokens, in the settings' order."""

Components = tuple[list[int], ...]
"""The same as word ids; an empty list is missing."""


def query_tokens(query: Query, settings: NetworkSettings) -> Tokens:
    """A query's components as tokens, in the settings' order."""
    return _components(query, settings.query_components, QUERY_FIELDS)


def ticket_tokens(ticket: Ticket, settings: NetworkSettings) -> Tokens:
    """A ticket's components as tokens, in the settings' order."""
    return _components(ticket, settings.ticket_components, TICKET_FIELDS)


def _components(source: Query | Ticket, names: Sequence[str], fields: dict[str, str]) -> Tokens:
    return tuple(
        [token for part in name.split("+") for token in tokenize(getattr(source, fields[part]))]
        for name in names
    )


def openings(items: Sequence[Components]) -> list[list[int]]:
    """What stands before each component of each item that is there: its subject before its
    description."""
    return [
        item[0] if place == 1 else [] for item in items for place, text in enumerate(item) if text
    ]
