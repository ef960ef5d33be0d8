"""Start, resume, cancel and retry jobs. The store knows what is left; messages may be lost."""

import time

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
"""A job whose heartbeat is older than this is not being worked on."""

LOOK_SECONDS = 0.5
"""How often the lease of a job is looked at that seems to be left."""


def start_reindex(
    desk: Desk,
    app: Celery,
    bundle_id: str,
    promotion: Promotion = Promotion.RULE,
    by: str = "",
) -> Job:
    """Publish the encoding of every ticket without fresh codes under a bundle, which is promoted
    then; asking again goes on with it.

    A job that somebody is working on, or that waits for an answer, or whose messages still wait,
    is only returned. Raises NotReady where one is under way that would not ask, as this one is
    to; BrokerAway before any job is made.
    """
    return start(desk, app, JobKind.REINDEX, bundle_id, {"promotion": promotion}, by)


def start_training(desk: Desk, app: Celery, arguments: Json, by: str = "") -> Job:
    """Publish a training; `arguments` are those of Desk.training_arguments. Asking again for the
    same goes on with it.

    Another one that nobody has begun, or that is to be cancelled, gives way where no worker is
    there. Raises NotReady while any other is under way, BrokerAway before any job is made.
    """
    for job in desk.whole.unfinished_jobs():
        if is_another_training(job, arguments):
            if not _gives_way(desk, app, job):
                left = _is_left(desk, job) and not workers_live(app, queue_of(job.kind))
                raise _another(job, left)
            cancel_job(desk, job.id)
    return start(desk, app, JobKind.TRAINING, "", arguments, by)


def is_another_training(job: Job, arguments: Json) -> bool:
    """Whether a job is a training, and not the one that is asked for."""
    return job.kind == JobKind.TRAINING and job.arguments != arguments


def _gives_way(desk: Desk, app: Celery, training: Job) -> bool:
    """Whether nobody has begun a training, or it was cancelled, and no worker is there to begin or
    end it. Hours of work may hang on one that was begun, which the next worker takes up."""
    wanted = training.attempts and not training.cancel_requested
    if wanted or not _is_left_in_the_end(desk, training):
        return False
    return not workers_live(app, queue_of(training.kind))


def start_evaluation(desk: Desk, app: Celery, arguments: Json, by: str) -> Job:
    """Publish an evaluation; `arguments` are those of Desk.evaluation_arguments.

    Raises BrokerAway before any job is made.
    """
    return start(desk, app, JobKind.EVALUATION, "", arguments, by)


def start(desk: Desk, app: Celery, kind: JobKind, bundle_id: str, arguments: Json, by: str) -> Job:
    """Make a job, or find the one under way, and publish it.

    Raises NotReady, and BrokerAway before any job is made. A job that is made is returned also
    where it cannot be published: its log says why, and the watch publishes it later.
    """
    store = desk.whole
    waiting = waiting_messages(app, queue_of(kind))
    total = store.count_tickets() if kind == JobKind.REINDEX else 0
    job = store.create_job(kind, bundle_id, total, arguments, by)
    if job.cancel_requested:  # and nobody there to end it
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


def _require_as_asked(job: Job, arguments: Json) -> None:
    """Raises NotReady for a job that others began, perhaps just now, where it is another one."""
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
    """Publish again what is left of jobs that nobody works on, and end those that are to be
    cancelled; returns these jobs.

    A message that a worker held when it was killed is lost with the filesystem broker, and
    out of sight for `VISIBILITY_SECONDS` with Redis. Nobody waits for it: a worker keeps the
    heartbeat of its job fresh, so that silence means that no worker holds any of it, and a
    message that turns up again later finds nothing to do. Messages that still wait in the
    queue are left to the workers. Raises BrokerAway.
    """
    left = [job for job in desk.whole.unfinished_jobs() if _is_left(desk, job)]
    ended = [cancelled(desk, job) for job in left if job.cancel_requested]
    wanted = [job for job in left if not job.cancel_requested]
    queues = {queue_of(job.kind) for job in wanted}
    busy = {queue for queue in queues if waiting_messages(app, queue)}
    return ended + [publish(desk, app, job) for job in wanted if queue_of(job.kind) not in busy]


