"""Jobs in words: state, duration, counts and results."""

from collections.abc import Mapping
from typing import Any

from ticketing.jobs import Job, JobKind, JobState, Promotion
from ticketing.plurals import counted
from worker.progress import UNITS

COUNTS = ("added", "changed", "unchanged", "rejected")
"""Counts of an import."""

PROMOTIONS = {
    Promotion.RULE: "It serves unless it loses",
    Promotion.ASK: "It waits for an admin’s yes",
    Promotion.NEVER: "It does not serve",
}
"""The options in words."""


def state_words(job: Job) -> str:
    """The state of a job in a word or two."""
    if job.cancel_requested and not job.state.final:
        return "cancelling"
    if job.state == JobState.WAITING:
        return "waiting for a yes"
    return job.step if job.state == JobState.RUNNING and job.step else job.state


def unit(job: Job) -> str:
    """The unit of a job's counts."""
    return UNITS[job.kind]


def took(job: Job) -> float | None:
    """Seconds from the beginning to the end of a finished job."""
    if not job.started or not job.finished:
        return None
    return (job.finished - job.started).total_seconds()


UNSAID = ("files", "groups")
"""Arguments shown in another way or not at all: files by their names; the groups are those of the
person, not of the tickets."""


def asked(job: Job) -> dict[str, str]:
    """The arguments of a job by name, without those left at their defaults."""
    given = {name: value for name, value in job.arguments.items() if name not in UNSAID}
    if "promotion" in given:
        given["promotion"] = PROMOTIONS[Promotion(given["promotion"])]
    files = {file["name"]: _file(file) for file in job.arguments.get("files", ())}
    return {name: said(value) for name, value in given.items() if not _is_nothing(value)} | files


def _file(file: Mapping[str, Any]) -> str:
    """The number of rows of a file, and the fields read from its columns."""
    fields = {field: column for field, column in file["mapping"].items() if column}
    return f"{counted(file['rows'], 'row')}; {said(fields)}"


def said(value: object) -> str:
    """A JSON value as text for people."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {said(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(said, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value) or '""'


def _is_nothing(value: object) -> bool:
    return value is None or value in ("", [], {})


def changes(job: Job) -> list[str]:
    """Results of a job, one sentence each, beside its message."""
    found = job.result
    if job.kind == JobKind.IMPORT and "added" in found and job.state != JobState.DONE:
        counts = [f"{found[name]:,} {name}" for name in COUNTS if name in found]
        return [
            f"{'Checked' if job.arguments.get('check_only') else 'Tickets'}: {', '.join(counts)}."
        ]
    if job.kind == JobKind.TRAINING and "bundle" in found:
        learned = f"{counted(found['tickets'], 'ticket')} and {counted(found['labels'], 'label')}"
        return [f"Made model {found['bundle']} of {learned}."]
    if answer := found.get("answer"):
        return [f"{found['answered_by']} said {answer}."]
    return []
