"""Jobs in Elasticsearch."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Unpack
from uuid import uuid4

from ticketing.errors import StoreAway
from ticketing.files import Json
from ticketing.jobs import Job, JobKind, JobState, log_from_json, log_to_json
from ticketing.stores.elasticsearch.actions import creation, replacement, writing
from ticketing.stores.elasticsearch.connection import ConnectionPart
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.elasticsearch.records import of_kind
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
from ticketing.times import utc_now

_ATTEMPTS = 50
MOST_UNFINISHED = 10_000
"""Maximum number of unfinished jobs that are read, the default limit of a server's hits."""

_QUEUED = JobState.QUEUED
_TIMES = ("created", "heartbeat", "started", "finished")
_JSON = ("errors", "arguments", "result", "log")
"""Stored as text, since ids of tickets and other keys must not become field names."""


class ElasticsearchJobs(ConnectionPart, Jobs):
    """A record per job, written only if it has not changed since it was read."""

    def create_job(
        self,
        kind: JobKind,
        bundle_id: str,
        total: int,
        arguments: Json | None = None,
        by: str = "",
    ) -> Job:
        """A new job in state queued, or the unfinished one of the same kind and bundle.

        A job's id is derived from its kind, its bundle and the number of earlier ones, so two
        simultaneous requests create the same job. Kinds that may run side by side get random ids.
        """
        facts: Json = {"arguments": arguments or {}, "by": by}
        if kind.side_by_side:
            job = Job(uuid4().hex, kind, bundle_id, _QUEUED, total, 0, utc_now(), **facts)
            self.connection.write(RECORDS, creation(_key(job.id), _record(job)))
            return job
        number = self.connection.count(RECORDS, of_kind("job", *_same(kind, bundle_id)))
        for job in self._unfinished(*_same(kind, bundle_id)):
            return job
        for attempt in range(_ATTEMPTS):
            digest = hashlib.sha256(f"{kind}\0{bundle_id}\0{number + attempt}".encode())
            id = digest.hexdigest()[:32]
            job = Job(id, kind, bundle_id, _QUEUED, total, 0, utc_now(), **facts)
            if self.connection.write(RECORDS, creation(_key(job.id), _record(job))):
                return job
            existing = self.get_job(job.id)
            if existing and not existing.finished:
                return existing
        raise StoreAway(f"Others keep making jobs of kind {kind}; try again.")

    def put_job(self, job: Job) -> None:
        self.connection.write(RECORDS, writing(_key(job.id), _record(job)))

    def get_job(self, job_id: str) -> Job | None:
        found = self.connection.find(RECORDS, _key(job_id))
        return _job(found) if found else None

    def jobs(self, limit: int = 20, kind: JobKind | None = None, bundle_id: str = "") -> list[Job]:
        asked = {"name": kind, "bundle_id": bundle_id}
        given = [{"term": {field: value}} for field, value in asked.items() if value]
        return self._listed(of_kind("job", *given), limit)

    def unfinished_jobs(self) -> list[Job]:
        return self._unfinished()

    def update_job(self, job_id: str, **changes: Unpack[JobChanges]) -> Job:
        return self._change(job_id, lambda job: updated(job, changes))

    def request_cancel(self, job_id: str) -> Job:
        return self._change(job_id, to_be_cancelled)

    def reopen_job(self, job_id: str) -> Job:
        job = self.get_job(job_id)
        if job and not job.kind.side_by_side:
            for other in self._unfinished(*_same(job.kind, job.bundle_id)):
                if other.id != job_id:
                    raise another_job(job)
        return self._change(job_id, reopened)

    def _change(self, job_id: str, change: Callable[[Job], Job]) -> Job:
        key, changed = _key(job_id), None
        for _ in range(_ATTEMPTS):
            found = self.connection.find(RECORDS, key)
            if found is None:
                raise no_job(job_id)
            job = _job(found)
            if job == changed:
                return changed  # written, but the answer was lost
            changed = change(job)
            looked_at = changed.finished != job.finished  # other changes are read by id
            action = replacement(found, key, _record(changed))
            if changed == job or self.connection.write(RECORDS, action, refresh=looked_at):
                return changed
        raise StoreAway(f"Others keep changing the job {job_id}; try again.")

    def _unfinished(self, *conditions: Json) -> list[Job]:
        """Jobs that are unfinished now, newest first; the search itself may be outdated."""
        query = of_kind("job", {"bool": {"must_not": _FINISHED}}, *conditions)
        return [job for job in self._listed(query, MOST_UNFINISHED) if not job.finished]

    def _listed(self, query: Json, limit: int) -> list[Job]:
        """Jobs in their present state, newest first."""
        sort = [{"created": "desc"}, {"_seq_no": "desc"}]
        hits = self.connection.listed(RECORDS, sort, limit, query=query, source=False)
        found = self.connection.get(RECORDS, [hit["_id"] for hit in hits])
        return list(map(_job, found.values()))


def _same(kind: JobKind, bundle_id: str) -> list[Json]:
    """The conditions for jobs of a kind and a bundle."""
    return [{"term": {"name": kind}}, {"term": {"bundle_id": bundle_id}}]


_FINISHED = [{"exists": {"field": "finished"}}]


def _key(job_id: str) -> str:
    return f"job:{job_id}"


def _record(job: Job) -> Json:
    """A job as a document; `kind` is the document's kind, `name` the job's."""
    record = asdict(job) | {"kind": "job", "name": job.kind, "log": log_to_json(job.log)}
    record |= {part: json.dumps(record[part]) for part in _JSON}
    return record | {time: record[time] and record[time].isoformat() for time in _TIMES}


def _job(doc: Mapping[str, Any]) -> Job:
    try:
        return _read_job(doc)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise unreadable(doc["_id"].removeprefix(_key(""))) from None


def _read_job(doc: Mapping[str, Any]) -> Job:
    """The job of a document; documents of older programs lack some fields."""
    record = dict(doc["_source"])
    record |= {time: record[time] and datetime.fromisoformat(record[time]) for time in _TIMES}
    record |= {part: json.loads(record[part]) for part in _JSON if part in record}
    record["kind"], record["state"] = JobKind(record.pop("name")), JobState(record["state"])
    return Job(**record | {"log": log_from_json(record.get("log", []))})
