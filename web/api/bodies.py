"""A request's body is one JSON object that is not too deep, before anything else looks into it; or
it is a file."""

from typing import Any

from flask import current_app, request
from werkzeug.exceptions import BadRequest

from ticketing.limits import TOO_DEEP, depth_fault
from web.security import READING
from web.uploads import FILE_IS_BODY, FILE_TYPE


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


def with_files(spec: Any) -> Any:
    """The OpenAPI document with the bodies that are files."""
    for rule in current_app.url_map.iter_rules():
        if rule.endpoint in FILE_IS_BODY:
            schema = {"type": "string", "format": "binary", "minLength": 1}
            body = {"description": "The file as it is.", "content": {FILE_TYPE: {"schema": schema}}}
            spec["paths"][rule.rule]["post"]["requestBody"] = body
    return spec