def lease_of(job_id: str) -> str:
    """The lease that whoever does a whole job holds."""
    return f"job {job_id}"


def _is_left(desk: Desk, job: Job) -> bool:
    """Whether nobody works on an unfinished job, though somebody should.

    The clock of another machine may be wrong, so that silence alone is no proof: whoever does a
    whole job, or a reindex's last steps, holds its lease, of which each look counts.
    """
    if job.state == JobState.WAITING:
        return False
    shared = job.kind == JobKind.REINDEX and job.step not in (Step.COMPARING, Step.PROMOTING)
    free = shared or desk.whole.lease_is_free(lease_of(job.id))
    return free and silent_for(job) > SILENT_SECONDS


def _is_left_in_the_end(desk: Desk, job: Job) -> bool:
    """Whether nobody works on a job; the lease of one that seems silent is waited for, until it
    would have run out."""
    until = time.monotonic() + leases.LEASE_SECONDS + leases.RENEW_SECONDS
    while not (left := _is_left(desk, job)) and silent_for(job) > SILENT_SECONDS:
        if time.monotonic() >= until:
            break
        time.sleep(LOOK_SECONDS)
    return left


def cancel_job(desk: Desk, job_id: str) -> Job:
    """Ask a job to end; one that nobody works on ends at once. One that has ended stays as it is.

    Raises NotFound.
    """
    job = desk.whole.request_cancel(job_id)
    if job.finished or not (_is_not_begun(desk, job) or _is_left(desk, job)):
        return job
    return cancelled(desk, job)


def _is_not_begun(desk: Desk, job: Job) -> bool:
    """Whether a job waits for an answer, or for whoever does all of it."""
    if job.state == JobState.QUEUED and job.kind != JobKind.REINDEX:
        return desk.whole.lease_is_free(lease_of(job.id))
    return job.state == JobState.WAITING


def cancel_for(desk: Desk, job_id: str, by: Actor) -> Job:
    """As `cancel_job`, for somebody, whom the audit has before what comes of it.

    Raises NotFound, NotReady for a job that has ended.
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
    """Queue a job that failed or was cancelled once more: it goes on where it stopped. The audit
    has it before what comes of it.

    Raises NotFound, Conflict beside another unfinished job of the same kind and bundle, NotReady
    for a job that is done or under way, or whose files are gone, BrokerAway, where it is resumed
    later.
    """
    job = known_job(desk.whole, job_id)
    if job.state not in (JobState.FAILED, JobState.CANCELLED):
        raise NotReady(f"Job {job_id} is {job.state}; only a failed or cancelled one is retried.")
    desk.require_files(job)
    job = desk.whole.reopen_job(job_id)
    desk.record(by, Deed.JOB_RETRIED, f"{job.kind} {job.id}")
    forget_who(desk, job_id)
    return publish(desk, app, job)


def answer_promotion(desk: Desk, app: Celery, job_id: str, yes: bool, by: Actor) -> Job:
    """Say yes or no to the bundle of a job that waits for it: it is promoted, or is not. The audit
    has the answer before what comes of it.

    Raises NotFound, NotReady for a job that does not wait, or that somebody else just answers,
    BrokerAway, where it is resumed later.
    """
    try:
        with leases.held(desk.whole, f"answer {job_id}", wait=True):
            job = _answered(desk, job_id, yes, by)
    except leases.Taken:
        raise NotReady(f"Somebody else answers job {job_id} just now; look again.") from None
    return publish(desk, app, job) if yes else job


def _answered(desk: Desk, job_id: str, yes: bool, by: Actor) -> Job:
    """The job, refused or queued once more. Raises NotFound, NotReady."""
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
        job_id, state=JobState.QUEUED, step=Step.PROMOTING, result=said, log=log
    )
    desk.record(by, Deed.ANSWERED, answered)
    return job
