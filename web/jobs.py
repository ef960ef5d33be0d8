"""Operations on jobs shared by page and API, with permissions and audit."""

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time
from typing import Any

from celery import Celery
from flask import current_app

from ticketing.desk.import_work import FIRST_READ, REJECTS
from ticketing.errors import NotFound, NotReady
from ticketing.history import Deed
from ticketing.jobs import Job, JobKind, Promotion
from ticketing.people import Permission
from ticketing.schedule import Schedule
from web.context import audit, current_actor, current_desk, current_person, served_desk
from web.guard import require
from web.schemas.jobs import ScheduleIn
from worker import jobs
from worker.importing import start_import

BEGINS = {
    JobKind.TRAINING: Permission.TRAIN,
    JobKind.EVALUATION: Permission.EVALUATE,
    JobKind.IMPORT: Permission.IMPORT,
    JobKind.REINDEX: Permission.PROMOTE,
    JobKind.PROMOTION: Permission.PROMOTE,
}
"""The permission to start a job of each kind; it also allows cancelling and retrying."""

FIRST_LINES = 10
"""Number of lines of a report shown on a page."""

_comparing = threading.Lock()


def broker() -> Celery:
    """The Celery app that sends work to the workers."""
    app: Celery = current_app.extensions["broker"]
    return app


def known_job(job_id: str) -> Job:
    """A job by its id. Raises NotFound."""
    job = current_desk().store.get_job(job_id)
    if job is None:
        raise NotFound(f"There is no job {job_id}; the page Jobs lists those there are.")
    return job


def open_promotions() -> list[Promotion]:
    """The promotion options open to the person; those who may not promote leave the decision to
    others."""
    may = current_person().may(Permission.PROMOTE)
    return [choice for choice in Promotion if choice != Promotion.RULE or may]


def usual_settings() -> list[str]:
    """The settings that a new training inherits, for people who may start one."""
    may = current_person().may(Permission.TRAIN)
    return served_desk().usual_settings_named() if may else []


def train(promotion: Promotion, before: datetime | None = None) -> Job:
    """Start a training with the serving model's settings. Raises Forbidden for a promotion option
    that is not open to the person, NotReady, BrokerAway."""
    if promotion == Promotion.RULE:
        require(current_person(), Permission.PROMOTE)
    desk = served_desk()
    arguments = desk.training_arguments(before=before, promotion=promotion)
    return _begun(jobs.start_training(desk, broker(), arguments, current_person().name))


def evaluate(bundle_id: str, other: str = "") -> Job:
    """Start an evaluation of a model, optionally with another one. Raises NotFound, BundleError,
    InputError for a model that does not rank, BrokerAway."""
    desk = served_desk()
    arguments = desk.evaluation_arguments(bundle_id, other)
    return _begun(jobs.start_evaluation(desk, broker(), arguments, current_person().name))


def compare(new: str, old: str) -> Any:
    """Compare two models on the test queries, by the visible tickets. This may block a thread of
    the page for half a minute, so only one comparison runs at a time. Raises NotFound, NotReady."""
    if not _comparing.acquire(blocking=False):
        raise NotReady("Two models are being compared just now; try again in a minute.")
    try:
        return current_desk().compare(new, old)
    finally:
        _comparing.release()


def import_(name: str, chunks: Iterable[bytes], columns: Sequence[str], check_only: bool) -> Job:
    """Keep a file and start its import, or a check of it. Raises InputError, BrokerAway."""
    desk = served_desk()
    arguments = current_desk().upload_arguments(name, chunks, columns, check_only)
    if not check_only:
        audit(Deed.IMPORTED, f"tickets of {arguments['files'][0]['name']}")
    return _begun(start_import(desk, broker(), arguments, current_person().name))


def report(job: Job, name: str) -> Iterator[bytes]:
    """The chunks of a file that a job has kept. Raises NotFound."""
    if name not in reports(job):
        raise NotFound(f"The job {job.id} has no report {name} that you may open.")
    return served_desk().store.file_chunks(f"report/{job.id}/{name}")


