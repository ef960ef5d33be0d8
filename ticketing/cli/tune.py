"""`ticketing tune`: a sentence encoder that has learned from the desk's own texts and judgments."""

from datetime import datetime
from pathlib import Path

import click

from ticketing.cli.model_settings import read_tuning_settings
from ticketing.cli.options import DATE, FILE, choose_overrides
from ticketing.cli.printing import say
from ticketing.desk import open_desk
from ticketing.settings import load_settings


@click.command("tune")
@click.argument("out", type=FILE)
@click.option(
    "--encoder",
    default="installed",
    help="sentence-transformers folder to begin with (default: that of the extra `teacher`).",
)
@click.option("--before", type=DATE, help="Learn only from tickets created before this date.")
@choose_overrides("tuning.epochs=2")
def command(out: Path, encoder: str, before: datetime | None, overrides: tuple[str, ...]) -> None:
    """Tune a sentence encoder on the desk's tickets and judgments, for use as a teacher.

    The encoder is written to the folder OUT. One tuning is enough: with `--set
    training.teacher=OUT`, every later `ticketing train` learns from this encoder, or uses it as the
    encoder S. If the tuning is interrupted, run it again: it continues where it stopped.
    """
    settings = read_tuning_settings(overrides)
    open_desk(load_settings()).tune_encoder(encoder, settings, out, before)
    say(
        f"The tuned encoder is in {out}; "
        f"`ticketing train --set training.teacher={out.resolve()}` learns from it."
    )
