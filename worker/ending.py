"""Being asked to end: a flag that a worker shares with the process that does its work."""

from multiprocessing.sharedctypes import RawValue


class Ending:
    """Set once, by a signal's handler; seen by every process forked after it was made.

    Work that takes long asks `asked` at each checkpoint, and hands itself back where it is so.
    """

    def __init__(self) -> None:
        self._flag = RawValue("b", 0)  # no lock: a handler may run while anybody holds one

    def ask(self) -> None:
        """Ask all of them to end at their next checkpoint."""
        self._flag.value = 1

    @property
    def asked(self) -> bool:
        """Whether the process is to end."""
        return bool(self._flag.value)