def reports(job: Job) -> list[str]:
    """Names of the files that a job has kept. None for people who may not see all tickets, since
    the files may contain others, except for their own imports."""
    if not current_desk().sees_all() and not job.imports_for(current_person().name):
        return []
    prefix = f"report/{job.id}/"
    return [file.name.removeprefix(prefix) for file in served_desk().store.files(prefix)]


def first_rejects(job: Job) -> list[Any]:
    """The first rows that an import left out: file, line, field and reason; empty for people who
    may not read that report."""
    return _first_lines(job, REJECTS)


def first_read(job: Job) -> list[Any]:
    """The first tickets as a check of an import read them; empty for people who may not read that
    report."""
    return _first_lines(job, FIRST_READ)


def _first_lines(job: Job, name: str) -> list[Any]:
    if not current_person().may(Permission.EVALUATE) or name not in reports(job):
        return []
    read = b""
    for chunk in report(job, name):
        read += chunk
        if read.count(b"\n") >= FIRST_LINES:
            break
    return [json.loads(line) for line in read.splitlines()[:FIRST_LINES]]


def reindex(bundle_id: str, promotion: Promotion) -> Job:
    """Start encoding all tickets with a model, which is then promoted. Raises NotFound,
    BundleError, InputError for a model that does not rank, BrokerAway."""
    desk = served_desk()
    bundle_id = desk.bundle(bundle_id)
    return _begun(jobs.start_reindex(desk, broker(), bundle_id, promotion, current_person().name))


def cancel(job_id: str) -> Job:
    """Request that a job ends. Raises NotFound, Forbidden, NotReady for a finished job."""
    jobs.cancel_for(served_desk(), _own(job_id).id, current_actor())
    return known_job(job_id)


def retry(job_id: str) -> Job:
    """Queue a job again. Raises NotFound, Forbidden, Conflict, NotReady, BrokerAway."""
    job = _own(job_id)
    require(current_person(), retried_by(job))
    jobs.retry_job(served_desk(), broker(), job.id, current_actor())
    return known_job(job_id)


def retried_by(job: Job) -> Permission:
    """The permission to retry a job. A training that would let its model serve needs the permission
    to promote, as when it was started."""
    whole = served_desk().store.get_job(job.id)
    serves = whole and whole.arguments.get("promotion", Promotion.RULE) == Promotion.RULE
    return Permission.PROMOTE if job.kind == JobKind.TRAINING and serves else BEGINS[job.kind]


def answer(job_id: str, yes: bool) -> Job:
    """Answer yes or no to a model that waits. Raises NotFound, NotReady, BrokerAway."""
    jobs.answer_promotion(served_desk(), broker(), job_id, yes, current_actor())
    return known_job(job_id)


def rollback(to: str) -> str:
    """Let the model that served before serve again (`to` if given); returns a sentence. Raises
    NotReady."""
    said = served_desk().rollback(to)
    audit(Deed.PROMOTED, f"bundle {served_desk().store.serving()}")
    return said


def delete_model(bundle_id: str) -> None:
    """Delete a model and its codes. Raises NotFound, Conflict for a model that serves or that a job
    works on."""
    served_desk().delete_bundle(bundle_id)
    audit(Deed.DELETED, f"bundle {bundle_id}")


def set_schedule(given: ScheduleIn) -> Schedule:
    """Set the schedule of automatic trainings."""
    at = time.fromisoformat(given.at)
    schedule = served_desk().set_schedule(given.weekday, at, given.judgments, given.promotion)
    audit(Deed.SCHEDULED, "training")
    return schedule


def _own(job_id: str) -> Job:
    """A job of a kind that the person may start. Raises NotFound, Forbidden."""
    job = known_job(job_id)
    require(current_person(), BEGINS[job.kind])
    return job


def _begun(job: Job) -> Job:
    """A job as the person who started it may see it."""
    audit(Deed.JOB_BEGUN, f"{job.kind} {job.id}")
    return known_job(job.id)
