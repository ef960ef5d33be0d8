"""`ticketing jobs`: what is being done and what was; cancel, retry, answer, write its report."""

import json
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import click

from ticketing.cli.actor import command_line
from ticketing.cli.options import TARGET
from ticketing.cli.printing import say
from ticketing.desk import Desk, open_desk
from ticketing.desk.import_work import FIRST_READ
from ticketing.errors import BrokerAway, InputError, NotFound
from ticketing.files import write_atomically
from ticketing.jobs import Job, JobState
from ticketing.settings import load_settings
from worker.progress import SINCE, silent_for, summary

SHORT = 8
"""Length of the part of a job's id shown in lists, which also identifies it."""

TEXT, REPORT = "text", "report"
"""Keys of an evaluation's `result` with its tables (line by line) and the name of its report."""

SEARCHED = 1000
"""Number of the latest jobs among which a job is searched by the beginning of its id."""


@click.command("jobs")
@click.argument("job_id", metavar="[JOB]", default="")
@click.option("--cancel", is_flag=True, help="End the job at its next checkpoint.")
@click.option("--retry", is_flag=True, help="Queue a failed or cancelled job again.")
@click.option("--yes", is_flag=True, help="Answer a waiting job: its bundle serves.")
@click.option("--no", is_flag=True, help="Answer a waiting job: the old bundle stays.")
@click.option(
    "--report",
    type=TARGET,
    help="Write the job's file to this path: an evaluation's report, or the rows "
    "that an import left out.",
)
def command(job_id: str, report: Path | None, **asked: bool) -> None:
    """List the latest jobs with state, progress, rate and time left, or show JOB.

    JOB is a job's id, or the first characters of it. The command then shows the job's arguments,
    its result and its log.
    """
    actions = [name for name in ("cancel", "retry", "yes", "no") if asked[name]]
    actions += ["report"] if report else []
    if len(actions) > 1:
        both = " and ".join(f"--{name}" for name in actions)
        raise click.UsageError(f"{both} exclude each other; give one of them.")
    action = next(iter(actions), "")
    desk = open_desk(load_settings())
    if not job_id:
        if action:
            raise InputError(f"Name the job to --{action}; `ticketing jobs` lists them.")
        _list(desk)
        return
    job = _named(desk, job_id)
    if report:
        _write(desk, job, report)
        return
    if action:
        job = _act(desk, job, action)
    _show(desk, job)


def _list(desk: Desk) -> None:
    listed = desk.store.jobs()
    for job in listed:
        say(f"{job.id[:SHORT]}  {summary(job)}")
    if not listed:
        say(f"There are no jobs yet; `ticketing train` starts one. {desk.settings.where}")
    _warn_of_missing_workers(desk, listed)


def _warn_of_missing_workers(desk: Desk, listed: Iterable[Job]) -> None:
    """Warn if no worker works on jobs that should be running."""
    at_work = [job for job in listed if job.state in (JobState.QUEUED, JobState.RUNNING)]
    if not at_work:
        return
    from worker.app import make_app
    from worker.jobs import SILENT_SECONDS
    from worker.presence import NO_WORKER, workers_live
    from worker.publishing import queue_of

    silent = {queue_of(job.kind) for job in at_work if silent_for(job) > SILENT_SECONDS}
    app = make_app(desk.settings)
    try:
        if not all(workers_live(app, queue) for queue in silent):
            say(NO_WORKER)
    except BrokerAway as error:
        say(str(error))


def _named(desk: Desk, job_id: str) -> Job:
    if job := desk.store.get_job(job_id):
        return job
    found = [job for job in desk.store.jobs(SEARCHED) if job.id.startswith(job_id)]
    if len(found) != 1:
        raise NotFound(
            f"{len(found) or 'No'} jobs begin with {job_id}; `ticketing jobs` lists the latest."
        )
    return found[0]


def _act(desk: Desk, job: Job, action: str) -> Job:
    from worker.app import make_app  # a list of jobs needs no Celery
    from worker.jobs import answer_promotion, cancel_for, retry_job

    app = make_app(desk.settings)
    if action in ("yes", "no"):
        return answer_promotion(desk, app, job.id, action == "yes", command_line())
    if action == "retry":
        return retry_job(desk, app, job.id, command_line())
    return cancel_for(desk, job.id, command_line())


def _kept(desk: Desk, job: Job) -> list[str]:
    """Names in the store of a job's files: rejects or report first, and the rows that a check read
    last."""
    names = [file.name for file in desk.store.files(f"report/{job.id}/")]
    return sorted(names, key=lambda name: name.endswith(FIRST_READ))


def _write(desk: Desk, job: Job, path: Path) -> None:
    """Write a job's file. Raises NotFound."""
    kept = _kept(desk, job)
    if not kept:
        raise NotFound(
            f"Job {job.id} has kept no file: an evaluation that is done has, and an import that"
            " left rows out."
        )
    write_atomically(path, b"".join(desk.store.file_chunks(kept[0])))
    say(f"{PurePosixPath(kept[0]).name} of the job is in {path}.")


def _show(desk: Desk, job: Job) -> None:
    say(f"{job.id}  {summary(job)}")
    say(f"asked for at {job.created:%Y-%m-%d %H:%M} UTC by {job.by or 'the program'}")
    for name, facts in (("asked", job.arguments), ("result", job.result)):
        for fact, value in facts.items():
            if value not in (None, "", {}, []) and fact not in (SINCE, TEXT, REPORT):
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                say(f"{name}: {fact} = {text}")
    for line in job.result.get(TEXT, ()):
        say(line)
    for name in _kept(desk, job):
        file = PurePosixPath(name).name
        say(f"It has kept {file}; `ticketing jobs {job.id} --report FILE` writes it.")
    for id, error in job.errors.items():
        say(f"set aside: {id}: {error}")
    for line in job.log:
        say(f"{line.time:%Y-%m-%d %H:%M:%S}  {line.text}")
