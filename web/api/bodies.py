"""A request's body is one JSON object, before anything else looks into it."""

from flask import request
from werkzeug.exceptions import BadRequest


def check_body() -> None:
    """Raises BadRequest for JSON that is no object or too deep."""
    if request.mimetype != "application/json":
        return
    try:
        body = request.get_json()
    except RecursionError:
        raise BadRequest("The body is too deep; flatten its lists and objects.") from None
    if not isinstance(body, dict):
        raise BadRequest("Send the body as one JSON object, such as {}.")
