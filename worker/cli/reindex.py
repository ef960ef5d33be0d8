"""`ticketing reindex`: codes for every ticket under a bundle, which serves then."""

import click

from ticketing.cli.doer import audit, command_line
from ticketing.cli.options import DETACH
from ticketing.cli.printing import say
from ticketing.desk import Desk, open_desk
from ticketing.errors import NotFound
from ticketing.history import Deed
from ticketing.jobs import Job, JobKind, Promotion
from ticketing.settings import load_settings
from worker.app import make_app
from worker.follow import detached, follow, show_end
from worker.jobs import cancel_for, start_reindex


@click.command("reindex")
@click.argument("bundle", default="")
@click.option("--ask", is_flag=True, help="Let somebody say yes or no before it serves.")
@click.option("--cancel", is_flag=True, help="End the reindexing that is under way.")
@DETACH
def command(bundle: str, ask: bool, cancel: bool, detach: bool) -> None:
    """Encode every ticket under BUNDLE, which serves then unless it loses.

    BUNDLE is the newest one unless given; it is compared with the serving one. Run again, it
    goes on where it stopped. Workers (`ticketing work`) do the encoding, or this command itself
    where none is there and no TICKETING_BROKER is set. With --ask it waits, compared, until
    `ticketing jobs JOB --yes` or --no.
    """
    settings = load_settings()
    desk, app = open_desk(settings), make_app(settings)
    bundle = desk.bundle(bundle)
    if cancel:
        job = cancel_for(desk, _unfinished(desk, bundle).id, command_line())
        say("Cancelled." if job.finished else "The worker ends after its current batch.")
        return
    promotion = Promotion.ASK if ask else Promotion.RULE
    job = start_reindex(desk, app, bundle, promotion, command_line().name)
    audit(desk, Deed.JOB_BEGUN, f"reindex {job.id}")
    if detach:
        say(detached(job))
    else:
        show_end(follow(desk, app, job))


def _unfinished(desk: Desk, bundle: str) -> Job:
    for job in desk.store.unfinished_jobs():
        if job.kind == JobKind.REINDEX and job.bundle_id == bundle:
            return job
    raise NotFound(f"No reindexing of bundle {bundle} is under way; `ticketing jobs` lists all.")
