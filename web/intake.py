"""Refuses requests with too long bodies as soon as their headers have arrived.

Waitress writes a long body to a file before the application can identify the sender. So the limit
is high only for addresses that take files, and very low for senders without a cookie or token
(which are verified later). All bodies together are limited too.
"""

import json
from typing import Any, Protocol

from markupsafe import Markup
from waitress.parser import HTTPRequestParser
from waitress.utilities import Error

from web.app import BODY_LIMIT
from web.context import API
from web.forms import STRANGERS_BYTES, size_in_words
from web.uploads import IMPORT_PATHS, UPLOAD_LIMIT, too_large_a_file
from web.views.marks import with_code

IMPORT_BYTES = UPLOAD_LIMIT + BODY_LIMIT
"""Maximum bytes of a body with a file, including the form around it."""

STEP = 2**20
"""Bytes of a body after which the sum of all bodies is checked again."""

RETRY_SECONDS = 60
"""Seconds after which to try again if all bodies together are too large."""


PAGE = Markup(
    """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>{code} · Ticketing</title>
  <link rel="stylesheet" href="/static/page.css">
</head>
<body>
  <main class="wrap">
    <div class="error">
      <p class="status">{code}</p>
      <h1>{sentence}</h1>
      <p><a class="button quiet" href="/">Ask a question</a></p>
    </div>
  </main>
</body>
</html>
"""
)
"""The page of `error.html` for requests refused before they reach the application."""


class Server(Protocol):
    """What a request needs of its server."""

    strangers: bool
    """Whether other machines or people can reach the server."""

    def is_full(self) -> bool:
        """Whether the bodies held have reached their total limit."""


class Refused(Error):  # type: ignore[misc]
    """A response that waitress sends without asking the application."""

    def __init__(self, code: int, reason: str, sentence: str, path: str, accepted: str):
        super().__init__(sentence)
        self.code, self.reason, self.path, self.accepted = code, reason, path, accepted

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        """The sentence: as JSON for programs, as a page for browsers, otherwise as plain text."""
        kind, said = "text/plain; charset=utf-8", f"{self.body}\n"
        if self.path.startswith(API):
            kind, said = "application/json", json.dumps({"error": self.body}) + "\n"
        elif "text/html" in self.accepted:
            kind = "text/html; charset=utf-8"
            said = PAGE.format(code=self.code, sentence=with_code(self.body))
        headers = [("Content-Type", kind)]
        if self.code == 503:
            headers.append(("Retry-After", str(RETRY_SECONDS)))
        return f"{self.code} {self.reason}", headers, said.encode()


class Request(HTTPRequestParser):  # type: ignore[misc]
    """A request that stops reading when its body, or all bodies together, are too long."""

    def __init__(self, adj: Any, server: Server):
        super().__init__(adj)
        self._server = server
        self._most, self._steps = STRANGERS_BYTES, 0

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the headers, and set the limit of the body."""
        super().parse_header(header_plus)
        shows_something = not self.headers.keys().isdisjoint({"COOKIE", "AUTHORIZATION"})
        if self._server.strangers and not shows_something:
            self._most = STRANGERS_BYTES
        elif self.command == "POST" and self.path in IMPORT_PATHS:
            self._most = IMPORT_BYTES
        else:
            self._most = BODY_LIMIT

    def received(self, data: bytes) -> int:
        """Take received data, and check the limits."""
        taken: int = super().received(data)
        if max(self.content_length, self.body_bytes_received) > self._most:
            self._refuse(413, "Request Entity Too Large", self._too_much())
        elif self.body_bytes_received // STEP > self._steps:
            self._steps = self.body_bytes_received // STEP
            if self._server.is_full():
                self._refuse(
                    503, "Service Unavailable", "Too much is being sent here just now; try again."
                )
        return taken

    def _too_much(self) -> str:
        if self._most == IMPORT_BYTES:
            return too_large_a_file()
        size = size_in_words(self._most)
        if self._most == STRANGERS_BYTES:
            return f"Sign in first, or send a token; else at most {size} can be sent at once."
        return f"That is too much text; at most {size} can be sent at once."

    def _refuse(self, code: int, reason: str, sentence: str) -> None:
        self.error = Refused(code, reason, sentence, self.path, self.headers.get("ACCEPT", ""))
        self.completed, self.expect_continue = True, False
