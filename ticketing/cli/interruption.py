"""Ctrl-C and SIGTERM: one clean end of every command, from its first moment to its last."""

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
"""Commands that end in no other way: their interruption is no failure."""

INTERRUPTED = 130
"""Exit code of any other command that was interrupted, as shells give it."""

MOMENT = 0.05
"""Seconds until an interruption that was lost is raised again."""

SENTENCE = "Interrupted; what was finished is kept, run it again for the rest."

READING = ("backup", "evaluate", "recommend")
"""Commands that keep nothing of their own before their end."""

UNCHANGED = "Interrupted; nothing was changed."


class Interruption:
    """Whether Ctrl-C or SIGTERM came.

    The first is a KeyboardInterrupt in the main thread. While a module is being loaded it ends the
    process at once: a library's own code, called from there, may not bear an exception and would
    crash, and nothing is there yet to be put away. One more does not wait for the command either.
    """

    def __init__(self) -> None:
        self.came = False
        self._expected = sys.argv[1:2] and sys.argv[1] in UNTIL_INTERRUPTED

    def expect(self) -> None:
        """Meet both signals from now on."""
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
        """A hook for exceptions that nobody can catch, as in a finalizer: there an interruption
        is raised again, a moment later; others are reported."""

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
        """Say that the command is interrupted, unless that is its end; gives the exit code."""
        if not self._expected:
            with suppress(OSError, RuntimeError):
                print(f"{before}ticketing: {self._sentence()}", file=sys.stderr)
        return self._code()

    def _sentence(self) -> str:
        reads = sys.argv[1:2] and sys.argv[1] in READING
        return UNCHANGED if reads or "--dry-run" in sys.argv else SENTENCE

    def leave(self, code: int) -> NoReturn:
        """End the process with an exit code.

        What it had to do is done, so that no signal matters any more. An interrupted one leaves
        without Python's own end, in which a thread that is amid compiled code would crash;
        everything that the command opened is closed by now.
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
    """Whether a module is being loaded where a signal came."""
    while frame:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
