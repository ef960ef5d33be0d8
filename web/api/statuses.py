"""Adds error responses to the OpenAPI document.

Errors that any operation may return are declared here once; those of one operation are declared
there.
"""

from typing import Any

Content = dict[str, dict[str, Any]]

EVERY_OPERATION = {
    400: "The request cannot be used as it is.",
    401: "Nobody is signed in, or the token is no longer good.",
    403: "You may not do this, or another site caused the request.",
    429: "There were too many requests; `Retry-After` says when to send the next.",
    503: "The store or the broker is away, or the store takes no writes.",
}
WITH_BODY = {
    413: "The body is too long.",
    415: "The body has another content type than is given here.",
}
NOT_FOUND = {404: "Something that the request names does not exist."}
CONFLICT = {409: "No model serves yet, or another event has this `event_id`."}
STATE = {409: "The state of the job or model does not allow this; the sentence says why."}
ERROR: Content = {"application/json": {"schema": {"$ref": "#/components/schemas/HTTPError"}}}
TICKET: Content = {"application/json": {"schema": {"$ref": "#/components/schemas/TicketOut"}}}
PUT_TICKET: dict[int | str, dict[str, str | Content]] = {
    201: {"description": "The ticket was added.", "content": TICKET},
    409: {"description": "The id cannot be used.", "content": ERROR},
}


def with_statuses(spec: Any) -> Any:
    """The OpenAPI document with the error responses of all operations."""
    for operations in spec["paths"].values():
        for operation in operations.values():
            refusals = EVERY_OPERATION
            if "requestBody" in operation:
                operation["requestBody"]["required"] = True
                refusals = refusals | WITH_BODY
            for status, description in refusals.items():
                said = {"description": description, "content": ERROR}
                operation["responses"].setdefault(str(status), said)
    return spec
