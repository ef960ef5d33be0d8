"""Discards messages that are not from this program, with one log line, without ending the
worker."""

import logging
from base64 import b64decode
from typing import Any, Literal

from kombu.exceptions import KombuError
from kombu.transport import virtual
from kombu.utils.json import loads
from pydantic import BaseModel, Field, PositiveInt, ValidationError

from ticketing.errors import first_invalid
from worker.queues import QUEUES

log = logging.getLogger(__name__)

UNREADABLE = ValueError, TypeError, KeyError, AttributeError, RecursionError, KombuError
"""Exceptions for invalid JSON, or JSON that is not a message."""


class _Headers(BaseModel, strict=True):
    """The headers used by Celery, as `send_task` writes them."""

    task: str
    id: str
    root_id: str | None = None
    parent_id: str | None = None
    eta: None = None
    expires: None = None
    timelimit: list[PositiveInt | None] = Field([None, None], min_length=2, max_length=2)
    retries: int = Field(0, ge=0)
    group: None = None
    group_index: None = None
    shadow: None = None
    argsrepr: str = ""
    kwargsrepr: str = ""
    origin: str = ""
    lang: str = ""
    ignore_result: bool | None = None
    replaced_task_nesting: int = 0
    stamped_headers: None = None
    stamps: dict[str, str] | None = None


class _Place(BaseModel, strict=True):
    exchange: str
    routing_key: str


class _Properties(BaseModel, strict=True):
    delivery_tag: str
    delivery_info: _Place
    body_encoding: Literal["base64"]
    priority: int = 0
    correlation_id: str | None = None
    reply_to: str | None = None


class _Message(BaseModel, strict=True):
    body: str
    content_type: Literal["application/json"] = Field(alias="content-type")
    content_encoding: Literal["utf-8"] = Field(alias="content-encoding")
    headers: _Headers
    properties: _Properties


class _Body(BaseModel, strict=True):
    arguments: list[Any]
    named: dict[str, Any]
    embedded: dict[str, None]


def require_message(payload: Any) -> None:
    """Raises one of UNREADABLE for anything that is not a message of this program."""
    message = _Message.model_validate(payload)
    arguments, named, embedded = loads(b64decode(message.body, validate=True))
    _Body(arguments=arguments, named=named, embedded=embedded)


def discarded(place: str, error: Exception) -> None:
    """Log that a message was discarded, and why."""
    why = f"{type(error).__name__}: {error}"
    if isinstance(error, ValidationError):
        name, _, why = first_invalid(error)
        why = f"{name}: {why}"
    log.warning("discarded what is no message in %s (%.100s)", place, " ".join(why.split()))


class OnlyMessages(virtual.Transport):
    """A transport that passes only valid messages to a worker."""

    def _deliver(self, message: Any, queue: str | None) -> None:
        if queue in QUEUES:
            try:
                require_message(message)
            except UNREADABLE as error:
                discarded(queue, error)
                return
        super()._deliver(message, queue)
