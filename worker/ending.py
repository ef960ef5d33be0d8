"""The request to end: a flag shared by a worker and the process that does its work."""

from multiprocessing.sharedctypes import RawValue


class Ending:
    """Set once, by a signal handler; visible in all processes forked after it was created.

    Long work checks `asked` at each checkpoint and hands itself back if it is set.
    """

    def __init__(self) -> None:
        self._flag = RawValue("b", 0)  # no lock: a signal handler could deadlock

    def ask(self) -> None:
        """Request all processes to end at their next checkpoint."""
        self._flag.value = 1

    @property
    def asked(self) -> bool:
        """Whether the process should end."""
        return bool(self._flag.value)
