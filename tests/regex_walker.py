"""Matches regular expressions step by step, backtracking as `re` does, and counts the steps.

A step is a character or an alternative that is tried. It walks what `re` itself parses.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from re import _constants as op  # noqa: PLC2701
from re import _parser as parser  # noqa: PLC2701
from typing import Any

Then = Callable[[int], int]
"""Continues matching at a position; returns the end of the match, or FAIL."""

FAIL = -1
CATEGORIES = {
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
}
PLACES = {
    op.AT_BEGINNING: "^",
    op.AT_BEGINNING_STRING: r"\A",
    op.AT_END: "$",
    op.AT_END_STRING: r"\Z",
    op.AT_BOUNDARY: r"\b",
    op.AT_NON_BOUNDARY: r"\B",
}


class Walker:
    """Matches one pattern at a place of a text, step by step."""

    def __init__(self, pattern: re.Pattern[str]):
        self.flags = pattern.flags & ~re.UNICODE
        self.tree = parser.parse(pattern.pattern, self.flags)
        self.steps, self.text = 0, ""
        self.groups: dict[int, tuple[int, int]] = {}
        self.start = self.sequence(list(self.tree), self.flags)

    def at(self, text: str, place: int) -> int:
        """The end of the match that begins at a position, or FAIL."""
        self.text, self.groups = text, {}
        return self.start(place, lambda end: end)

    def sequence(self, items: Sequence[Any], flags: int) -> Callable[[int, Then], int]:
        nodes = [self.node(kind, value, flags) for kind, value in items]

        def match(place: int, then: Then, at: int = 0) -> int:
            if at == len(nodes):
                return then(place)
            return nodes[at](place, lambda end: match(end, then, at + 1))

        return match

    def node(self, kind: Any, value: Any, flags: int) -> Callable[[int, Then], int]:
        if single := character(kind, value, flags):
            return self.repeat(single, 1, 1, possessive=True)
        if kind in (op.MAX_REPEAT, op.POSSESSIVE_REPEAT):
            least, most, inner = value
            possessive = kind is op.POSSESSIVE_REPEAT
            if len(inner) == 1 and (single := character(*inner[0], flags)):
                return self.repeat(single, least, most, possessive)
            again = self.again_atomic if possessive else self.again
            return again(self.sequence(list(inner), flags), least, most)
        if kind is op.BRANCH:
            return self.branch([self.sequence(list(one), flags) for one in value[1]])
        if kind is op.SUBPATTERN:
            group, add, less, inner = value
            return self.group(group, self.sequence(list(inner), flags & ~less | add))
        if kind is op.ATOMIC_GROUP:
            return self.again_atomic(self.sequence(list(value), flags), 1, 1)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            direction, inner = value
            width = inner.getwidth()[0] if direction < 0 else 0
            return self.look(self.sequence(list(inner), flags), width, kind is op.ASSERT)
        if kind is op.AT:
            return self.place(re.compile(PLACES[value], flags))
        assert kind is op.GROUPREF, kind
        return self.same(value)

    def repeat(
        self, single: Callable[[str], bool], least: int, most: int, possessive: bool
    ) -> Callable[[int, Then], int]:
        def match(place: int, then: Then) -> int:
            last = min(len(self.text), place + most) if most != op.MAXREPEAT else len(self.text)
            end = place
            while end < last and single(self.text[end]):
                end += 1
            self.steps += end - place + 1
            shortest = end if possessive else place + least
            for stop in range(end, max(shortest, place + least) - 1, -1):
                self.steps += 1
                if (found := then(stop)) != FAIL:
                    return found
            return FAIL

        return match

    def again(
        self, inner: Callable[[int, Then], int], least: int, most: int
    ) -> Callable[[int, Then], int]:
        def match(place: int, then: Then, done: int = 0) -> int:
            self.steps += 1
            if done < most:
                found = inner(
                    place, lambda end: match(end, then, done + 1) if end > place else FAIL
                )
                if found != FAIL:
                    return found
            return then(place) if done >= least else FAIL

        return match

    def again_atomic(
        self, inner: Callable[[int, Then], int], least: int, most: int
    ) -> Callable[[int, Then], int]:
        def match(place: int, then: Then) -> int:
            done = 0
            while done < most and (end := inner(place, lambda end: end)) != FAIL:
                self.steps += 1
                done += 1
                if end == place:
                    break
                place = end
            return then(place) if done >= least else FAIL

        return match

    def branch(self, ways: Sequence[Callable[[int, Then], int]]) -> Callable[[int, Then], int]:
        def match(place: int, then: Then) -> int:
            for way in ways:
                self.steps += 1
                if (found := way(place, then)) != FAIL:
                    return found
            return FAIL

        return match

    def group(
        self, number: int | None, inner: Callable[[int, Then], int]
    ) -> Callable[[int, Then], int]:
        def match(place: int, then: Then) -> int:
            def after(end: int) -> int:
                if number is not None:
                    self.groups[number] = place, end
                return then(end)

            return inner(place, after)

        return match

    def look(
        self, inner: Callable[[int, Then], int], width: int, wanted: bool
    ) -> Callable[[int, Then], int]:
        def match(place: int, then: Then) -> int:
            self.steps += 1
            seen = place >= width and inner(place - width, lambda end: end) != FAIL
            return then(place) if seen == wanted else FAIL

        return match

    def place(self, where: re.Pattern[str]) -> Callable[[int, Then], int]:
        def match(place: int, then: Then) -> int:
            self.steps += 1
            return then(place) if where.match(self.text, place) else FAIL

        return match

    def same(self, number: int) -> Callable[[int, Then], int]:
        def match(place: int, then: Then) -> int:
            start, end = self.groups[number]
            self.steps += end - start
            said = self.text[start:end]
            return then(place + len(said)) if self.text.startswith(said, place) else FAIL

        return match


def character(kind: Any, value: Any, flags: int) -> Callable[[str], bool] | None:
    """A test whether a character matches the node; None if the node does not match single
    characters."""
    if kind is op.LITERAL:
        source = re.escape(chr(value))
    elif kind is op.NOT_LITERAL:
        source = f"[^{re.escape(chr(value))}]"
    elif kind is op.ANY:
        source = "."
    elif kind is op.IN:
        source = f"[{''.join(map(class_item, value))}]"
    else:
        return None
    return one_of(source, flags)


def class_item(item: tuple[Any, Any]) -> str:
    kind, value = item
    if kind is op.NEGATE:
        return "^"
    if kind is op.RANGE:
        return "-".join(re.escape(chr(bound)) for bound in value)
    return CATEGORIES[value] if kind is op.CATEGORY else re.escape(chr(value))


@cache
def one_of(source: str, flags: int) -> Callable[[str], bool]:
    found = re.compile(source, flags)
    return cache(lambda text: found.fullmatch(text) is not None)
