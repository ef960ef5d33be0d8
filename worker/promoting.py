"""The last steps of a reindex job: compare its bundle with the serving one, and promote it."""

from contextlib import suppress
from uuid import uuid4

from celery import Celery

from ticketing.desk import Desk
from ticketing.desk.bundles import MOST_UNENCODED
from ticketing.desk.leases import Taken, held
from ticketing.history import Deed
from ticketing.jobs import Job, JobState, Promotion, Step
from ticketing.people import Actor
from worker.app import STEP_SECONDS
from worker.jobs import cancelled, lease_of
from worker.publishing import finish, publish
from worker.working import beating, failing, wanted

BEGUN = "promotion_begun"
"""Key in a job's result: the id of the promotion's record and of its audit entry."""

COMPARED_WITH = "compared_with"
"""Key in a job's result: the bundle that served when its bundle was compared, or ""."""

AGAIN = " again, as another bundle serves by now"


def take_step(desk: Desk, app: Celery, job_id: str) -> None:
    """Compare the bundle of a job whose tickets are encoded, and promote it according to the job.

    Only one worker does it. If repeated, it continues with the unfinished step when the lease of a
    killed process has expired. Raises StoreAway (may be repeated); any other failure ends the job
    in state failed.
    """
    with (
        failing(desk, job_id),
        beating(desk.whole, job_id, STEP_SECONDS),
        suppress(Taken),
        held(desk.whole, lease_of(job_id), or_raise=Taken()),
    ):
        _go_on(desk, app, job_id)


def _go_on(desk: Desk, app: Celery, job_id: str) -> None:
    job = wanted(desk, job_id)
    if job is None or job.state == JobState.WAITING:
        return
    left = desk.whole.stale_ids(job.bundle_id, limit=len(job.errors) + MOST_UNENCODED + 1)
    if len(set(left) - job.errors.keys()) > MOST_UNENCODED:
        publish(desk, app, job)
        return
    job, serving = desk.whole.update_job(job_id, state=JobState.RUNNING), desk.whole.serving()
    promoting = job.step == Step.PROMOTING
    if serving == job.bundle_id and not (promoting and job.result.get(BEGUN)):
        finish(desk, job, f"Bundle {job.bundle_id} serves already.")
    elif promoting and serving in (job.bundle_id, job.result.get(COMPARED_WITH)):
        _promote(desk, job)
    else:
        _compare(desk, app, desk.whole.update_job(job_id, step=Step.COMPARING), serving)


def _compare(desk: Desk, app: Celery, job: Job, serving: str) -> None:
    """Compare with the serving bundle and record the result; then promote, refuse, or wait for an
    answer."""
    again = job.result.get(COMPARED_WITH, serving) != serving
    may_serve, why = desk.compared(job.bundle_id)
    result = {
        "may_serve": may_serve,
        "comparison": why.removeprefix(": "),
        COMPARED_WITH: serving,
    }
    compared = f"compared{AGAIN if again else ''}{why}"
    if job.arguments.get("promotion") == Promotion.ASK:
        message = f"{compared}; waits for a yes or no"
        job = desk.whole.update_job(
            job.id, state=JobState.WAITING, message=message, result=result, log=message
        )
        if job.cancel_requested:
            cancelled(desk, job)
        return
    job = desk.whole.update_job(job.id, result=result, log=compared)
    if not may_serve:
        finish(desk, job, desk.refuse(job.bundle_id, why))
    elif not job.cancel_requested:
        desk.whole.update_job(job.id, step=Step.PROMOTING)
        _go_on(desk, app, job.id)


def _promote(desk: Desk, job: Job) -> None:
    """Let the bundle serve. There is one record and one entry in the audit, even if the store was
    away in between or the process was killed."""
    serves = desk.whole.serving() == job.bundle_id
    begun = (job.result.get(BEGUN) if serves else "") or uuid4().hex
    desk.whole.update_job(job.id, result={BEGUN: begun})
    why = job.result.get("comparison", "")
    verdict = desk.let_serve(job.bundle_id, why and f": {why}", begun)
    by = Actor(job.result.get("answered_by") or job.by, f"job {job.id}")
    desk.record(by, Deed.PROMOTED, f"bundle {job.bundle_id}", event_id=begun)
    finish(desk, job, verdict)
