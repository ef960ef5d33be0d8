"""A cache of what is computed from short texts."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Remembered(dict[str, T]):
    """Values computed from texts, those of short ones cached in this dict, so that a lookup runs no
    Python code. At `most` values it is emptied; `longest` is the length of a text that is cached.
    """

    def __init__(self, compute: Callable[[str], T], most: int, longest: int):
        super().__init__()
        self.most, self.longest = most, longest
        self._compute = compute

    def __missing__(self, text: str) -> T:
        value = self._compute(text)
        if len(text) <= self.longest:
            if len(self) >= self.most:
                self.clear()
            self[text] = value
        return value
