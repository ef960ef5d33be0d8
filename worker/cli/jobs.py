"""`ticketing jobs`: what is being done and what was."""

import click

from ticketing.desk import open_desk
from ticketing.settings import load_settings
from worker.progress import summary


@click.command("jobs")
def command() -> None:
    """List the latest jobs with their state, progress, rate, estimate and errors."""
    listed = open_desk(load_settings()).store.jobs()
    for job in listed:
        click.echo(summary(job))
    if not listed:
        click.echo("There are no jobs yet; `ticketing train` starts one.")
