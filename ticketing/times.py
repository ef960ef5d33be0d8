"""Points in time in naive UTC: now, and dates written by people and exports."""

import re
from calendar import month_abbr, month_name
from datetime import UTC, datetime, time, timedelta
from typing import Any

import numpy as np

from ticketing.errors import InputError

_DATE = re.compile(
    r"""(?:[a-z]{3,9},\ )?  # a day of the week
    (?: (?P<day>\d{1,2})[ /-](?P<name>[a-z]{3,9})[ /-](?P<year>\d{4}|\d{2})  # 25/Feb/13
      | (?P<name_>[a-z]{3,9})\ (?P<day_>\d{1,2}),\ (?P<year_>\d{4})  # February 25, 2013
      | (?P<day__>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year__>\d{4})  # 25.02.2013
      | (?P<year___>\d{4})/(?P<month_>\d{1,2})/(?P<day___>\d{1,2})  # 2013/02/25
    )(?!\d)""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
"""Date formats that are unambiguous."""
_MONTHS = {
    name.casefold(): number
    for names in (month_name, month_abbr)
    for number, name in enumerate(names)
    if name
}
_CLOCK = re.compile(r"(?<= )([0-9]{1,2})((?::[0-9]{2}){1,2})(?: ?([ap])m)?(?=$| )", re.IGNORECASE)
"""A time of day. The hour may have one digit, and AM or PM may follow: 1:17 PM."""
_ZONE = re.compile(r"(?<! ) *(?:(UTC|GMT)|([+-][0-9]{2}:?[0-9]{2}))$")
_MILLISECONDS_FROM = 100_000_000_000
_SECONDS_FROM = 100_000_000  # 1973
_SINCE_1970 = re.compile(r"(?:[0-9]{10}|[0-9]{13})(\.0)?")
"""Seconds or milliseconds in a cell of a table. A column of numbers with gaps is saved with decimal
points."""
_DAY = re.compile(r"[0-9]{8}(\.0)?")
"""A date like 20130225, also if it was saved as a decimal number."""
_LONGEST = 100
"""Longest date text in characters, in any format."""


def utc_now() -> datetime:
    """The present time in naive UTC."""
    return datetime.now(UTC).replace(tzinfo=None)


MEND_DATES = (
    "mend the dates and import again. Until then they set no other ticket’s age and are in no month"
    " of the topics."
)
"""Advice for tickets that are dated after tomorrow."""


def plausible_until() -> datetime:
    """The end of tomorrow in naive UTC. A later creation date is wrong; a fast clock or another
    time zone stays below."""
    return datetime.combine(utc_now().date() + timedelta(days=2), time.min)


def parse_time(value: Any, form: str = "") -> datetime | None:
    """Parse a time as naive UTC: ISO 8601 or another unambiguous format, or seconds (or
    milliseconds) since 1970. With `form` (as for strptime) only that format is accepted. Returns
    None for an empty value.

    A time without a zone is taken as UTC. Raises ValueError that says what was expected.
    """
    text = "" if value is None else str(value).strip()
    if not text:
        return None
    try:
        if len(text) > _LONGEST:
            raise ValueError(text)
        return naive_utc(datetime.strptime(text, form) if form else _parse(value, text))
    except (ValueError, OverflowError, OSError):
        wanted = f"{shown_form(form)!r}" if form else "2013-02-25 or 2013-02-25T13:17"
        raise ValueError(f"{repr(value)[:60]} is no date; write it as {wanted}") from None


def shown_form(form: str) -> str:
    """An example time in a format. Raises ValueError if no day can be read back from that
    format."""
    moment = datetime(2013, 2, 25, 13, 17)
    written = moment.strftime(form)
    if datetime.strptime(written, form).date() != moment.date():
        raise ValueError(form)
    return written


def _parse(value: Any, text: str) -> datetime:
    """A time in any of the formats; `text` is the value as text."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if _DAY.fullmatch(text):
        text = text.removesuffix(".0")
    elif is_number or _SINCE_1970.fullmatch(text):
        number = float(text)
        if not number >= _SECONDS_FROM:  # a year, or a spreadsheet's day number
            raise ValueError(text)
        return datetime.fromtimestamp(number / (1000 if number >= _MILLISECONDS_FROM else 1), UTC)
    return datetime.fromisoformat(_as_iso(text))


def _as_iso(text: str) -> str:
    """A date in ISO 8601; other text is returned unchanged."""
    text = _DATE.sub(_day, text, count=1) if _DATE.match(text) else text
    text = _ZONE.sub(lambda found: found[2] or "+00:00", text)
    return _CLOCK.sub(_clock, text)


def _day(found: re.Match[str]) -> str:
    part = {name.rstrip("_"): value for name, value in found.groupdict().items() if value}
    month = _MONTHS.get(part["name"].casefold(), 0) if "name" in part else int(part["month"])
    year = part["year"]
    century = "" if len(year) == 4 else "19" if year >= "69" else "20"  # POSIX rule for two digits
    return f"{century}{year}-{month:02}-{int(part['day']):02}"


def _clock(found: re.Match[str]) -> str:
    hour, rest, half = int(found[1]), found[2], found[3]
    if half and not 1 <= hour <= 12:
        return found[0]
    if half:
        hour = hour % 12 + 12 * (half in "pP")
    return f"{hour:02}{rest}"


def naive_utc(moment: datetime) -> datetime:
    """Convert `moment` to naive UTC; a naive one is returned unchanged."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def just_after(moment: datetime) -> datetime:
    """The next moment; the last one of the calendar has none and is returned unchanged."""
    return min(moment, datetime.max - datetime.resolution) + datetime.resolution


def shown_date(moment: datetime) -> str:
    """A time as people write it: only the day if it is midnight."""
    return str(moment).removesuffix(" 00:00:00")


def shown_period(since: datetime | None, before: datetime | None) -> str:
    """A period in words, such as "from 2013-02-25 on and before 2013-03-01"; "" without dates."""
    begins = f"from {shown_date(since)} on" if since else ""
    ends = f"before {shown_date(before)}" if before else ""
    return " and ".join(filter(None, (begins, ends)))


def require_period(since: datetime | None, before: datetime | None) -> None:
    """Raises InputError if no time can be both since the one date and before the other."""
    if since and before and since >= before:
        raise InputError(
            f"--since {shown_date(since)} and --before {shown_date(before)} exclude each other;"
            " give an earlier --since."
        )


def moment_of(created: datetime | None) -> int:
    """Microseconds since 1970 as in numpy's datetime64[us]; NaT for None."""
    return int(np.datetime64(created, "us").astype(np.int64))
