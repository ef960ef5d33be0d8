"""What page and API do to jobs alike: who may, what is asked for, and what the audit keeps."""

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
from ticketing.people import Permission, Person
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
"""Who may begin a job of a kind; the same may cancel it and try it again."""

FIRST_LINES = 10
"""Lines of a report that a page shows."""

_comparing = threading.Lock()


def broker() -> Celery:
    """The app that hands work to the workers."""
    app: Celery = current_app.extensions["broker"]
    return app


def known_job(job_id: str) -> Job:
    """A job. Raises NotFound."""
    job = current_desk().store.get_job(job_id)
    if job is None:
        raise NotFound(f"There is no job {job_id}; the page Jobs lists those there are.")
    return job


def promotions_of(person: Person) -> list[Promotion]:
    """What somebody may have done with a new model: who may not promote leaves that to others."""
    return [
        choice for choice in Promotion if choice != Promotion.RULE or person.may(Permission.PROMOTE)
    ]


def usual_settings() -> list[str]:
    """The settings that a training goes on with, for those who may begin one."""
    may = current_person().may(Permission.TRAIN)
    return served_desk().usual_settings_named() if may else []


def train(promotion: Promotion, before: datetime | None = None) -> Job:
    """Begin a training with the serving model's settings. Raises Forbidden to whom the rule is not
    open, NotReady, BrokerAway."""
    if promotion == Promotion.RULE:
        require(current_person(), Permission.PROMOTE)
    desk = served_desk()
    arguments = desk.training_arguments(before=before, promotion=promotion)
    return _begun(jobs.start_training(desk, broker(), arguments, current_person().name))


def evaluate(bundle_id: str, other: str = "") -> Job:
    """Begin to measure a model, beside another one where given. Raises NotFound, BundleError,
    InputError for a model that does not rank, BrokerAway."""
    desk = served_desk()
    arguments = desk.evaluation_arguments(bundle_id, other)
    return _begun(jobs.start_evaluation(desk, broker(), arguments, current_person().name))


def compare(new: str, old: str) -> Any:
    """Two models on the test queries, by the tickets that may be seen. It may take a thread of the
    page for half a minute, so that one at a time is done. Raises NotFound, NotReady."""
    if not _comparing.acquire(blocking=False):
        raise NotReady("Two models are being compared just now; try again in a minute.")
    try:
        return current_desk().compare(new, old)
    finally:
        _comparing.release()


def import_(
    name: str, chunks: Iterable[bytes], columns: Sequence[str], check_only: bool = False
) -> Job:
    """Keep a file and begin its import, or a check of it. Raises InputError, BrokerAway."""
    desk = served_desk()
    arguments = current_desk().upload_arguments(name, chunks, columns, check_only)
    if not check_only:
        audit(Deed.IMPORTED, f"tickets of {arguments['files'][0]['name']}")
    return _begun(start_import(desk, broker(), arguments, current_person().name))


def report(job: Job, name: str) -> Iterator[bytes]:
    """A file that a job has kept. Raises NotFound."""
    if name not in reports(job):
        raise NotFound(f"The job {job.id} has no report {name} that you may open.")
    return served_desk().report(f"report/{job.id}/{name}")


def reports(job: Job) -> list[str]:
    """The names of the files that a job has kept; none for whom some tickets are hidden, as they
    may tell of them, unless it is their own import."""
    if not current_desk().sees_all() and not job.imports_for(current_person().name):
        return []
    prefix = f"report/{job.id}/"
    return [file.name.removeprefix(prefix) for file in served_desk().store.files(prefix)]


def first_rejects(job: Job) -> list[Any]:
    """The first rows that an import left out: file, line, field and reason; none for whom that
    report is closed."""
    return _first_lines(job, REJECTS)


def first_read(job: Job) -> list[Any]:
    """The first tickets as a check of an import read them; none for whom that report is closed."""
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
    """Begin to encode every ticket under a model, which is promoted then. Raises NotFound,
    BundleError, InputError for a model that does not rank, BrokerAway."""
    desk = served_desk()
    bundle_id = desk.bundle(bundle_id)
    return _begun(jobs.start_reindex(desk, broker(), bundle_id, promotion, current_person().name))


def cancel(job_id: str) -> Job:
    """Ask a job to end. Raises NotFound, Forbidden, NotReady for one that has ended."""
    jobs.cancel_for(served_desk(), _own(job_id).id, current_actor())
    return known_job(job_id)


def retry(job_id: str) -> Job:
    """Queue a job once more. Raises NotFound, Forbidden, Conflict, NotReady, BrokerAway."""
    job = _own(job_id)
    require(current_person(), retried_by(job))
    jobs.retry_job(served_desk(), broker(), job.id, current_actor())
    return known_job(job_id)


def retried_by(job: Job) -> Permission:
    """Who may have a job done once more: a training that lets its model serve is for those who may
    say so, as when it was begun."""
    whole = served_desk().store.get_job(job.id)
    serves = whole and whole.arguments.get("promotion", Promotion.RULE) == Promotion.RULE
    return Permission.PROMOTE if job.kind == JobKind.TRAINING and serves else BEGINS[job.kind]


def answer(job_id: str, yes: bool) -> Job:
    """Say yes or no to a model that waits for it. Raises NotFound, NotReady, BrokerAway."""
    jobs.answer_promotion(served_desk(), broker(), job_id, yes, current_actor())
    return known_job(job_id)


def rollback(to: str) -> str:
    """Let the model that served before serve again, `to` where one is named; says so. Raises
    NotReady."""
    said = served_desk().rollback(to)
    audit(Deed.PROMOTED, f"bundle {served_desk().store.serving()}")
    return said


def delete_model(bundle_id: str) -> None:
    """Delete a model and its codes. Raises NotFound, Conflict for one that serves or that a job
    works on."""
    served_desk().delete_bundle(bundle_id)
    audit(Deed.DELETED, f"bundle {bundle_id}")


def set_schedule(given: ScheduleIn) -> Schedule:
    """Set when the desk trains by itself."""
    at = time.fromisoformat(given.at)
    schedule = served_desk().set_schedule(given.weekday, at, given.judgments, given.promotion)
    audit(Deed.SCHEDULED, "training")
    return schedule


def _own(job_id: str) -> Job:
    """A job that whoever asks might have begun. Raises NotFound, Forbidden."""
    job = known_job(job_id)
    require(current_person(), BEGINS[job.kind])
    return job


def _begun(job: Job) -> Job:
    """A job as whoever has begun it may see it."""
    audit(Deed.JOB_BEGUN, f"{job.kind} {job.id}")
    return known_job(job.id)
