"""Ctrl-C and SIGTERM: ends every command cleanly, from its first moment to its last."""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

    Hook = Callable[[UnraisableHookArgs], object]

SIGNALS = (signal.SIGINT, signal.SIGTERM)

UNTIL_INTERRUPTED = ("demo", "serve", "work")
"""Commands that usually end in this way; their interruption is no failure."""

INTERRUPTED = 130
"""Exit code of any other interrupted command, as in shells."""

MOMENT = 0.05
"""Seconds after which a lost interruption is raised again."""

SENTENCE = "Interrupted; what was finished is kept, run it again for the rest."

READING = ("backup", "evaluate", "recommend")
"""Commands that hold no data of their own before their end."""

UNCHANGED = "Interrupted; nothing was changed."


class Interruption:
    """Handles Ctrl-C and SIGTERM.

    The first one raises KeyboardInterrupt in the main thread. While a module is being imported, it
    ends the process at once: an exception inside a library's import could crash it, and there is
    nothing to clean up yet. A second one also ends the process at once.
    """

    def __init__(self) -> None:
        self.came = False
        self._expected = sys.argv[1:2] and sys.argv[1] in UNTIL_INTERRUPTED

    def expect(self) -> None:
        """Handle both signals from now on."""
        for number in (*SIGNALS, signal.SIGALRM):
            signal.signal(number, self._meet)
        sys.unraisablehook = self._raise_later(sys.unraisablehook)

    def _meet(self, number: int, frame: FrameType | None) -> None:
        if self.came:
            os._exit(self._code())
        self.came = True
        if _is_loading(frame):
            self.leave(self.say(before="\n"))  # a bar's line is unfinished
        raise KeyboardInterrupt

    def _raise_later(self, report: "Hook") -> "Hook":
        """Hook for exceptions that cannot be caught, as in a finalizer: an interruption is raised
        again a moment later; others are reported."""

        def hook(unraisable: "UnraisableHookArgs") -> None:
            if unraisable.exc_type is KeyboardInterrupt:
                self.came = False
                signal.setitimer(signal.ITIMER_REAL, MOMENT)
            else:
                report(unraisable)

        return hook

    def _code(self) -> int:
        return 0 if self._expected else INTERRUPTED

    def say(self, before: str = "") -> int:
        """Print that the command was interrupted, unless that is its usual end; returns the exit
        code."""
        if not self._expected:
            with suppress(OSError, RuntimeError):
                print(f"{before}ticketing: {self._sentence()}", file=sys.stderr)
        return self._code()

    def _sentence(self) -> str:
        reads = sys.argv[1:2] and sys.argv[1] in READING
        return UNCHANGED if reads or "--dry-run" in sys.argv else SENTENCE

    def leave(self, code: int) -> NoReturn:
        """End the process with an exit code.

        All work is done, so signals no longer matter. An interrupted process skips Python's
        finalization, in which a thread inside compiled code would crash; everything that the
        command opened is closed by now.
        """
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        if not self.came:
            sys.exit(code)
        with suppress(OSError, RuntimeError):  # amid a write, which then stands as it is
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _is_loading(frame: FrameType | None) -> bool:
    """Whether a module was being imported when the signal came."""
    while frame:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
