"""The records of long work."""

import json
import uuid
from collections.abc import Callable
from datetime import datetime
from sqlite3 import Connection
from typing import Unpack

from ticketing.stores.job_changes import JobChanges, no_job, to_be_cancelled, updated
from ticketing.stores.protocols import Jobs
from ticketing.stores.sqlite.database import DatabasePart, Row
from ticketing.tickets import Job
from ticketing.times import utc_now

_COLUMNS = (
    "id, kind, bundle_id, state, total, done, created, heartbeat, started, finished,"
    " cancel_requested, errors, message"
)
_PLACES = ", ".join("?" * (_COLUMNS.count(",") + 1))
_UNFINISHED = "state IN ('queued', 'running')"


class SQLiteJobs(DatabasePart, Jobs):
    """A row for each job."""

    def create_job(self, kind: str, bundle_id: str, total: int) -> Job:
        """A new job in state queued, or the unfinished one of the same kind and bundle."""
        with self.database.writing() as connection:
            connection.execute(
                "INSERT INTO jobs (id, kind, bundle_id, state, total, done, created)"
                f" VALUES (?, ?, ?, 'queued', ?, 0, ?) ON CONFLICT (kind, bundle_id)"
                f" WHERE {_UNFINISHED} DO NOTHING",
                (uuid.uuid4().hex, kind, bundle_id, total, utc_now().isoformat()),
            )
            return _job(
                connection.execute(
                    f"SELECT {_COLUMNS} FROM jobs"
                    f" WHERE kind = ? AND bundle_id = ? AND {_UNFINISHED}",
                    (kind, bundle_id),
                ).fetchone()
            )

    def put_job(self, job: Job) -> None:
        """Keep the record of a job that was made elsewhere; one that is here already stays."""
        with self.database.writing() as connection:
            connection.execute(
                f"INSERT INTO jobs ({_COLUMNS}) VALUES ({_PLACES}) ON CONFLICT DO NOTHING",
                _record(job),
            )

    def get_job(self, job_id: str) -> Job | None:
        """The job's record."""
        rows = self.database.rows(f"SELECT {_COLUMNS} FROM jobs WHERE id = ?", job_id)
        return _job(rows[0]) if rows else None

    def jobs(self, limit: int = 20) -> list[Job]:
        """The latest jobs, newest first."""
        statement = f"SELECT {_COLUMNS} FROM jobs ORDER BY number DESC LIMIT ?"
        return [_job(row) for row in self.database.rows(statement, limit)]

    def update_job(self, job_id: str, **changes: Unpack[JobChanges]) -> Job:
        """Change what is given and set the heartbeat, unless the job has finished."""
        return self._change(job_id, lambda job: updated(job, **changes))

    def request_cancel(self, job_id: str) -> Job:
        """Ask for an end; a job that has finished is left as it is."""
        return self._change(job_id, to_be_cancelled)

    def _change(self, job_id: str, change: Callable[[Job], Job]) -> Job:
        with self.database.writing() as connection:
            changed = change(_existing(connection, job_id))
            connection.execute(
                f"UPDATE jobs SET ({_COLUMNS}) = ({_PLACES}) WHERE id = ?",
                (*_record(changed), job_id),
            )
            return changed


def _existing(connection: Connection, job_id: str) -> Job:
    row = connection.execute(f"SELECT {_COLUMNS} FROM jobs WHERE id = ?", (job_id,)).fetchone()
    if row is None:
        raise no_job(job_id)
    return _job(row)


def _record(job: Job) -> Row:
    times = (job.created, job.heartbeat, job.started, job.finished)
    return (
        *(job.id, job.kind, job.bundle_id, job.state, job.total, job.done),
        *(time and time.isoformat() for time in times),
        *(job.cancel_requested, json.dumps(job.errors), job.message),
    )


def _job(row: Row) -> Job:
    id, kind, bundle_id, state, total, done, *times, cancel_requested, errors, message = row
    created, heartbeat, started, finished = (t and datetime.fromisoformat(t) for t in times)
    return Job(
        id,
        kind,
        bundle_id,
        state,
        total,
        done,
        created,
        heartbeat,
        started,
        finished,
        bool(cancel_requested),
        json.loads(errors),
        message,
    )
