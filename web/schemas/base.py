"""The base of all that programs and forms send: models, dates, whole numbers and flags."""

from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from ticketing.times import naive_utc


def readable_time(given: object) -> datetime:
    """A date or a time of ISO 8601 as naive UTC; one that names no zone is taken as UTC, and one
    that its zone moves out of the calendar as the calendar's first or last moment.

    Raises ValueError in words a person can act on.
    """
    try:
        time = datetime.fromisoformat(str(given))
    except ValueError:
        raise ValueError(
            f"{str(given)[:30]!r} is no date; write one as 2013-05-31, or with a time as "
            "2013-05-31T14:30"
        ) from None
    try:
        return naive_utc(time)
    except OverflowError:
        return datetime.min if time.year == datetime.min.year else datetime.max


def whole(given: object) -> object:
    """A number of JSON without a fraction as an integer: 3.0 is 3."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


def _none_if_empty(given: object) -> object:
    return None if given == "" else given


_FLAGS = {"": False, "false": False, "true": True, "yes": True}


def _flag(given: object) -> object:
    """Addresses and forms send texts."""
    return _FLAGS.get(given, given) if isinstance(given, str) else given


WHOLE = BeforeValidator(whole)
Moment = Annotated[datetime, BeforeValidator(readable_time)]
MaybeMoment = Annotated[
    Moment | None,
    BeforeValidator(_none_if_empty),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "format": "date-time"},
                {"type": "string", "maxLength": 0},
                {"type": "null"},
            ]
        }
    ),
]
"""None may be written as an empty text, as a form sends it."""


Flag = Annotated[
    bool,
    Field(strict=True),
    BeforeValidator(_flag),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"type": "string", "enum": [*_FLAGS]}]}),
]


def _stripped(given: object) -> object:
    """Texts without all that is white space to Python at their ends, as the forms and imports strip
    them: pydantic leaves four characters (U+001C to U+001F)."""
    if isinstance(given, list):
        return [_stripped(one) for one in given]
    return given.strip() if type(given) is str else given


class In(BaseModel):
    """What a program sends: nothing that is not known, and texts without white space at their
    ends."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    AS_TYPED: ClassVar[frozenset[str]] = frozenset()
    """Fields whose white space counts."""

    @field_validator("*")
    @classmethod
    def _strip(cls, given: object, info: ValidationInfo) -> object:
        return given if info.field_name in cls.AS_TYPED else _stripped(given)


class Body(In):
    """A JSON object, whose types count: "1" is no number, and neither is true."""

    model_config = ConfigDict(strict=True)
