"""What is no message of ours is discarded with one line, and ends no worker."""

import logging

from kombu.exceptions import KombuError

log = logging.getLogger(__name__)

UNREADABLE = ValueError, TypeError, KeyError, AttributeError, RecursionError, KombuError
"""What is raised by JSON that is none, or that describes no message."""


def discarded(place: str, error: Exception) -> None:
    """Say that a message was discarded, and why."""
    why = type(error).__name__
    log.warning("discarded what is no message in %s (%s: %.80s)", place, why, error)
