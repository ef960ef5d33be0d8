"""Jobs in SQLite."""

import json
import uuid
from collections.abc import Callable
from datetime import datetime
from sqlite3 import Connection, IntegrityError
from typing import Unpack

from ticketing.files import Json
from ticketing.jobs import Job, JobKind, JobState, log_from_json, log_to_json
from ticketing.stores.jobs import (
    JobChanges,
    Jobs,
    another_job,
    no_job,
    reopened,
    to_be_cancelled,
    unreadable,
    updated,
)
from ticketing.stores.sqlite.database import DatabasePart, Row
from ticketing.times import utc_now

COLUMNS = (
    "id, kind, bundle_id, state, total, done, created, heartbeat, started, finished,"
    " cancel_requested, errors, message, step, arguments, result, log, asked_by, attempts"
)
_PLACES = ", ".join("?" * (COLUMNS.count(",") + 1))
_UNFINISHED = "state IN ('queued', 'running', 'waiting')"


class SQLiteJobs(DatabasePart, Jobs):
    """A row per job."""

    def create_job(
        self,
        kind: JobKind,
        bundle_id: str,
        total: int,
        arguments: Json | None = None,
        by: str = "",
    ) -> Job:
        new = Job(
            *(uuid.uuid4().hex, kind, bundle_id, JobState.QUEUED, total, 0, utc_now()),
            arguments=arguments or {},
            by=by,
        )
        with self.database.writing() as connection:
            _insert(connection, new)
            [row] = connection.execute(
                f"SELECT {COLUMNS} FROM jobs WHERE id = ? OR"
                f" (kind = ? AND bundle_id = ? AND {_UNFINISHED}) ORDER BY id = ? DESC LIMIT 1",
                (new.id, kind, bundle_id, new.id),
            ).fetchall()
            return _job(row)

    def put_job(self, job: Job) -> None:
        with self.database.writing() as connection:
            try:
                connection.execute(
                    f"INSERT INTO jobs ({COLUMNS}) VALUES ({_PLACES})"
                    f" ON CONFLICT (id) DO UPDATE SET ({COLUMNS}) = ({_PLACES})",
                    _record(job) * 2,
                )
            except IntegrityError:  # `jobs_unfinished`
                raise another_job(job) from None

    def get_job(self, job_id: str) -> Job | None:
        rows = self.database.rows(f"SELECT {COLUMNS} FROM jobs WHERE id = ?", job_id)
        return _job(rows[0]) if rows else None

    def jobs(self, limit: int = 20, kind: JobKind | None = None, bundle_id: str = "") -> list[Job]:
        asked = {"kind": kind, "bundle_id": bundle_id}
        given = {column: value for column, value in asked.items() if value}
        condition = " AND ".join(["TRUE", *(f"{column} = ?" for column in given)])
        statement = f"SELECT {COLUMNS} FROM jobs WHERE {condition} ORDER BY number DESC LIMIT ?"
        return [_job(row) for row in self.database.rows(statement, *given.values(), limit)]

    def unfinished_jobs(self) -> list[Job]:
        statement = f"SELECT {COLUMNS} FROM jobs WHERE {_UNFINISHED} ORDER BY number DESC"
        return [_job(row) for row in self.database.rows(statement)]

    def update_job(self, job_id: str, **changes: Unpack[JobChanges]) -> Job:
        return self._change(job_id, lambda job: updated(job, changes))

    def request_cancel(self, job_id: str) -> Job:
        return self._change(job_id, to_be_cancelled)

    def reopen_job(self, job_id: str) -> Job:
        return self._change(job_id, reopened)

    def _change(self, job_id: str, change: Callable[[Job], Job]) -> Job:
        with self.database.writing() as connection:
            changed = change(_existing(connection, job_id))
            try:
                connection.execute(
                    f"UPDATE jobs SET ({COLUMNS}) = ({_PLACES}) WHERE id = ?",
                    (*_record(changed), job_id),
                )
            except IntegrityError:  # `jobs_unfinished`
                raise another_job(changed) from None
            return changed


def _insert(connection: Connection, job: Job) -> None:
    connection.execute(
        f"INSERT INTO jobs ({COLUMNS}) VALUES ({_PLACES}) ON CONFLICT DO NOTHING", _record(job)
    )


def _existing(connection: Connection, job_id: str) -> Job:
    row = connection.execute(f"SELECT {COLUMNS} FROM jobs WHERE id = ?", (job_id,)).fetchone()
    if row is None:
        raise no_job(job_id)
    return _job(row)


def _record(job: Job) -> Row:
    times = (job.created, job.heartbeat, job.started, job.finished)
    return (
        *(job.id, job.kind, job.bundle_id, job.state, job.total, job.done),
        *(time and time.isoformat() for time in times),
        *(job.cancel_requested, json.dumps(job.errors), job.message, job.step),
        *(json.dumps(part) for part in (job.arguments, job.result, log_to_json(job.log))),
        *(job.by, job.attempts),
    )


def _job(row: Row) -> Job:
    try:
        return read_job(row)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise unreadable(row[0]) from None


def read_job(row: Row) -> Job:
    """The job in a row with the columns `COLUMNS`. Raises various errors for a damaged one."""
    id, kind, bundle_id, state, total, done = row[:6]
    created, heartbeat, started, finished = (t and datetime.fromisoformat(t) for t in row[6:10])
    cancel_requested, errors, message, step, arguments, result, log, by, attempts = row[10:]
    return Job(
        id,
        JobKind(kind),
        bundle_id,
        JobState(state),
        total,
        done,
        created,
        heartbeat,
        started,
        finished,
        cancel_requested=bool(cancel_requested),
        errors=json.loads(errors),
        message=message,
        step=step,
        arguments=json.loads(arguments),
        result=json.loads(result),
        log=log_from_json(json.loads(log)),
        by=by,
        attempts=attempts,
    )
