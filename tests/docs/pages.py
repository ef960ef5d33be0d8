"""The hand-written documents, cut into their code blocks."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])

_BLOCK = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(ticketing [a-z][^`]*)`")


@dataclass
class Step:
    """A command of a console block and what it prints."""

    command: str
    printed: str = ""


def blocks(page: Path, *languages: str) -> list[str]:
    """The text of a page's code blocks in the given languages, in order."""
    found = _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [text for language, text in found if language in languages]


def steps(page: Path) -> list[Step]:
    """The commands of a page's console blocks (`$ `, continued by `> `), with their output."""
    found: list[Step] = []
    for line in "".join(blocks(page, "console")).splitlines():
        if line.startswith("$ "):
            found.append(Step(line[2:]))
        elif line.startswith("> ") and not found[-1].printed:
            found[-1].command += "\n" + line[2:]
        else:
            found[-1].printed += line + "\n"
    return found


def command_lines(page: Path) -> list[list[str]]:
    """The arguments of every `ticketing` in the page's shell and console blocks."""
    lines = "".join(blocks(page, "sh")).replace("\\\n", " ").splitlines()
    lines += [step.command for step in steps(page)]
    return [
        shlex.split(words.rstrip("& "), comments=True)[1:]
        for line in lines
        for words in re.split(r" && ", line)
        if words.startswith("ticketing ")
    ]


def mentioned_commands(page: Path) -> list[list[str]]:
    """The words of every command that stands within a sentence, as `ticketing models list`."""
    return [text.split()[1:] for text in _INLINE.findall(page.read_text(encoding="utf-8"))]
