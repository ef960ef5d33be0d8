"""`ticketing reindex`: codes for every ticket under a bundle, which serves then."""

import click

from ticketing.cli.actor import audit, command_line
from ticketing.cli.options import DETACH
from ticketing.cli.printing import say
from ticketing.desk import open_desk
from ticketing.history import Deed
from ticketing.jobs import Promotion
from ticketing.settings import load_settings
from worker.app import make_app
from worker.follow import detached, follow, show_end
from worker.jobs import start_reindex


@click.command("reindex")
@click.argument("bundle", default="")
@click.option("--ask", is_flag=True, help="Wait for a yes or no before the new bundle serves.")
@DETACH
def command(bundle: str, ask: bool, detach: bool) -> None:
    """Encode every ticket with BUNDLE, and let it serve unless it loses.

    BUNDLE is the newest one by default. It is compared with the serving bundle on the test queries.
    With --ask the job then waits for `ticketing jobs JOB --yes` or --no. Workers (`ticketing work`)
    do the encoding; if none runs and TICKETING_BROKER is not set, this command does it. If it is
    interrupted, run it again: it continues where it stopped.
    """
    settings = load_settings()
    desk, app = open_desk(settings), make_app(settings)
    bundle = desk.bundle(bundle)
    promotion = Promotion.ASK if ask else Promotion.RULE
    job = start_reindex(desk, app, bundle, promotion, command_line().name)
    audit(desk, Deed.JOB_BEGUN, f"reindex {job.id}")
    if detach:
        say(detached(job))
    else:
        show_end(follow(desk, app, job))
