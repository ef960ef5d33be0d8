"""The grades in a file: the scales known, and the values mapped by options."""

import re
from collections.abc import Iterable

from ticketing.errors import InputError
from ticketing.labels.columns import cell
from ticketing.tables import Row, whole
from ticketing.tickets import Grade

_WORDS = {"YES": Grade.YES, "REL": Grade.REL, "NO": Grade.NO}
_GAINS = {"2": Grade.YES, "1": Grade.REL, "0": Grade.NO}
_RATINGS = {"5": Grade.YES, "3": Grade.REL, "1": Grade.NO}
_NUMBER = re.compile(r"[+-]?[0-9]*[.,]?[0-9]+")


def read_grades(options: Iterable[str]) -> dict[str, Grade]:
    """The mapping from `VALUE=YES|REL|NO` options. Raises InputError for any other form."""
    grades = {}
    for option in options:
        value, _, name = option.rpartition("=")
        if not value or name.strip().upper() not in _WORDS:
            raise InputError(
                f"--grade {option} is not of the form VALUE=YES, VALUE=REL or VALUE=NO."
            )
        grades[value.strip().casefold()] = _WORDS[name.strip().upper()]
    return grades


def scale_of(rows: list[Row], column: str) -> dict[str, Grade]:
    """The grades of words and numbers in a column. A 1 is the lowest rating if a 3 or 5 occurs,
    otherwise a gain. Raises InputError for numbers on neither scale if known ones would be
    misread."""
    values = {whole(cell(row, column)) for row in rows}
    numbers = set(filter(_NUMBER.fullmatch, values))
    scale = next((known for known in (_GAINS, _RATINGS) if numbers <= known.keys()), None)
    if scale is None:
        shown = ", ".join(number[:20] for number in sorted(numbers)[:9])
        raise InputError(
            f"{rows[0].file} has the grades {shown}, which are on neither"
            " scale known here (2, 1, 0 and 5, 3, 1); map each by --grade, as --grade 3=YES."
        )
    return {word.casefold(): grade for word, grade in _WORDS.items()} | scale
