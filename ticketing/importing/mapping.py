"""The mapping of an export's columns to the fields of a ticket."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from ticketing.errors import InputError, first_invalid
from ticketing.headers import guess_column
from ticketing.importing.survey import Survey
from ticketing.limits import read_toml
from ticketing.times import shown_form

FIELDS = ("id", "subject", "description", "solution", "product", "status", "created", "groups")
ALL_FIELDS = *FIELDS, "date_format", "mails", "comments"

_USUAL = {
    "id": "id key issue_key number ticket_id ticket_number issue_id case_number ticket ident",
    "subject": "subject summary title short_description headline",
    "description": "description body problem details text content question",
    "solution": "solution close_notes resolution_notes answer action",
    "product": "product project service application component",
    "status": "status state",
    "created": "created created_at opened_at created_on sys_created_on created_date opened date",
    "groups": "",  # never guessed: who may see a ticket is said
}
_USUAL_COMMENTS = {
    "column": "comments replies conversations answers notes",
    "text": "text body content message comment",
    "author": "who author user role from",
    "time": "time created created_at date",
}
_SECOND_CHOICE = "resolution"  # in trackers a state such as "Fixed", elsewhere a text


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Comments(_Table):
    """How to find the solution in a list of replies.

    `column` holds the list; the other names are keys of each reply. Replies of authors in
    `leave_out` do not count. `choose` selects the longest reply or joins all of them.
    """

    column: str
    text: str = ""
    author: str = ""
    time: str = ""
    leave_out: tuple[str, ...] = ("reporter",)
    choose: Literal["longest", "joined"] = "longest"


class Mapping(_Table):
    """The column of each field; None is guessed from usual names, an empty string means no column.

    `date_format` is the format (as for strptime) of `created` and of the replies' dates; if empty,
    any format of `parse_time`. With `mails`, greetings, signatures and heads of mails are left out
    of all texts (see `ticketing.mails`).
    """

    id: str | None = None
    subject: str | None = None
    description: str | None = None
    solution: str | None = None
    product: str | None = None
    status: str | None = None
    created: str | None = None
    groups: str | None = None
    date_format: str = ""
    mails: bool = False
    comments: Comments | None = None

    @field_validator("date_format")
    @classmethod
    def _can_be_read(cls, form: str) -> str:
        try:
            form and shown_form(form)
        except ValueError:
            raise ValueError("name day, month and year, as in %d/%m/%Y %H:%M") from None
        return form

    @field_validator("mails", mode="before")
    @classmethod
    def _yes_or_no(cls, said: object) -> object:
        if not isinstance(said, bool) and said not in ("yes", "no"):
            raise ValueError("write yes or no")
        return said

    @property
    def left_out(self) -> frozenset[str]:
        """The fields without a column: present tickets keep their values."""
        held = {name for name in FIELDS if getattr(self, name)}
        return frozenset(FIELDS) - held - ({"solution"} if self.comments else set())


def read_mapping(path: Path | None = None, overrides: Iterable[str] = ()) -> Mapping:
    """The mapping of a TOML file with `field=column` overrides on top.

    `comments.author=who` sets a key of the table [comments]. Raises InputError naming
    the file or option and what is wrong.
    """
    table: dict[str, Any] = {}
    if path is not None:
        try:
            table = read_toml(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}.") from None
        except ValueError as error:
            raise InputError(f"{path} is no TOML file: {error}.") from None
    said: dict[str, str] = {}
    for override in overrides:
        name = override.partition("=")[0].strip()
        if name in said:
            raise InputError(f"--map {said[name]} and --map {override} exclude each other.")
        said[name] = override
        _override(table, override)
    try:
        return Mapping.model_validate(table)
    except ValidationError as error:
        field, _, message = first_invalid(error)
        if field == "comments.column" and "column" not in table["comments"]:
            raise InputError(
                "The mapping has keys of replies and no column of replies; add --map"
                " comments.column=COLUMN."
            ) from None
        *some, last = Comments.model_fields if field.startswith("comments.") else ALL_FIELDS
        raise InputError(
            f"The mapping’s {field} cannot be used: {message}; its fields are {', '.join(some)} and"
            f" {last}."
        ) from None


def _override(table: dict[str, Any], override: str) -> None:
    field, equals, column = override.partition("=")
    if not equals:
        raise InputError(f"--map {override} is not of the form field=column.")
    name, dot, key = field.strip().partition(".")
    value: Any = column.strip()
    if not dot:
        table[name] = value
        return
    if key == "leave_out":
        value = [author.strip() for author in value.split(",") if author.strip()]
    inner = table.setdefault(name, {})
    if not isinstance(inner, dict):
        raise InputError(f"--map {override} sets a key of {name}, which is no table.")
    inner[key] = value


def complete(mapping: Mapping, survey: Survey) -> Mapping:
    """`mapping` with all open fields guessed from the file's columns. Then nothing is None, except
    `comments` if the file has none or a solution column was found.

    Raises InputError for a column that is missing or repeated in the file, and if no id or no text
    is found.
    """
    called = *survey.columns, *survey.repeated
    guesses = {name: guess_column(_USUAL[name], called) for name in FIELDS}
    given = {name: getattr(mapping, name) for name in FIELDS}
    fields = {name: guesses[name] if given[name] is None else given[name] for name in FIELDS}
    is_open = given["solution"] is None and not fields["solution"]
    if given["solution"] and mapping.comments:
        raise InputError(
            f"A solution is the column {given['solution']!r} or a reply among"
            f" {mapping.comments.column!r}, not both; map one of them."
        )
    comments = _complete_comments(mapping.comments, is_open, survey)
    if comments:
        fields["solution"] = ""
    elif is_open:
        fields["solution"] = guess_column(_SECOND_CHOICE, called)
    for name, column in fields.items():
        _require(column, survey.columns, name, survey)
    if not fields["id"]:
        raise _unmapped("id", survey)
    if not fields["subject"] and not fields["description"]:
        raise _unmapped("subject", survey)
    return mapping.model_copy(update={**fields, "comments": comments})


def _complete_comments(given: Comments | None, is_open: bool, survey: Survey) -> Comments | None:
    if given is None:
        column = guess_column(_USUAL_COMMENTS["column"], survey.lists)
        if not (is_open and column):
            return None
        given = Comments(column=column)
    if given.column not in survey.lists:
        raise InputError(
            f"{survey.path} has no list of replies in a column {given.column!r}; "
            f"its lists are: {', '.join(survey.lists) or 'none'}."
        )
    keys = survey.lists[given.column]
    named = {}
    for part in ("text", "author", "time"):
        named[part] = getattr(given, part) or guess_column(_USUAL_COMMENTS[part], keys)
        _require(named[part], keys, f"comments.{part}", survey)
    if not named["text"]:
        raise _unmapped("comments.text", survey, keys)
    return given.model_copy(update=named)


def _require(column: str, columns: Iterable[str], field: str, survey: Survey) -> None:
    if column in survey.repeated:
        raise InputError(
            f"{survey.path} has several columns {column!r}; name one of them with"
            f" --map {field}=COLUMN (it has: {', '.join(columns)})."
        )
    if column and column not in columns:
        raise InputError(
            f"{survey.path} has no column {column!r} for {field}; "
            f"it has: {', '.join(columns) or 'none'}."
        )


def _unmapped(field: str, survey: Survey, columns: Iterable[str] | None = None) -> InputError:
    names = ", ".join(survey.columns if columns is None else columns)
    return InputError(
        f"{survey.path} has no column that looks like {field}; name it with --map {field}=COLUMN "
        f"(it has: {names})."
    )
