"""Jobs: what is under way and what was, and forms that begin, cancel and repeat."""

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Redirect

from ticketing.jobs import Job, JobState
from web import jobs as work
from web.context import broker_trouble, current_desk
from web.pages.forms import back
from web.views.progress import progress

job_pages = Blueprint("jobs", __name__)


@job_pages.get("/jobs")
def overview() -> str:
    """The latest jobs with progress, rate and estimate; what waits for an answer comes first."""
    store = current_desk().store
    unfinished = sorted(store.unfinished_jobs(), key=lambda job: job.state != JobState.WAITING)
    finished = [job for job in store.jobs() if job.state.final]
    return render_template(
        "jobs.html",
        unfinished=[(job, progress(job)) for job in unfinished],
        finished=[(job, progress(job)) for job in finished],
        trouble=broker_trouble(),
    )


@job_pages.get("/jobs/<job_id>")
def one(job_id: str) -> str:
    """A job with all that is known of it."""
    job = work.known_job(job_id)
    return render_template("job.html", job=job, at=progress(job))


@job_pages.post("/jobs/<job_id>/cancel")
def cancel(job_id: str) -> Redirect:
    """Ask a job to end."""
    work.cancel(job_id)
    return back(url_for("jobs.overview"))


@job_pages.post("/jobs/<job_id>/retry")
def retry(job_id: str) -> Redirect:
    """Queue a job once more."""
    work.retry(job_id)
    return back(url_for("jobs.overview"))


@job_pages.post("/jobs/<job_id>/answer")
def answer(job_id: str) -> Redirect:
    """Say yes or no to a model that waits for it."""
    work.answer(job_id, yes=bool(request.form.get("yes")))
    return back(url_for("jobs.overview"))


def to_job(job: Job) -> Redirect:
    """To a job's own page, which follows it."""
    return redirect(url_for("jobs.one", job_id=job.id), 303)
