"""Counts the table of OWASP's standard in asvs.md: `python docs/asvs.py`."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parent / "asvs.md"
STATES = ("met", "not met", "not applicable")

_ROW = re.compile(r"^\| (\d+)\.(\d+)\.(\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Requirement:
    """A row: the standard's number, what it is about, its state, and a test or a reason."""

    number: tuple[int, int, int]
    about: str
    state: str
    reason: str


def requirements() -> Iterator[Requirement]:
    """The rows of the page, in their order."""
    for *number, about, state, reason in _ROW.findall(PAGE.read_text(encoding="utf-8")):
        chapter, section, last = map(int, number)
        yield Requirement((chapter, section, last), about, state, reason)


def main() -> None:
    """Print a line a chapter and one for all."""
    counts: dict[object, Counter[str]] = {}
    for row in requirements():
        for key in (row.number[0], "all"):
            counts.setdefault(key, Counter())[row.state] += 1
    total = counts.pop("all")
    print(f"{'chapter':>8}" + "".join(f"{state:>16}" for state in STATES))
    for key, found in [*counts.items(), ("all", total)]:
        print(f"{key!s:>8}" + "".join(f"{found[state]:>16}" for state in STATES))


if __name__ == "__main__":
    main()
