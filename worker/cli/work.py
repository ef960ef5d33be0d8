"""`ticketing work`: a worker process."""

import sys
from contextlib import closing

import click

from ticketing.desk import open_desk
from ticketing.settings import load_settings
from worker.app import make_app
from worker.run import end_with_input, run_worker


@click.command("work")
@click.option("--while-fed", is_flag=True, help="End when standard input ends.")
def command(while_fed: bool) -> None:
    """Encode tickets for reindexing until Ctrl-C.

    Start it again for another worker; all of them share the work.
    """
    settings = load_settings()
    if while_fed:
        end_with_input()
    with closing(open_desk(settings)) as desk:
        click.echo("Waiting for work (Ctrl-C ends it)")
        code = run_worker(make_app(settings), desk)
    click.echo("The worker has ended.")
    sys.exit(code)
