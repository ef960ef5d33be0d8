"""Counts the steps of a function on a text; the count depends only on the text.

A step is a character or an alternative that a regular expression tries, an executed line of Python,
or a character moved in Unicode normalisation. Regular expressions are run by a separate matcher
that backtracks like `re`; if its match differs from that of `re`, it fails.
"""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any
from unittest.mock import patch

from tests.regex_walker import FAIL, Walker


class Counted:
    """Replaces a pattern: gives the same results, and adds the steps."""

    def __init__(self, pattern: re.Pattern[str], add: Callable[[int], None]):
        self.pattern, self.add = pattern, add
        self.walker = walker(pattern)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        found = [*self.pattern.finditer(text)]
        self.walk(text, found, len(text) + 1)
        return iter(found)

    def findall(self, text: str) -> list[Any]:
        self.finditer(text)
        return self.pattern.findall(text)

    def sub(self, replacement: Any, text: str) -> str:
        self.finditer(text)
        return self.pattern.sub(replacement, text)

    def split(self, text: str) -> list[Any]:
        self.finditer(text)
        return self.pattern.split(text)

    def search(self, text: str) -> re.Match[str] | None:
        found = self.pattern.search(text)
        self.walk(text, [found] if found else [], found.start() if found else len(text) + 1)
        return found

    def match(self, text: str) -> re.Match[str] | None:
        found = self.pattern.match(text)
        self.walk(text, [found] if found else [], 0 if found else 1)
        return found

    def fullmatch(self, text: str) -> re.Match[str] | None:
        self.add(len(text))  # of the one pattern that is asked so, and that never backtracks
        return self.pattern.fullmatch(text)

    def walk(self, text: str, found: Sequence[re.Match[str]], stop: int) -> None:
        """Try all positions before `stop` outside of matches, as a search does."""
        place, before = 0, self.walker.steps
        for match in found:
            self.fail(text, place, match.start())
            assert self.walker.at(text, match.start()) == match.end(), (self.pattern, text, match)
            place = max(match.end(), match.start() + 1)
        self.fail(text, place, stop)
        self.add(self.walker.steps - before)

    def fail(self, text: str, start: int, stop: int) -> None:
        for place in range(start, stop):
            assert self.walker.at(text, place) == FAIL, (self.pattern, text, place)


@cache
def walker(pattern: re.Pattern[str]) -> Walker:
    return Walker(pattern)


class Work:
    """The steps so far."""

    def __init__(self) -> None:
        self.steps = 0

    def add(self, steps: int) -> None:
        self.steps += steps

    def counted(self, thing: Any) -> Any:
        """A counting replacement of a pattern, a table of patterns, or a function that returns
        one."""
        if isinstance(thing, re.Pattern):
            return Counted(thing, self.add)
        if isinstance(thing, tuple):
            return tuple(map(self.counted, thing))
        return thing

    def normalize(self, form: str, text: str) -> str:
        """As in unicodedata; marks are sorted by insertion sort."""
        classes: list[int] = []
        for number in map(unicodedata.combining, text):
            if not number:
                classes.clear()
            self.steps += 1 + sum(other > number for other in classes)
            classes.append(number)
        return _normalize(form, text)

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """Count executed lines of the program's own code."""
        if "/ticketing/" not in frame.f_code.co_filename:
            return None
        self.steps += 1
        return self.trace


_normalize = unicodedata.normalize


@contextmanager
def counting(modules: Sequence[ModuleType], made: Sequence[str] = ()) -> Iterator[Work]:
    """Count what is done meanwhile by the patterns of some modules, those that the functions
    `made` give included, by Unicode and by Python."""
    work = Work()
    replaced = [patch.object(unicodedata, "normalize", work.normalize)]
    for module in modules:
        for name, thing in vars(module).items():
            if name in made:
                pattern = work.counted(thing())
                replaced.append(patch.object(module, name, lambda pattern=pattern: pattern))
            elif isinstance(thing, re.Pattern | tuple):
                replaced.append(patch.object(module, name, work.counted(thing)))
    for one in replaced:
        one.start()
    before = sys.gettrace()
    sys.settrace(work.trace)
    try:
        yield work
    finally:
        sys.settrace(before)
        for one in replaced:
            one.stop()
