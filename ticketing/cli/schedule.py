"""`ticketing schedule`: see and set when the desk trains by itself."""

from datetime import datetime

import click

from ticketing.cli.actor import audit
from ticketing.cli.groups import Group
from ticketing.cli.printing import say
from ticketing.desk import Desk, open_desk
from ticketing.errors import InputError
from ticketing.history import Deed
from ticketing.jobs import Promotion
from ticketing.plurals import counted
from ticketing.schedule import DEFAULT_TIME, Weekday
from ticketing.settings import load_settings


@click.group("schedule", cls=Group)
def command() -> None:
    """See and set when the desk trains by itself."""


@command.command()
def show() -> None:
    """Show what is scheduled, and when it comes next."""
    _show(open_desk(load_settings()))


@command.command("set")
@click.option(
    "--weekly",
    type=click.Choice([day.value for day in Weekday]),
    help="Train every week on this day.",
)
@click.option(
    "--at",
    type=click.DateTime(["%H:%M"]),
    help=f"Time of that day (UTC); default {DEFAULT_TIME:%H:%M}.",
)
@click.option("--judgments", type=click.IntRange(1), help="Train after this many new judgments.")
@click.option("--ask", is_flag=True, help="A new model waits for an admin's yes.")
def set_(weekly: str | None, at: datetime | None, judgments: int | None, ask: bool) -> None:
    """Train every week, after a number of new judgments, or both.

    The options replace the whole schedule. Without --weekly and --judgments, scheduled training is
    switched off. A worker (`ticketing work`) begins the training. If no worker ran at a scheduled
    time, one training begins when a worker runs again.
    """
    if at and not weekly:
        raise InputError("--at is the time of a weekly training; name its day with --weekly.")
    if ask and not (weekly or judgments):
        raise InputError(
            "--ask is about a scheduled training; say when it is with --weekly or --judgments."
        )
    desk = open_desk(load_settings())
    promotion = Promotion.ASK if ask else Promotion.RULE
    day, time = Weekday(weekly) if weekly else None, at.time() if at else DEFAULT_TIME
    before = desk.schedule()
    desk.set_schedule(day, time, judgments or 0, promotion)
    audit(desk, Deed.SCHEDULED, "training")
    if before.weekday and not day:
        say(f"The weekly training on {before.weekday.capitalize()} is no longer scheduled.")
    if before.judgments and not judgments:
        new = counted(before.judgments, "new judgment")
        say(f"The training after {new} is no longer scheduled.")
    _show(desk)


def _show(desk: Desk) -> None:
    schedule = desk.schedule()
    if coming := schedule.next_time():
        say(f"The next weekly training is due on {coming:%A, %Y-%m-%d %H:%M} UTC.")
    if schedule.judgments:
        say(
            f"A training begins after {counted(schedule.judgments, 'new judgment')};"
            f" {desk.new_judgments():,} came so far."
        )
    if not (coming or schedule.judgments):
        say("Nothing is scheduled; `ticketing schedule set --help` says how.")
    elif schedule.promotion == Promotion.ASK:
        say("The new model waits for an admin's yes.")
    else:
        say("The new model serves unless it loses to the serving one.")
    if named := desk.usual_settings_named():
        say(f"Trainings use the settings of the serving bundle: {', '.join(named)}.")
