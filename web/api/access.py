"""Adds tokens, sessions and the scope of each operation to the OpenAPI document."""

import re
from typing import Any

from flask import current_app

from web.guard import NEEDED

SECURITY_SCHEMES = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token made under Account, or with `ticketing users token`.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "session",
        "description": "Cookie of a browser that signed in; over https its name is __Host-session.",
    },
}


def with_access(spec: Any) -> Any:
    """The OpenAPI document with authentication and the needed scope of each operation."""
    for rule in current_app.url_map.iter_rules():
        path = re.sub(r"<(?:[^:>]+:)?([^>]+)>", r"{\1}", rule.rule)
        for method in rule.methods or ():
            if operation := spec["paths"].get(path, {}).get(method.lower()):
                _secure(operation, NEEDED[rule.endpoint])
    return spec


def _secure(operation: dict[str, Any], scope: str) -> None:
    operation["security"] = [{"token": []}, {"session": []}]
    # APIFlask splits a sentence over two lines into a summary and a description.
    said = " ".join([operation["summary"], *operation.get("description", "").split()])
    operation |= {"summary": said, "description": f"{said} Scope: {scope}."}
