"""Start, resume, cancel and retry jobs. Messages may be lost; the store knows what is left to
do."""

import time
from contextlib import AbstractContextManager, nullcontext

from celery import Celery

from ticketing.desk import Desk, leases
from ticketing.errors import BrokerAway, NotReady
from ticketing.files import Json
from ticketing.history import Deed
from ticketing.jobs import Job, JobKind, JobState, Promotion, Step
from ticketing.people import Actor
from ticketing.stores.jobs import known_job
from worker.connection import waiting_messages
from worker.handing_back import forget_who
from worker.presence import workers_live
from worker.progress import silent_for
from worker.publishing import finish, publish, queue_of

SILENT_SECONDS = 10.0
"""A job whose heartbeat is older than this may have no worker."""

LOOK_SECONDS = 0.5
"""Seconds between two looks at the lease of a job that may be left behind."""


def start_reindex(
    desk: Desk,
    app: Celery,
    bundle_id: str,
    promotion: Promotion = Promotion.RULE,
    by: str = "",
) -> Job:
    """Publish the encoding of all tickets without fresh codes under a bundle, which is then
    promoted. A repeated request continues the job.

    A job that somebody works on, that waits for an answer, or whose messages still wait, is only
    returned. Raises NotReady if the running job has another `promotion` than requested; BrokerAway
    before any job is created.
    """
    return start(desk, app, JobKind.REINDEX, bundle_id, {"promotion": promotion}, by)


def start_training(desk: Desk, app: Celery, arguments: Json, by: str = "") -> Job:
    """Publish a training; `arguments` are those of Desk.training_arguments. A repeated request
    continues it.

    Another training that was not begun, or is to be cancelled, is replaced if no worker is running.
    Raises NotReady while any other runs, BrokerAway before any job is created.
    """
    for job in desk.whole.unfinished_jobs():
        if is_another_training(job, arguments):
            if not _gives_way(desk, app, job):
                left = _is_left(desk, job) and not workers_live(app, queue_of(job.kind))
                raise _another(job, left)
            cancel_job(desk, job.id)
    return start(desk, app, JobKind.TRAINING, "", arguments, by)


def is_another_training(job: Job, arguments: Json) -> bool:
    """Whether a job is a training other than the requested one."""
    return job.kind == JobKind.TRAINING and job.arguments != arguments


def _gives_way(desk: Desk, app: Celery, training: Job) -> bool:
    """Whether a training was not begun, or was cancelled, and no worker is there to begin or end
    it. A training that was begun may hold hours of work, which the next worker continues."""
    wanted = training.attempts and not training.cancel_requested
    if wanted or not _is_left_in_the_end(desk, training):
        return False
    return not workers_live(app, queue_of(training.kind))


def start_evaluation(desk: Desk, app: Celery, arguments: Json, by: str) -> Job:
    """Publish an evaluation; `arguments` are those of Desk.evaluation_arguments.

    Raises BrokerAway before any job is created.
    """
    return start(desk, app, JobKind.EVALUATION, "", arguments, by)


def start(desk: Desk, app: Celery, kind: JobKind, bundle_id: str, arguments: Json, by: str) -> Job:
    """Create a job, or find the running one, and publish it.

    Raises NotReady, and BrokerAway before any job is created. A new job is also returned if it
    cannot be published: its log says why, and the watch publishes it later.
    """
    store = desk.whole
    waiting = waiting_messages(app, queue_of(kind))
    total = store.count_tickets() if kind == JobKind.REINDEX else 0
    with _one_at_a_time(desk, kind, bundle_id):
        job = store.create_job(kind, bundle_id, total, arguments, by)
        if job.cancel_requested:  # and nobody is there to end it
            if kind != JobKind.REINDEX and not store.lease_is_free(lease_of(job.id)):
                raise NotReady(
                    f"The {kind} that was cancelled, job {job.id}, is about to end; try again then."
                )
            store.update_job(job.id, state=JobState.CANCELLED, message="cancelled")
            job = store.create_job(kind, bundle_id, total, arguments, by)
    _require_as_asked(job, arguments)
    is_new = job.heartbeat is None
    if not (is_new or (_is_left(desk, job) and not waiting)):
        return job
    try:
        return publish(desk, app, job)
    except BrokerAway as error:
        return store.update_job(
            job.id, log=f"not sent yet: {desk.settings.without_home(str(error))}"
        )


