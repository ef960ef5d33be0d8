"""Errors that a person can act on.

Every message is one sentence that says what was wrong, where, and what to do.
The command line prints it and exits with 1; the page and the API show it with
the status code of its class. Anything else that is raised is a defect.
"""

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


class NotReady(TicketingError):
    """Something that must exist first, such as a serving bundle, does not yet."""

    status = 409


class Conflict(TicketingError):
    """An id that something else has already."""

    status = 409


class BundleError(TicketingError):
    """A bundle that is truncated, foreign, of another kind or of another format version."""


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


def first_invalid(error: "ValidationError") -> tuple[str, Any, str]:
    """The first finding of pydantic: the field's name with dots, its value and what is expected."""
    found = error.errors()[0]
    return ".".join(map(str, found["loc"])), found["input"], found["msg"]
