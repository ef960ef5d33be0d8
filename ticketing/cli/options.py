"""Command-line options and value types shared by several commands."""

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from ticketing.files import require_target, require_target_folder
from ticketing.times import parse_time

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)


class _Target(click.ParamType):  # type: ignore[type-arg]  # click 8.1 takes no type here
    """A file to write. Raises InputError before any work if it cannot be written."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(value)
        require_target(path)
        return path


TARGET = _Target()


class _Folder(click.Path):
    """A folder for output files, existing or new; click itself accepts devices and pipes. Raises
    InputError as `_Target` does."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if os.path.exists(path) and not path.is_dir():
            self.fail(f"{path} is no folder; name one.", param, ctx)
        require_target_folder(path)
        return path


FOLDER = _Folder(path_type=Path, file_okay=False)


class _Date(click.ParamType):  # type: ignore[type-arg]  # click 8.1 takes no type here
    name = "date"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime | None:
        if isinstance(value, datetime):
            return value
        if not str(value).strip():  # as an unset variable is: no date would mean all of them
            self.fail("it is empty; give a date, or leave the option out", param, ctx)
        try:
            return parse_time(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


DATE = _Date()
DETACH = click.option(
    "--detach", is_flag=True, help="Leave the work to the workers, and return at once."
)
SYNONYMS = click.option(
    "--synonyms",
    "synonyms_file",
    type=FILE,
    help="Table of synonyms, with the columns word and synonym.",
)


def choose_overrides(example: str) -> Callable[[Command], Command]:
    """Decorator: add the option that changes settings, as `overrides`; the help shows an
    example."""
    return click.option(
        "--set",
        "overrides",
        multiple=True,
        metavar="NAME=VALUE",
        help=f"Change a setting, such as {example}; repeatable.",
    )
