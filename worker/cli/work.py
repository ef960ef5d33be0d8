"""`ticketing work`: a worker."""

import sys
from contextlib import closing
from functools import partial

import click

from ticketing.cli.printing import say
from ticketing.desk import open_desk
from ticketing.desk.imports import IMPORTS
from ticketing.files import require_writes, sweep_folders
from ticketing.settings import load_settings
from worker.app import make_app
from worker.connection import waiting_messages
from worker.queues import QUEUES
from worker.supervisor import end_with_input, supervise
from worker.workplace import Workplace


@click.command("work")
@click.option(
    "--queue",
    "queues",
    type=click.Choice(QUEUES),
    multiple=True,
    default=QUEUES,
    help="Take jobs of this queue only; repeatable (default: both queues).",
)
@click.option(
    "--events", is_flag=True, help="Send Celery's events, which the monitor Flower shows."
)
@click.option("--while-fed", is_flag=True, help="End when standard input ends.")
def command(queues: tuple[str, ...], events: bool, while_fed: bool) -> None:
    """Run a worker until Ctrl-C: it does encoding, training, evaluation and import.

    Each queue has a process of its own, so that long jobs never hold up encoding. To have more
    workers, start the command more than once: they share the jobs.
    """
    settings = load_settings()
    if while_fed:
        end_with_input()
    with closing(open_desk(settings)):
        require_writes(settings.home)
        sweep_folders(settings.home / IMPORTS)
    waiting_messages(app := make_app(settings))
    say("Waiting for work (Ctrl-C ends it)")
    place = Workplace(partial(open_desk, settings))
    code = supervise(app, place, queues, settings.log_level, events)
    say("The worker has ended.")
    sys.exit(code)
