"""Errors that a person can act on.

Every message is one sentence that says what was wrong, where, and what to do.
The command line prints it and exits with 1; the page and the API show it with
the status code of its class. Anything else that is raised is a defect.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError


class TicketingError(Exception):
    """Base of all errors shown to a person."""

    status = 500
    """HTTP status with which the page and the API answer."""

    retry = False
    """Whether the same call may succeed later without any change."""

    meanwhile = ""
    """One sentence: what still works until then, and what waits."""


class InputError(TicketingError):
    """A file, field, option or request that cannot be used as it is."""

    status = 400


class NotFound(TicketingError):
    """A ticket, query, job or bundle that does not exist."""

    status = 404


class BundleAway(NotFound):
    """A bundle that is not on this machine yet: it must still be fetched from the store, or the
    machine that has it has not uploaded it yet. The same call may succeed later or on another
    machine."""

    status = 503
    retry = True
    meanwhile = "It is fetched as soon as it can be had."


class EncoderAway(BundleAway):
    """The sentence encoder of a bundle is not in its folder on this machine."""

    meanwhile = "It is used again as soon as the encoder is there."


class NotReady(TicketingError):
    """Something that must exist first, such as a serving bundle, does not yet."""

    status = 409


class NewDesk(NotReady):
    """There are no tickets or no bundle yet: the desk is new, or another desk was meant."""


class Conflict(TicketingError):
    """The id or resource is already taken by something else."""

    status = 409


class BundleError(TicketingError):
    """A bundle that is truncated, foreign or of another format version."""


class ArraysError(TicketingError):
    """An array file that is missing, truncated or foreign."""


class StoreError(TicketingError):
    """The store refused or could not do what was asked."""

    status = 503


class StoreAway(StoreError):
    """The store does not answer. The same call may succeed later."""

    retry = True
    meanwhile = "Searching and judging wait for it; nothing that was stored is lost."


class StoreFull(StoreError):
    """The store can be read but not written, for example because its disk is full."""

    meanwhile = "Searching goes on; judgments and new tickets are refused until then."


class BrokerAway(TicketingError):
    """The broker's server does not answer, or refuses the login."""

    status = 503
    retry = True
    meanwhile = "Searching and judging go on; reindexing waits until it is back."


class BrokerFull(BrokerAway):
    """The broker's folder cannot be written, for example because its disk is full."""

    meanwhile = "Searching goes on; no job can be begun until then."


def first_invalid(error: "ValidationError") -> tuple[str, Any, str]:
    """pydantic's first finding: the field's name with dots, its value, and what was expected."""
    found = error.errors()[0]
    return ".".join(map(str, found["loc"])), found["input"], plainly(found["msg"])


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most similar to a misspelt one, or "" if none is similar."""
    return next(iter(get_close_matches(name, list(known), n=1)), "")


_PLAINLY = (
    (r"Value error, (.*)", r"\1"),
    (r"Input should be a valid integer\b.*", "give a whole number"),
    (r"Input should be a valid number\b.*", "give a number"),
    (r"Input should be a valid string", "give a text"),
    (r"Input should be a valid string, unable to.*", "this holds half a character; remove it"),
    (r"Input should be a valid (?:list|set|frozenset|tuple)", 'give a list, such as ["a", "b"]'),
    (r"String should have at most (\d+) characters?", r"give \1 characters or fewer"),
    (r"Input should be a valid boolean\b.*", "give true or false"),
    (r"Input should be a valid dictionary\b.*", "give an object, such as {}"),
    (r"Input should be greater than or equal to (.*)", r"give \1 or more"),
    (r"Input should be less than or equal to (.*)", r"give \1 or less"),
    (r"Input should be (?:a valid )?(.*)", r"give \1"),
    (r"String should match pattern (.*)", r"give a text that matches \1"),
    (r"Field required", "this is missing"),
    (r"Extra inputs are not permitted", "nothing here is called that"),
)


def plainly(message: str) -> str:
    """pydantic's message reworded to say what to do, without a full stop."""
    message = message.removesuffix(".")
    for theirs, ours in _PLAINLY:
        if found := re.fullmatch(theirs, message, re.DOTALL):
            return found.expand(ours)
    return message
