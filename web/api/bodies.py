"""Checks request bodies before they are parsed further: a JSON object that is not nested too deep,
or a file."""

import json
from typing import Any

from flask import current_app, request
from werkzeug.exceptions import BadRequest

from ticketing.limits import TOO_DEEP, depth_fault
from web.security import READING
from web.uploads import FILE_IS_BODY, FILE_TYPE


def check_body() -> None:
    """Raises BadRequest for JSON that is not an object or is nested too deep; bodies of reading
    methods are ignored."""
    if request.method in READING or request.mimetype != "application/json":
        return
    try:
        body = request.get_json()
    except RecursionError:  # nested too deep for the parser
        raise BadRequest(f"The body {TOO_DEEP}.") from None
    except BadRequest:
        raise BadRequest(_unreadable(request.get_data())) from None
    if not isinstance(body, dict):
        raise BadRequest("Send the body as one JSON object, such as {}.")
    if fault := depth_fault(body):
        raise BadRequest(f"The body {fault}.")


def _unreadable(body: bytes) -> str:
    """Why a body is not JSON, and where."""
    if request.headers.get("Content-Encoding"):
        return "The body cannot be read as it is compressed; send it as plain JSON."
    try:
        json.loads(body)
    except UnicodeDecodeError as error:
        return f"The body is not UTF-8 (byte {error.start + 1}); send it as UTF-8."
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        return f"The body is no JSON ({where}: {error.msg}); mend it there."
    except ValueError:
        return "The body has a number of too many digits; send it as a text."
    return "The body cannot be read; check that it is valid JSON."


def with_files(spec: Any) -> Any:
    """The OpenAPI document with bodies that are files."""
    for rule in current_app.url_map.iter_rules():
        if rule.endpoint in FILE_IS_BODY:
            schema = {"type": "string", "format": "binary", "minLength": 1}
            body = {
                "description": "The content of the file.",
                "content": {FILE_TYPE: {"schema": schema}},
            }
            spec["paths"][rule.rule]["post"]["requestBody"] = body
    return spec
