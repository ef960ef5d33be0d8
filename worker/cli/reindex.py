"""`ticketing reindex`: codes for every ticket under a bundle, which serves then."""

import click

from ticketing.desk import Desk, open_desk
from ticketing.errors import NotFound
from ticketing.jobs import Job, JobKind
from ticketing.settings import load_settings
from worker.app import make_app
from worker.follow import encode_and_promote
from worker.jobs import cancel_job


@click.command("reindex")
@click.argument("bundle", default="")
@click.option("--cancel", is_flag=True, help="End the reindexing that is under way.")
def command(bundle: str, cancel: bool) -> None:
    """Encode every ticket under BUNDLE, which serves then unless it loses.

    BUNDLE is the newest one unless given; it is compared with the serving one. Run again, it
    goes on where it stopped. Workers (`ticketing work`) do the encoding, or this command itself
    where none is there and no TICKETING_BROKER is set.
    """
    settings = load_settings()
    desk = open_desk(settings)
    bundle = desk.bundle(bundle)
    if cancel:
        job = cancel_job(desk, _unfinished(desk, bundle).id)
        click.echo("Cancelled." if job.finished else "The worker ends after its current batch.")
        return
    encode_and_promote(desk, make_app(settings), bundle)


def _unfinished(desk: Desk, bundle: str) -> Job:
    for job in desk.store.unfinished_jobs():
        if job.kind == JobKind.REINDEX and job.bundle_id == bundle:
            return job
    raise NotFound(f"No reindexing of bundle {bundle} is under way; `ticketing jobs` lists all.")
