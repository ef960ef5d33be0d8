"""What people said to proposed categories: one event a line, only ever added to."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from filelock import FileLock

from ticketing.classification.taxonomy import normalise
from ticketing.errors import StoreError
from ticketing.times import parse_time


@dataclass(frozen=True)
class Verdict:
    """Whether a group is right for a normalised text."""

    text: str
    group: str
    right: bool


@dataclass(frozen=True)
class FeedbackEvent:
    """One answer to one proposal, or (`right` None) the same judge taking it back."""

    event_id: str
    subject: str
    group: str
    right: bool | None
    judge: str
    time: datetime
    model_id: str = ""


class FeedbackFile:
    """The events of a desk in a JSON Lines file."""

    def __init__(self, path: Path):
        self.path = path

    def add(self, event: FeedbackEvent) -> None:
        """Append an event, whole and on disk; the same `event_id` twice is once."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self.path}.lock"):
            if any(known.event_id == event.event_id for known in self.events()):
                return
            values = {**asdict(event), "time": event.time.isoformat()}
            with open(self.path, "ab") as file:
                file.truncate(self._whole())
                file.write(f"{json.dumps(values, ensure_ascii=False)}\n".encode())
                file.flush()
                os.fsync(file.fileno())

    def events(self) -> list[FeedbackEvent]:
        """All events, oldest first; a last line that a crash cut short is none.

        Raises StoreError naming any other line that is no event.
        """
        if not self.path.exists():
            return []
        lines = self.path.read_bytes()[: self._whole()].decode(errors="replace").splitlines()
        return [self._read(line, number) for number, line in enumerate(lines, 1)]

    def _whole(self) -> int:
        """Bytes up to the end of the last whole line."""
        return self.path.read_bytes().rfind(b"\n") + 1 if self.path.exists() else 0

    def _read(self, line: str, number: int) -> FeedbackEvent:
        try:
            values = json.loads(line)
            return FeedbackEvent(**{**values, "time": parse_time(values["time"])})
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(
                f"{self.path}:{number} is no event ({error}); restore the file from a backup or "
                "remove that line."
            ) from None

    def verdicts(self) -> list[Verdict]:
        """What the events come to."""
        return derive_verdicts(self.events())

    def answers(self, subject: str, judge: str) -> dict[str, bool]:
        """This judge's standing answers for a subject, by group."""
        latest = {
            event.group: event.right
            for event in self.events()
            if event.subject == subject and event.judge == judge
        }
        return {group: right for group, right in latest.items() if right is not None}


def derive_verdicts(events: Iterable[FeedbackEvent]) -> list[Verdict]:
    """The latest answer of each judge; where judges differ the majority, a tie being none."""
    latest: dict[tuple[str, str, str], bool | None] = {}
    for event in events:
        latest[normalise(event.subject), event.group, event.judge] = event.right
    votes: dict[tuple[str, str], int] = {}
    for (text, group, _), right in latest.items():
        if right is not None and text:
            votes[text, group] = votes.get((text, group), 0) + (1 if right else -1)
    return [Verdict(text, group, vote > 0) for (text, group), vote in votes.items() if vote]
