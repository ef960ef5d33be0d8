"""The JSON API of jobs, models and the schedule: what the page begins, cancels and sets."""

from typing import Any

from apiflask import APIBlueprint
from flask import request

from ticketing.jobs import Job
from web import jobs as work
from web.api.bodies import check_body
from web.api.statuses import NOT_FOUND, STATE
from web.context import current_desk, served_desk
from web.schemas.jobs import (
    AnswerIn,
    BundleOut,
    CompareArgs,
    ComparisonOut,
    EvaluationIn,
    ImportArgs,
    JobOut,
    Nothing,
    PromotionIn,
    RollbackIn,
    RollbackOut,
    ScheduleIn,
    ScheduleOut,
    TrainingIn,
    schedule_out,
)
from web.schemas.responses import list_of
from web.security import guard_api
from web.views.progress import progress

job_api = APIBlueprint("job_api", __name__, url_prefix="/api", tag="Jobs and models")
job_api.before_request(guard_api)
job_api.before_request(check_body)


@job_api.get("/jobs")
@job_api.output(list_of(JobOut))
def jobs() -> list[dict[str, Any]]:
    """The latest jobs, newest first."""
    return [_out(job) for job in current_desk().store.jobs()]


@job_api.get("/jobs/<job_id>")
@job_api.output(JobOut)
def job(job_id: str) -> dict[str, Any]:
    """One job with its arguments, its result and its log."""
    return _out(work.known_job(job_id))


@job_api.post("/trainings")
@job_api.input(TrainingIn, arg_name="given")
@job_api.output(JobOut, status_code=202)
@job_api.doc(responses=STATE)
def train(given: TrainingIn) -> dict[str, Any]:
    """Begin a training with the settings of the serving model; then encode all tickets with the new
    model, and compare it with the serving one."""
    return _out(work.train(given.promotion, given.before))


@job_api.post("/imports")
@job_api.input(ImportArgs, location="query", arg_name="asked")
@job_api.output(JobOut, status_code=202)
def import_(asked: ImportArgs) -> dict[str, Any]:
    """Import a file of tickets, or only check what an import would store; a file is refused if no
    row of it can be read, and the job reports single rows that cannot be used."""
    return _out(work.import_(asked.name, request.stream, asked.pairs(), asked.check_only))


@job_api.post("/evaluations")
@job_api.input(EvaluationIn, arg_name="given")
@job_api.output(JobOut, status_code=202)
@job_api.doc(responses=NOT_FOUND)
def evaluate(given: EvaluationIn) -> dict[str, Any]:
    """Measure a model, or two models side by side; the job keeps a report."""
    return _out(work.evaluate(given.bundle_id, given.other))


@job_api.post("/jobs/<job_id>/cancel")
@job_api.input(Nothing, arg_name="nothing")
@job_api.output(JobOut)
@job_api.doc(responses=STATE)
def cancel(job_id: str, nothing: Nothing) -> dict[str, Any]:
    """Ask a job to end; also needs the scope that begins such a job."""
    return _out(work.cancel(job_id))


@job_api.post("/jobs/<job_id>/retry")
@job_api.input(Nothing, arg_name="nothing")
@job_api.output(JobOut)
@job_api.doc(responses=STATE)
def retry(job_id: str, nothing: Nothing) -> dict[str, Any]:
    """Queue a failed or cancelled job again; it continues where it stopped. Also needs the scope
    that begins such a job."""
    return _out(work.retry(job_id))


@job_api.post("/jobs/<job_id>/answer")
@job_api.input(AnswerIn, arg_name="given")
@job_api.output(JobOut)
@job_api.doc(responses=STATE)
def answer(job_id: str, given: AnswerIn) -> dict[str, Any]:
    """Answer yes or no to a waiting job: whether its model is to serve."""
    return _out(work.answer(job_id, given.yes))


@job_api.get("/models")
@job_api.output(list_of(BundleOut))
def models() -> list[Any]:
    """The desk's models, the last trained first."""
    return list(current_desk().bundle_list())


@job_api.get("/comparison")
@job_api.input(CompareArgs, location="query", arg_name="asked")
@job_api.output(ComparisonOut)
@job_api.doc(responses=NOT_FOUND | STATE)
def compare(asked: CompareArgs) -> Any:
    """Compare two models on the test queries; this may take half a minute."""
    return work.compare(asked.new, asked.old)


@job_api.post("/models/<bundle_id>/promote")
@job_api.input(PromotionIn, arg_name="given")
@job_api.output(JobOut, status_code=202)
@job_api.doc(responses=STATE)
def promote(bundle_id: str, given: PromotionIn) -> dict[str, Any]:
    """Begin a job that encodes all tickets with a model, compares it and promotes it."""
    return _out(work.reindex(bundle_id, given.promotion))


@job_api.post("/rollback")
@job_api.input(RollbackIn, arg_name="given")
@job_api.output(RollbackOut)
@job_api.doc(responses=NOT_FOUND | STATE)
def rollback(given: RollbackIn) -> dict[str, str]:
    """Let the model that served before serve again, at once; if the body names this model, a
    repeated request changes nothing."""
    said = work.rollback(given.bundle_id)
    return {"bundle_id": served_desk().store.serving(), "said": said}


@job_api.delete("/models/<bundle_id>")
@job_api.output({}, status_code=204)
@job_api.doc(responses=STATE)
def delete_model(bundle_id: str) -> str:
    """Delete a model and its codes; the serving model cannot be deleted."""
    work.delete_model(bundle_id)
    return ""


@job_api.get("/schedule")
@job_api.output(ScheduleOut)
def schedule() -> dict[str, object]:
    """When the desk trains by itself."""
    desk = current_desk()
    return schedule_out(desk.schedule(), desk.new_judgments())


@job_api.put("/schedule")
@job_api.input(ScheduleIn, arg_name="given")
@job_api.output(ScheduleOut)
def set_schedule(given: ScheduleIn) -> dict[str, object]:
    """Set when the desk trains by itself: weekly, after a number of new judgments, or both."""
    return schedule_out(work.set_schedule(given), current_desk().new_judgments())


def _out(job: Job) -> dict[str, Any]:
    """A job's record with its rate, estimate and whether it stands still."""
    return {**vars(job), **vars(progress(job))}
