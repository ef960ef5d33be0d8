"""Reads verdicts on categories from the JSON Lines file used before stores kept them."""

import json
from pathlib import Path

from ticketing.errors import StoreError
from ticketing.tickets import Verdict
from ticketing.times import parse_time


def read_feedback(path: Path) -> list[Verdict]:
    """All events of a file, oldest first; an incomplete last line, as left by a crash, is ignored.

    Raises StoreError naming any other line that is not an event.
    """
    lines = path.read_bytes().split(b"\n")[:-1]
    return [_event(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]


def _event(line: bytes, where: str) -> Verdict:
    try:
        said = json.loads(line)
        time = parse_time(said["time"])
        if time is None:
            raise ValueError("it has no time")
        fields = said["event_id"], said["subject"], said["group"], said["right"], said["judge"]
        return Verdict(*fields, time, said["model_id"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise StoreError(
            f"{where} is no event ({error!r}); restore the file from a backup or remove that line."
        ) from None
