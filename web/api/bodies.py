"""A request's body is one JSON object that is not too deep, before anything else looks into it."""

from flask import request
from werkzeug.exceptions import BadRequest

from ticketing.limits import TOO_DEEP, depth_fault
from web.security import READING


def check_body() -> None:
    """Raises BadRequest for JSON that is no object or too deep; of what only reads, no body is
    read."""
    if request.method in READING or request.mimetype != "application/json":
        return
    try:
        body = request.get_json()
    except RecursionError:  # no reader of JSON goes this deep
        raise BadRequest(f"The body {TOO_DEEP}.") from None
    if not isinstance(body, dict):
        raise BadRequest("Send the body as one JSON object, such as {}.")
    if fault := depth_fault(body):
        raise BadRequest(f"The body {fault}.")
