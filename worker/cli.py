"""`ticketing work`, `ticketing reindex` and `ticketing jobs`."""

import sys
import time
from contextlib import closing

import click
from tqdm import tqdm

from ticketing.desk import Desk, open_desk
from ticketing.errors import StoreAway, TicketingError
from ticketing.settings import load_settings
from ticketing.tickets import Job
from worker.app import make_app
from worker.jobs import cancel_reindex, rate, seconds_left, silent_for, start_reindex
from worker.run import end_with_input, run_worker

POLL_SECONDS = 0.3
PATIENCE_SECONDS = 15.0
"""How long a job may stand still before the follower says that a worker is missing."""

NO_WORKER = "No worker is at it; start one with `ticketing work`."


@click.command()
@click.option("--while-fed", is_flag=True, help="End when standard input ends.")
def work(while_fed: bool) -> None:
    """Encode what is asked for, until Ctrl-C; start it again for another worker."""
    settings = load_settings()
    if while_fed:
        end_with_input()
    with closing(open_desk(settings)) as desk:
        click.echo("Waiting for work (Ctrl-C ends it)")
        code = run_worker(make_app(settings), desk)
    click.echo("The worker has ended.")
    sys.exit(code)


@click.command()
@click.argument("bundle", default="")
@click.option("--cancel", is_flag=True, help="End the reindexing that is under way.")
def reindex(bundle: str, cancel: bool) -> None:
    """Give every ticket codes under BUNDLE (default: the newest); it serves then, unless worse.

    Run again, it goes on where it stopped. A worker (`ticketing work`) does the encoding.
    """
    settings = load_settings()
    desk = open_desk(settings)
    bundle = bundle or desk.newest_bundle()
    if cancel:
        job = cancel_reindex(desk.store, bundle)
        click.echo("Cancelled." if job.finished else "The worker ends after its current batch.")
        return
    job = follow(desk, start_reindex(desk, make_app(settings), bundle))
    if job.state == "failed":
        raise TicketingError(f"Reindexing failed at {job.done} of {job.total}: {job.message}")
    click.echo(summary(job))
    for id, error in job.errors.items():
        click.echo(f"  set aside: {id}: {error}")
    if job.state == "done":
        click.echo(desk.promote(bundle))


@click.command()
def jobs() -> None:
    """List the latest jobs: state, done and total, rate, estimate, errors."""
    listed = open_desk(load_settings()).store.jobs()
    for job in listed:
        click.echo(summary(job))
    if not listed:
        click.echo("There are no jobs yet; `ticketing reindex` starts one.")


def follow(desk: Desk, job: Job) -> Job:
    """Show a job's progress until it has finished; Ctrl-C leaves it to the worker.

    A store that is away is waited for.
    """
    told = {""}
    try:
        with tqdm(total=job.total, initial=job.done, unit=" tickets", desc="Encoding") as bar:
            while not job.finished:
                time.sleep(POLL_SECONDS)
                try:
                    job = desk.store.get_job(job.id)
                    notice = NO_WORKER if silent_for(job) > PATIENCE_SECONDS else ""
                except StoreAway as error:
                    notice = f"{error} The job goes on when it is back."
                if notice not in told:
                    bar.write(notice, sys.stderr)
                    told.add(notice)
                bar.total = job.total
                bar.update(job.done - bar.n)
    except KeyboardInterrupt:
        raise TicketingError(
            "The worker goes on; `ticketing reindex` shows it again,"
            " `ticketing reindex --cancel` ends it."
        ) from None
    return job


def summary(job: Job) -> str:
    """One line: what, state, done of total, rate, estimate, number of errors, message."""
    parts = [f"{job.kind} {job.bundle_id}: {job.state}"]
    if job.total:
        parts.append(f"{job.done} of {job.total} tickets")
    if speed := rate(job):
        parts.append(f"{speed:.0f} a second")
    if not job.finished and (left := seconds_left(job)) is not None:
        parts.append(f"{left:.0f} s left")
    if job.cancel_requested and not job.finished:
        parts.append("to be cancelled")
    if job.errors:
        parts.append(f"{len(job.errors)} set aside")
    if job.message and job.message != job.state:
        parts.append(job.message)
    return ", ".join(parts)
