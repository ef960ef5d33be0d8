"""Groups of commands: a list of commands says what each does in one whole sentence."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

import click

from ticketing.cli.waiting import shown_waiting


def first_sentence(command: click.Command) -> str:
    """The first sentence of a command's help, uncut."""
    text = " ".join((command.help or "").split("\n\n")[0].split())
    return text[: end + 1] if (end := text.find(". ")) >= 0 else text


class Group(click.Group):
    """A group of commands whose list does not cut sentences."""

    def says(self, ctx: click.Context, name: str) -> str:
        """The description of a command."""
        command = self.get_command(ctx, name)
        return first_sentence(command) if command else ""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.says(ctx, name)) for name in self.list_commands(ctx)])


class PluggedGroup(Group):
    """A group whose commands are the entry points of group `plugs`.

    A command's module is imported only when it is run; its description is taken from `sentences` if
    it is there.
    """

    def __init__(
        self, *args: Any, plugs: str, sentences: Mapping[str, str] | None = None, **kwargs: Any
    ):
        super().__init__(*args, **kwargs)
        self.plugs = plugs
        self.sentences = sentences or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands in alphabetical order."""
        return sorted(point.name for point in entry_points(group=self.plugs))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command with a name, or None."""
        points = entry_points(group=self.plugs, name=name)
        with shown_waiting("Starting"):
            return next(iter(points)).load() if points else None

    def says(self, ctx: click.Context, name: str) -> str:
        """The description of a command, without importing it if `sentences` has it."""
        return self.sentences.get(name) or super().says(ctx, name)
