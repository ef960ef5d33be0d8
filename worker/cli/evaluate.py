"""`ticketing evaluate`, which does it here or leaves it to the workers."""

import click

from ticketing.cli.actor import audit, command_line
from ticketing.cli.measuring import MeasuringOptions, choose_measuring, print_measurement
from ticketing.cli.options import DETACH
from ticketing.cli.printing import say
from ticketing.desk import open_desk
from ticketing.errors import InputError
from ticketing.history import Deed
from ticketing.settings import load_settings
from worker.app import make_app
from worker.follow import detached
from worker.jobs import start_evaluation


@click.command("evaluate")
@choose_measuring
@DETACH
def command(measuring: MeasuringOptions, detach: bool) -> None:
    """Measure the ranking on labelled queries, also each channel alone and BM25.

    Without dates the test queries are measured, which no training has seen. A query that is a
    ticket is compared only with tickets that are not younger. With --detach the store keeps the
    report, and the page Jobs shows it.
    """
    settings = load_settings()
    desk = open_desk(settings)
    if not detach:
        print_measurement(desk, measuring)
        return
    asked = measuring.measured
    if asked.demo or asked.encoder or asked.untimed or measuring.run_file or measuring.report:
        raise InputError(
            "--detach goes with none of --demo, --encoder, --untimed, --run and --report; "
            "leave it out."
        )
    arguments = desk.evaluation_arguments(asked.bundle, asked.other, asked.since, asked.before)
    job = start_evaluation(desk, make_app(settings), arguments, command_line().name)
    audit(desk, Deed.JOB_BEGUN, f"evaluation {job.id}")
    say(detached(job))
