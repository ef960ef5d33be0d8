"""Secrets do not leave the program: passwords in addresses are masked in all that is shown.

A library may put an address of a server, with its password, into what it raises or logs.
`mask_output` lets no log line and no traceback of this process out with one; the errors of
this program mask what they show by `masked`.
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
"""What may be an address, or several: all between two blanks."""

_LAST_WORD = re.compile(r"(?<!\w)\w++\Z")
"""Where a user stands before the first colon."""


def masked(text: str) -> str:
    """A text whose addresses show no user and no password, also where they are malformed.

    What stands before the host goes, up to the last @ before a blank: a password that is not
    written as it should be may hold any other character. Each character is looked at a few times,
    however long the text is.
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
    """A log line without secrets, and so its traceback."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        if self.exc_info and self.exc_info[0]:
            self.exc_text = masked(logging.Formatter().formatException(self.exc_info))

    def getMessage(self) -> str:
        """The line with its values."""
        return masked(super().getMessage())


def mask_output() -> None:
    """Let every log line and every traceback of this process be masked."""
    logging.setLogRecordFactory(MaskedRecord)
    sys.excepthook = _show
    threading.excepthook = lambda args: _show(args.exc_type, args.exc_value, args.exc_traceback)


def _show(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    print(masked("".join(traceback.format_exception(kind, error, trace))), file=sys.stderr, end="")
