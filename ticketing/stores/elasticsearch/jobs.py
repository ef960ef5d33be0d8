"""The records of long work."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Unpack

from ticketing.errors import StoreAway
from ticketing.files import Json
from ticketing.stores.elasticsearch.connection import ConnectionPart, seen
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.job_changes import JobChanges, no_job, to_be_cancelled, updated
from ticketing.stores.protocols import Jobs
from ticketing.tickets import Job
from ticketing.times import utc_now

_ATTEMPTS = 50
_TIMES = ("created", "heartbeat", "started", "finished")


class ElasticsearchJobs(ConnectionPart, Jobs):
    """A record for each job, changed only as it was read."""

    def create_job(self, kind: str, bundle_id: str, total: int) -> Job:
        """A new job in state queued, or the unfinished one of the same kind and bundle.

        A job's id follows from its kind, its bundle and how many of these there were before, so
        two processes that ask at once make the same job.
        """
        same = [{"term": {"kind": "job"}}, {"term": {"name": kind}}]
        same.append({"term": {"bundle_id": bundle_id}})
        number = self.connection.count(RECORDS, {"bool": {"filter": same}})
        for job in self._listed({"bool": {"filter": same, "must_not": _FINISHED}}, limit=1):
            return job
        for attempt in range(_ATTEMPTS):
            digest = hashlib.sha256(f"{kind}\0{bundle_id}\0{number + attempt}".encode())
            job = Job(digest.hexdigest()[:32], kind, bundle_id, "queued", total, 0, utc_now())
            if self.connection.write(RECORDS, _key(job.id), _record(job), op_type="create"):
                return job
            existing = self.get_job(job.id)
            if existing and not existing.finished:
                return existing
        raise StoreAway(f"Others keep making jobs of kind {kind}; try again.")

    def put_job(self, job: Job) -> None:
        """Keep the record of a job that was made elsewhere; one that is here already stays."""
        self.connection.write(RECORDS, _key(job.id), _record(job), op_type="create")

    def get_job(self, job_id: str) -> Job | None:
        """The job's record."""
        found = self.connection.get(RECORDS, [_key(job_id)])
        return _job(found[_key(job_id)]) if found else None

    def jobs(self, limit: int = 20) -> list[Job]:
        """The latest jobs, newest first."""
        return self._listed({"term": {"kind": "job"}}, limit)

    def update_job(self, job_id: str, **changes: Unpack[JobChanges]) -> Job:
        """Change what is given and set the heartbeat, unless the job has finished."""
        return self._change(job_id, lambda job: updated(job, **changes))

    def request_cancel(self, job_id: str) -> Job:
        """Ask for an end; a job that has finished is left as it is."""
        return self._change(job_id, to_be_cancelled)

    def _change(self, job_id: str, change: Callable[[Job], Job]) -> Job:
        key = _key(job_id)
        for _ in range(_ATTEMPTS):
            found = self.connection.get(RECORDS, [key]).get(key)
            if found is None:
                raise no_job(job_id)
            job = _job(found)
            changed = change(job)
            if changed == job or self.connection.write(
                RECORDS, key, _record(changed), **seen(found)
            ):
                return changed
        raise StoreAway(f"Others keep changing the job {job_id}; try again.")

    def _listed(self, query: Json, limit: int) -> list[Job]:
        answer = self.connection.search(
            RECORDS, query=query, sort=[{"created": "desc"}], size=limit
        )
        return [_job(hit) for hit in answer["hits"]["hits"]]


_FINISHED = [{"exists": {"field": "finished"}}]


def _key(job_id: str) -> str:
    return f"job:{job_id}"


def _record(job: Job) -> Json:
    """A job as a document; `kind` is the document's own, `name` the job's. The ids of tickets in
    `errors` may hold anything, so they are no field names."""
    record = asdict(job) | {"kind": "job", "name": job.kind, "errors": json.dumps(job.errors)}
    return record | {time: record[time] and record[time].isoformat() for time in _TIMES}


def _job(doc: Mapping[str, Any]) -> Job:
    record = dict(doc["_source"])
    times = {time: record[time] and datetime.fromisoformat(record[time]) for time in _TIMES}
    kind, errors = record.pop("name"), json.loads(record["errors"])
    return Job(**record | times | {"kind": kind, "errors": errors})
