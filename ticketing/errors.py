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
    """What goes on and what waits until then, in a sentence."""


class InputError(TicketingError):
    """A file, field, option or request that cannot be used as it is."""

    status = 400


class NotFound(TicketingError):
    """A ticket, query, job or bundle that does not exist."""

    status = 404


class BundleAway(NotFound):
    """A bundle that is not on this machine yet: it is to be fetched from the store, or whoever has
    it has not put it there; the same call may succeed later, and here or elsewhere."""

    status = 503
    retry = True
    meanwhile = "It is fetched as soon as it can be had."


class EncoderAway(BundleAway):
    """The sentence encoder of a bundle is not in its folder on this machine."""

    meanwhile = "It is used again as soon as the encoder is there."


class NotReady(TicketingError):
    """Something that must exist first, such as a serving bundle, does not yet."""

    status = 409


class NothingServes(NotReady):
    """No bundle serves yet: the desk is new, or it is not the one that is meant."""


class Conflict(TicketingError):
    """An id that something else has already."""

    status = 409


class BundleError(TicketingError):
    """A bundle that is truncated, foreign or of another format version."""


class ArraysError(TicketingError):
    """A file of arrays that is missing, truncated or foreign."""


class StoreError(TicketingError):
    """The store refused or could not do what was asked."""

    status = 503


class StoreAway(StoreError):
    """The store does not answer; the same call may succeed later."""

    retry = True
    meanwhile = "Searching and judging wait for it; nothing that was stored is lost."


class StoreFull(StoreError):
    """The store can be read and takes no writes, as when its disk is full."""

    meanwhile = "Searching goes on; judgments and new tickets are refused until then."


class BrokerAway(TicketingError):
    """The server that carries jobs to the workers does not answer, or lets nobody in."""

    status = 503
    retry = True
    meanwhile = "Searching and judging go on; reindexing waits until it is back."


class BrokerFull(BrokerAway):
    """The folder that carries jobs to the workers takes none, as when its disk is full."""

    meanwhile = "Searching goes on; no job can be begun until then."


def first_invalid(error: "ValidationError") -> tuple[str, Any, str]:
    """The first finding of pydantic: the field's name with dots, its value and what is expected."""
    found = error.errors()[0]
    return ".".join(map(str, found["loc"])), found["input"], plainly(found["msg"])


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like one that is misspelt; nothing where none is like it."""
    return next(iter(get_close_matches(name, list(known), n=1)), "")


_PLAINLY = (
    (r"Value error, (.*)", r"\1"),
    (r"Input should be a valid integer\b.*", "give a whole number"),
    (r"Input should be a valid number\b.*", "give a number"),
    (r"Input should be a valid string", "give a text"),
    (r"Input should be a valid string, unable to.*", "this holds half a character; remove it"),
    (r"Input should be a valid (?:list|set|frozenset|tuple)", "give a list"),
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
    """A finding of pydantic in words that say what to do, without a full stop."""
    message = message.removesuffix(".")
    for theirs, ours in _PLAINLY:
        if found := re.fullmatch(theirs, message, re.DOTALL):
            return found.expand(ours)
    return message
