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

_SECRET = re.compile(r"(?:(?<=://)|\w*:(?!//))\S*@")
"""What stands before the host of an address: up to the last @ before a blank, as a password that is
not written as it should be may hold any other character."""


def masked(text: str) -> str:
    """A text whose addresses show no user and no password, also where they are malformed."""
    return _SECRET.sub(f"{MASK}@", text)


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
