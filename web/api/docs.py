"""The API page: all operations with their parameters, defaults, and an example to copy."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from web.uploads import FILE_TYPE

METHODS = ("get", "post", "put", "delete")

CHANGING = ("put", "delete")
MADE_UP = {"ticket_id": "T-1", "bundle_id": "MODEL"}

FILE = "tickets.csv"
"""The file in the examples."""

Spec = Mapping[str, Any]
"""A part of an OpenAPI document."""


@dataclass(frozen=True)
class Argument:
    """A parameter, or a field of a body; `where` is path, query or body."""

    name: str
    where: str
    schema: Spec
    required: bool
    default: str
    description: str


@dataclass(frozen=True)
class Example:
    """An example request; `file` is the file that it sends as the body, if any."""

    method: str
    address: str
    body: Mapping[str, Any] | None
    file: str

    def curl(self, host: str) -> str:
        """The curl command for it; `host` ends in a slash."""
        words = ["curl", f"'{host}{self.address.lstrip('/')}'"]
        if self.body is not None:
            sent = json.dumps(self.body, ensure_ascii=False).replace("'", "'\\''")
            words += ["-H 'Content-Type: application/json'", f"-d '{sent}'"]
        if self.file:
            words += [f"-H 'Content-Type: {FILE_TYPE}'", f"--data-binary @{self.file}"]
        if self.method not in ("GET", "POST"):
            words.insert(1, f"-X {self.method}")
        long = self.body or self.file
        return " \\\n  ".join([" ".join(words[:-1]), words[-1]]) if long else " ".join(words)


@dataclass(frozen=True)
class Operation:
    """One method at one path; `answer` is the schema of its response, if any."""

    method: str
    path: str
    summary: str
    arguments: tuple[Argument, ...]
    answer: Spec | None
    example: Example


def operations(spec: Spec, known: Mapping[str, object]) -> list[Operation]:
    """All operations of an OpenAPI document, path by path, in the order of the alphabet.

    `known` are values of this desk by name, for parameters without another example. Operations that
    put or delete a ticket or a model have MADE_UP ids, so that trying them out loses nothing.
    """
    return [
        _operation(spec, method, path, described, known)
        for path, methods in sorted(spec["paths"].items())
        for method, described in methods.items()
        if method in METHODS
    ]


def _operation(
    spec: Spec, method: str, path: str, described: Spec, known: Mapping[str, object]
) -> Operation:
    body = _body(spec, described)
    arguments = [
        _argument(given["name"], given["in"], given["schema"], given.get("required", False))
        for given in described.get("parameters", ())
    ]
    if body:
        required = body.get("required", ())
        arguments += [
            _argument(name, "body", field, name in required)
            for name, field in body["properties"].items()
        ]
    answers = [
        content["schema"]
        for status, response in described["responses"].items()
        if status.startswith("2")
        for content in response.get("content", {}).values()
        if content.get("schema")
    ]
    return Operation(
        method.upper(),
        path,
        described.get("description") or described.get("summary", ""),
        tuple(arguments),
        answers[0] if answers else None,
        Example(
            method.upper(),
            _address(path, arguments, {**known, **(MADE_UP if method in CHANGING else {})}),
            _body_example(body, known) if body else None,
            FILE if FILE_TYPE in _content(described) else "",
        ),
    )


def _body_example(body: Spec, known: Mapping[str, object]) -> Spec:
    """An example of the body; a judgment refers to a ticket of this desk."""
    given: Spec = body.get("examples", [{}])[0]
    return {**given, "ticket_id": known["ticket_id"]} if "ticket_id" in given else given


def _body(spec: Spec, described: Spec) -> Spec | None:
    for media_type, content in _content(described).items():
        if media_type != FILE_TYPE:
            name = content["schema"]["$ref"].rsplit("/", 1)[1]
            found: Spec = spec["components"]["schemas"][name]
            return found
    return None


def _content(described: Spec) -> Spec:
    """The possible bodies of an operation, by media type."""
    found: Spec = described.get("requestBody", {}).get("content", {})
    return found


def _argument(name: str, where: str, schema: Spec, required: bool) -> Argument:
    default = schema.get("default")
    said = json.dumps(default) if default not in (None, "") else ""
    return Argument(name, where, schema, required, said, schema.get("description", ""))


def _address(path: str, arguments: Sequence[Argument], known: Mapping[str, object]) -> str:
    """The path with values and the required query parameters."""
    given: dict[str, str] = {}
    for argument in arguments:
        if argument.where != "body" and argument.required:
            value = str(known.get(argument.name, argument.name))
            if argument.where == "path":
                path = path.replace(f"{{{argument.name}}}", quote(value))
            else:
                given[argument.name] = value
    return f"{path}?{urlencode(given, safe=',')}" if given else path
