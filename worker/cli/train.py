"""`ticketing train`: a new bundle from the desk's tickets and judgments, which serves then."""

from datetime import datetime
from pathlib import Path

import click

from ticketing.cli.actor import audit, command_line
from ticketing.cli.model_settings import choose_settings, read_settings
from ticketing.cli.options import DATE, DETACH, FILE
from ticketing.cli.printing import say
from ticketing.desk import open_desk
from ticketing.errors import InputError
from ticketing.history import Deed
from ticketing.jobs import JobState, Promotion
from ticketing.settings import load_settings
from worker.app import make_app
from worker.follow import detached, follow, interrupted_training, show_end
from worker.jobs import start_training


@click.command("train")
@choose_settings
@click.option("--before", type=DATE, help="Learn only from tickets created before this date.")
@click.option(
    "--vectors", type=FILE, help="File of word vectors to begin with (word2vec, GloVe or fastText)."
)
@click.option("--ask", is_flag=True, help="Wait for a yes or no before the new bundle serves.")
@click.option("--no-promote", is_flag=True, help="Only write the bundle; let the old one serve.")
@DETACH
def command(
    file: Path | None,
    overrides: tuple[str, ...],
    before: datetime | None,
    vectors: Path | None,
    ask: bool,
    no_promote: bool,
    detach: bool,
) -> None:
    """Train a model on the desk's tickets and judgments, and let it serve.

    The model is written as a bundle. A second job encodes every ticket with it and compares it with
    the serving bundle on the test queries; it serves unless it loses. With --ask this job waits for
    `ticketing jobs JOB --yes` or --no before the bundle serves. Workers (`ticketing work`) do both
    jobs; if none runs and TICKETING_BROKER is not set, this command does them. If it is
    interrupted, run it again: it continues where it stopped.
    """
    if ask and no_promote:
        raise InputError(
            "With --no-promote the bundle will not serve, so there is nothing to --ask; give one."
        )
    network, training = (
        made.model_dump(mode="json", exclude_unset=True) for made in read_settings(file, overrides)
    )
    settings = load_settings()
    desk, app = open_desk(settings), make_app(settings)
    promotion = Promotion.ASK if ask else Promotion.NEVER if no_promote else Promotion.RULE
    arguments = desk.training_arguments(network, training, before, vectors, promotion)
    job = interrupted_training(desk, app, arguments) or start_training(
        desk, app, arguments, command_line().name
    )
    audit(desk, Deed.JOB_BEGUN, f"training {job.id}")
    if detach:
        say(detached(job))
        return
    job = follow(desk, app, job)
    show_end(job)
    if no_promote and job.state == JobState.DONE:
        say(f"`ticketing reindex {job.result['bundle']}` lets it serve.")
    if reindex := desk.store.get_job(job.result.get("reindex", "")):
        show_end(follow(desk, app, reindex))
