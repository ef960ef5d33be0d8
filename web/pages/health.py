"""For monitoring: what is wrong with the desk, and whether this process is ready for requests."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from ticketing.errors import StoreError, TicketingError
from web.context import broker_trouble, sentence_of, served_desk

health_pages = Blueprint("health", __name__)


@health_pages.get("/healthz")
def healthz() -> ResponseReturnValue:
    """For monitoring: what is away, damaged or full, and serving bundles that could not be loaded.
    503 if the store is away, since nothing works without it."""
    away: dict[str, TicketingError] = {}
    found: dict[str, object] = {}
    if trouble := broker_trouble():
        away["broker"] = trouble
    try:
        found = {"bundle_id": served_desk().store.serving(), "trouble": _trouble() + _waited_for()}
    except StoreError as error:
        away["store"] = error
    state = "away" if "store" in away else "degraded" if away or found["trouble"] else "ok"
    sentences = {part: sentence_of(error) for part, error in away.items()}
    return {"status": state, "away": sentences, **found}, 503 if "store" in away else 200


@health_pages.get("/readyz")
def readyz() -> ResponseReturnValue:
    """Readiness of this process, for load balancers: what it lacks to answer. 503 if a serving
    bundle could not be loaded, or the store is away, lacks a part or answers no query."""
    try:
        _trouble()
        found = served_desk().readiness()
    except StoreError as error:
        return {"status": "waiting", "missing": [sentence_of(error)], "answering": {}}, 503
    state = "waiting" if not found.ready else "changing" if found.missing else "ready"
    answer = {"status": state, "missing": found.missing, "answering": found.answering}
    return answer, 200 if found.ready else 503


def _trouble() -> list[str]:
    """Sentences about what is damaged or full. Raises StoreError for a store that answers no
    query."""
    served_desk().store.count_tickets()  # for what it raises; not all may know how many
    return [sentence_of(said) for said in served_desk().trouble()]


def _waited_for() -> list[str]:
    """The serving bundles that could not be loaded, with reasons. Raises StoreError."""
    found = served_desk().readiness()
    return [] if found.ready else found.missing
