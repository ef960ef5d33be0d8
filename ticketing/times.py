"""Points in time, all in naive UTC: now, and those that people and exports write."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Any

import numpy as np

from ticketing.errors import InputError

_FORMATS = (
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%a, %d %b %Y %H:%M:%S %z",
)
_MILLISECONDS_FROM = 100_000_000_000
_SECONDS_FROM = 100_000_000  # 1973
_SINCE_1970 = re.compile("[0-9]{10}|[0-9]{13}")
"""In a table, whose cells are all text."""
_DAY = re.compile(r"[0-9]{8}(\.0)?")
"""As 20130225, also where it is written as a number, and a number with gaps has a point."""
_UTC = re.compile(r"(?<!\s)\s*(UTC|GMT)$")
_LONGEST = 100
"""Characters of a date, in whatever form."""


def utc_now() -> datetime:
    """Naive UTC."""
    return datetime.now(UTC).replace(tzinfo=None)


MEND_DATES = (
    "mend the dates and import again. Until then they set no other ticket’s age and are in no month"
    " of the topics."
)
"""What is said of tickets dated after tomorrow."""


def plausible_until() -> datetime:
    """The end of tomorrow, naive UTC: nothing is created later, whatever its date says. A clock
    that is ahead and a time of another zone stay below."""
    return datetime.combine(utc_now().date() + timedelta(days=2), time.min)


def parse_time(value: Any) -> datetime | None:
    """Naive UTC of an ISO 8601 text, an unambiguous other form, or seconds (or milliseconds) since
    1970; None for nothing. A time without a zone is taken as UTC.

    Raises ValueError saying what was expected.
    """
    if value is None or not str(value).strip():
        return None
    try:
        return naive_utc(_parse(value))
    except (ValueError, OverflowError, OSError):
        shown = repr(value)[:60]
        raise ValueError(
            f"{shown} is no date; write it as 2013-02-25 or 2013-02-25T13:17"
        ) from None


def _parse(value: Any) -> datetime:
    text = str(value).strip()
    if len(text) > _LONGEST:
        raise ValueError(text)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if _DAY.fullmatch(text):
        text = text.removesuffix(".0")
    elif is_number or _SINCE_1970.fullmatch(text):
        number = float(text)
        if not number >= _SECONDS_FROM:  # a year, or a day as a spreadsheet counts them
            raise ValueError(text)
        return datetime.fromtimestamp(number / (1000 if number >= _MILLISECONDS_FROM else 1), UTC)
    try:
        return datetime.fromisoformat(_UTC.sub("+00:00", text))
    except ValueError:
        pass
    for form in _FORMATS:
        try:
            return datetime.strptime(_UTC.sub(" +0000", text), form)
        except ValueError:
            continue
    raise ValueError(text)


def naive_utc(moment: datetime) -> datetime:
    """`moment` without its zone, in UTC; a naive one is returned as it is."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def shown_date(moment: datetime) -> str:
    """A moment as a person writes it: a day alone where it is midnight."""
    return str(moment).removesuffix(" 00:00:00")


def require_period(since: datetime | None, before: datetime | None) -> None:
    """Raises InputError where nothing can be from one date on and before the other."""
    if since and before and since >= before:
        raise InputError(
            f"--since {shown_date(since)} and --before {shown_date(before)} exclude each other;"
            " give an earlier --since."
        )


def moment_of(created: datetime | None) -> int:
    """A naive date as numpy's datetime64[us] has it, microseconds since 1970; NaT for none."""
    return int(np.datetime64(created, "us").astype(np.int64))
