"""Passwords in addresses are masked in all output.

A library may write the address of a server, with its password, into an exception or a log.
`mask_output` masks all log lines and tracebacks of this process; the program's own errors mask
addresses with `masked`.
"""

import logging
import re
import sys
import threading
import traceback
from types import TracebackType
from typing import Any

MASK = "***"

_ADDRESS = re.compile(r"\S++")
"""A run of text without blanks, which may hold one or several addresses."""

_LAST_WORD = re.compile(r"(?<!\w)\w++\Z")
"""The user's name, at the end of the text before the first colon."""


def masked(text: str) -> str:
    """Mask users and passwords of all addresses in a text, also of malformed ones.

    Everything before the host is removed, up to the last @ before a blank, because an unescaped
    password may contain any other character. Takes linear time.
    """
    return _ADDRESS.sub(_without_secret, text) if "@" in text else text


def _without_secret(found: re.Match[str]) -> str:
    before, at, host = found[0].rpartition("@")
    head, colon, secret = before.partition(":")
    if not (at and colon):
        return found[0]
    shown = f"{head}://" if secret.startswith("//") else _LAST_WORD.sub("", head)
    return f"{shown}{MASK}@{host}"


class MaskedRecord(logging.LogRecord):
    """A log record with passwords masked in its message and traceback."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        if self.exc_info and self.exc_info[0]:
            self.exc_text = masked(logging.Formatter().formatException(self.exc_info))

    def getMessage(self) -> str:
        """The formatted message, masked."""
        return masked(super().getMessage())


def mask_output() -> None:
    """Mask all log lines and tracebacks of this process from now on."""
    logging.setLogRecordFactory(MaskedRecord)
    sys.excepthook = _show
    threading.excepthook = lambda args: _show(args.exc_type, args.exc_value, args.exc_traceback)


def _show(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    print(masked("".join(traceback.format_exception(kind, error, trace))), file=sys.stderr, end="")