def _one_at_a_time(desk: Desk, kind: JobKind, bundle_id: str) -> AbstractContextManager[object]:
    """Context manager: nobody else makes or reopens such a job, since Elasticsearch cannot refuse
    the second of two. Raises NotReady if others do not finish."""
    if kind.side_by_side:
        return nullcontext()
    busy = NotReady(f"Somebody else begins a {kind} just now; look at the jobs, then try again.")
    return leases.held(desk.whole, f"begin {kind} {bundle_id}", or_raise=busy)


def _require_as_asked(job: Job, arguments: Json) -> None:
    """Raises NotReady if a job started by others, perhaps just now, is not the requested one."""
    if is_another_training(job, arguments):
        raise _another(job)
    asks = arguments.get("promotion") == Promotion.ASK
    if job.kind == JobKind.REINDEX and asks and job.arguments.get("promotion") != Promotion.ASK:
        raise NotReady(
            f"Job {job.id} encodes this bundle already and will not ask; cancel it first."
        )


def _another(training: Job, left: bool = False) -> NotReady:
    if left:
        return NotReady(
            f"A training of other settings was interrupted (job {training.id}): begin that one"
            f" again to finish it, or end it by `ticketing jobs {training.id[:8]} --cancel`."
        )
    return NotReady(
        f"Another training is under way (job {training.id}); wait for its end or cancel it."
    )


def resume_jobs(desk: Desk, app: Celery) -> list[Job]:
    """Publish the remaining work of jobs that nobody works on, and end those that are to be
    cancelled; returns these jobs.

    A message held by a killed worker is lost with the filesystem broker, and invisible for
    `VISIBILITY_SECONDS` with Redis. There is no need to wait for it: a worker keeps the heartbeat
    of its job fresh, so silence means that no worker holds a message of it, and a message that
    appears later finds nothing to do. Messages still in the queue are left to the workers. Raises
    BrokerAway.
    """
    left = [job for job in desk.whole.unfinished_jobs() if _is_left(desk, job)]
    ended = [cancelled(desk, job) for job in left if job.cancel_requested]
    wanted = [job for job in left if not job.cancel_requested]
    queues = {queue_of(job.kind) for job in wanted}
    busy = {queue for queue in queues if waiting_messages(app, queue)}
    return ended + [publish(desk, app, job) for job in wanted if queue_of(job.kind) not in busy]


def lease_of(job_id: str) -> str:
    """Name of the lease held by the process that does a whole job."""
    return f"job {job_id}"


def _is_left(desk: Desk, job: Job) -> bool:
    """Whether nobody works on an unfinished job although somebody should.

    Clocks of machines may differ, so silence alone is no proof. The process that does a whole job,
    or the last steps of a reindex, holds its lease, which each check looks at.
    """
    if job.state == JobState.WAITING:
        return job.cancel_requested
    shared = job.kind == JobKind.REINDEX and job.step not in (Step.COMPARING, Step.PROMOTING)
    free = shared or desk.whole.lease_is_free(lease_of(job.id))
    return free and silent_for(job) > SILENT_SECONDS


def _is_left_in_the_end(desk: Desk, job: Job) -> bool:
    """Whether nobody works on a job. If it seems silent, wait until its lease would have
    expired."""
    until = time.monotonic() + leases.LEASE_SECONDS + leases.RENEW_SECONDS
    while not (left := _is_left(desk, job)) and silent_for(job) > SILENT_SECONDS:
        if time.monotonic() >= until:
            break
        time.sleep(LOOK_SECONDS)
    return left


