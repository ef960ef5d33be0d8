"""Jobs: running and finished ones, and forms to start, cancel and retry."""

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response as Redirect

from ticketing.errors import InputError
from ticketing.jobs import Job, JobState
from ticketing.tickets import ModelKind
from web import jobs as work
from web.context import broker_trouble, current_desk, sentence_of, served_desk
from web.pages.forms import back, filled_fields, form_fields, valid
from web.schemas.jobs import EvaluationIn, TrainingIn
from web.uploads import UPLOAD_LIMIT, too_large_a_file
from web.views.progress import progress

job_pages = Blueprint("jobs", __name__)


@job_pages.get("/jobs")
def overview() -> str:
    """The latest jobs with progress, rate and estimate; jobs that wait for an answer come first."""
    return _overview()


def _overview(problem: str = "") -> str:
    """The page; with a `problem`, the import form is shown open below it with the values sent."""
    store = current_desk().store
    unfinished = sorted(store.unfinished_jobs(), key=lambda job: job.state != JobState.WAITING)
    finished = [job for job in store.jobs() if job.state.final]
    return render_template(
        "jobs.html",
        unfinished=[(job, progress(job)) for job in unfinished],
        finished=[(job, progress(job)) for job in finished],
        trouble=broker_trouble(),
        promotions=work.open_promotions(),
        models=served_desk().models.ids(ModelKind.RANKING)[::-1],
        serving=store.serving(),
        settings=work.usual_settings(),
        most_bytes=UPLOAD_LIMIT,
        too_large=too_large_a_file(),
        problem=problem,
        here=url_for("jobs.overview"),
    )


@job_pages.get("/jobs/training")
@job_pages.get("/jobs/evaluation")
@job_pages.get("/jobs/import")
def begun() -> Redirect:
    """Redirect to the form: the address to which a form was sent that starts a job shows nothing
    itself."""
    return redirect(url_for("jobs.overview"), 303)


@job_pages.get("/jobs/<job_id>")
def one(job_id: str) -> str:
    """All details of a job."""
    job = work.known_job(job_id)
    return render_template(
        "job.html",
        job=job,
        at=progress(job),
        reports=work.reports(job),
        rejects=work.first_rejects(job),
        most_rejects=work.FIRST_LINES,
        read=work.first_read(job),
    )


@job_pages.get("/jobs/<job_id>/report/<name>")
def report(job_id: str, name: str) -> Response:
    """A file that a job has kept, for download."""
    chunks = work.report(work.known_job(job_id), name)
    headers = {"Content-Disposition": f"attachment; filename={job_id[:12]}-{name}"}
    return Response(chunks, mimetype="application/octet-stream", headers=headers)


@job_pages.post("/jobs/training")
def train() -> Redirect:
    """Start a training."""
    given = valid(TrainingIn, filled_fields("promotion", "before"))
    return _to(work.train(given.promotion, given.before))


@job_pages.post("/jobs/evaluation")
def evaluate() -> Redirect:
    """Start an evaluation of a model."""
    given = valid(EvaluationIn, form_fields("bundle_id", "other"))
    return _to(work.evaluate(given.bundle_id, given.other))


@job_pages.post("/jobs/import")
def import_() -> ResponseReturnValue:
    """Upload a file of tickets and start its import; if it cannot be read, the form is shown
    again."""
    file = request.files.get("file")
    columns = [line for line in request.form.get("mapping", "").splitlines() if line.strip()]
    try:
        if not file or not file.filename:
            raise InputError("Choose a file of tickets first.")
        check_only = "check_only" in request.form
        return _to(work.import_(file.filename, file.stream, columns, check_only))
    except InputError as error:
        return _overview(sentence_of(error)), 400


@job_pages.post("/jobs/<job_id>/cancel")
def cancel(job_id: str) -> Redirect:
    """Request that a job ends."""
    work.cancel(job_id)
    return back(url_for("jobs.overview"))


@job_pages.post("/jobs/<job_id>/retry")
def retry(job_id: str) -> Redirect:
    """Queue a job again."""
    work.retry(job_id)
    return back(url_for("jobs.overview"))


@job_pages.post("/jobs/<job_id>/answer")
def answer(job_id: str) -> Redirect:
    """Answer yes or no for a model that waits."""
    work.answer(job_id, yes=bool(request.form.get("yes")))
    return back(url_for("jobs.overview"))


def _to(job: Job) -> Redirect:
    """Redirect to a job's own page, which follows it."""
    return redirect(url_for("jobs.one", job_id=job.id), 303)