def cancel_job(desk: Desk, job_id: str) -> Job:
    """Request that a job ends; one that nobody works on ends at once, and a finished one is not
    changed.

    Raises NotFound.
    """
    job = desk.whole.request_cancel(job_id)
    if job.finished or not (_is_not_begun(desk, job) or _is_left(desk, job)):
        return job
    return cancelled(desk, job)


def _is_not_begun(desk: Desk, job: Job) -> bool:
    """Whether a job waits for an answer, or for a worker to start it."""
    if job.state == JobState.QUEUED and job.kind != JobKind.REINDEX:
        return desk.whole.lease_is_free(lease_of(job.id))
    return job.state == JobState.WAITING


def cancel_for(desk: Desk, job_id: str, by: Actor) -> Job:
    """As `cancel_job`, for a person; the audit entry is written first.

    Raises NotFound, NotReady for a finished job.
    """
    job = known_job(desk.whole, job_id)
    if job.finished:
        raise NotReady(f"Job {job_id} is {job.state}; there is nothing to cancel.")
    desk.record(by, Deed.JOB_CANCELLED, f"{job.kind} {job.id}")
    return cancel_job(desk, job_id)


def cancelled(desk: Desk, job: Job) -> Job:
    """End a job as cancelled."""
    return desk.whole.update_job(
        job.id, state=JobState.CANCELLED, message="cancelled", log="cancelled"
    )


def retry_job(desk: Desk, app: Celery, job_id: str, by: Actor) -> Job:
    """Queue a failed or cancelled job again; it continues where it stopped. The audit entry is
    written first.

    Raises NotFound, Conflict if another job of the same kind and bundle is unfinished, NotReady for
    a job that is done or running or whose files are gone, BrokerAway (it is then resumed later).
    """
    job = known_job(desk.whole, job_id)
    if job.state not in (JobState.FAILED, JobState.CANCELLED):
        raise NotReady(f"Job {job_id} is {job.state}; only a failed or cancelled one is retried.")
    desk.require_files(job)
    with _one_at_a_time(desk, job.kind, job.bundle_id):
        job = desk.whole.reopen_job(job_id)
    desk.record(by, Deed.JOB_RETRIED, f"{job.kind} {job.id}")
    forget_who(desk, job_id)
    return publish(desk, app, job)


def answer_promotion(desk: Desk, app: Celery, job_id: str, yes: bool, by: Actor) -> Job:
    """Answer yes or no to the bundle of a waiting job, which is then promoted or not. The audit
    entry is written first.

    Raises NotFound, NotReady for a job that does not wait, or that somebody else has just answered,
    BrokerAway (it is then resumed later).
    """
    busy = NotReady(f"Somebody else answers job {job_id} just now; look again.")
    with leases.held(desk.whole, f"answer {job_id}", or_raise=busy):
        job = _answered(desk, job_id, yes, by)
    return publish(desk, app, job) if yes else job


def _answered(desk: Desk, job_id: str, yes: bool, by: Actor) -> Job:
    """The job, refused or queued again. Raises NotFound, NotReady."""
    job = known_job(desk.whole, job_id)
    if job.state != JobState.WAITING:
        raise NotReady(f"Job {job_id} is {job.state}; it waits for no answer.")
    answer = "yes" if yes else "no"
    said = {"answer": answer, "answered_by": by.name}
    log = f"{by.name} said {answer}"
    answered = f"{job.kind} {job.id}: {answer}"
    if not yes:
        desk.whole.update_job(job_id, result=said, log=log)
        desk.record(by, Deed.ANSWERED, answered)
        return finish(desk, job, desk.refuse(job.bundle_id, f": {log}"))
    job = desk.whole.update_job(
        job_id, state=JobState.QUEUED, step=Step.PROMOTING, message="", result=said, log=log
    )
    desk.record(by, Deed.ANSWERED, answered)
    return job
