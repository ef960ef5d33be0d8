"""`ticketing experiments gupta2018 rows`: Tables 5 and 6, beside a bundle and BM25."""

from pathlib import Path

import click

from ticketing.cli.measuring import MeasuringOptions, choose_measuring, print_measurement
from ticketing.cli.model_settings import choose_settings, read_settings
from ticketing.cli.printing import say
from ticketing.desk import Desk, open_desk
from ticketing.errors import InputError
from ticketing.evaluation.measurement import Sample
from ticketing.experiments.cache import labels_digest, open_cache
from ticketing.experiments.gupta2018.row_models import RowModels, measure_rows
from ticketing.experiments.gupta2018.rows import ROWS, choose_rows
from ticketing.model.settings import NetworkSettings
from ticketing.settings import load_settings
from ticketing.training.settings import TrainingSettings


@click.command("rows")
@click.argument("rows", default="all")
@click.option(
    "--time", is_flag=True, help="Also measure the trained rows with time, as further rows."
)
@choose_measuring
@choose_settings
def command(
    rows: str,
    time: bool,
    measuring: MeasuringOptions,
    file: Path | None,
    overrides: tuple[str, ...],
) -> None:
    """Measure ROWS of the paper's Tables 5 and 6: all, or numbers such as 1-14,22.

    The rows are trained without the labels of the measured queries; with --since they are trained
    on tickets created before it. The table also has the lines of `ticketing evaluate`. If row 22 is
    among the rows, all others are tested against it. Time counts in none of the paper's rows; every
    row says whether it counts.
    """
    chosen = choose_rows(rows)
    settings = read_settings(file, overrides)
    if (
        measuring.measured.before
        and not measuring.measured.since
        and any(row.trained for row in chosen)
    ):
        raise InputError(
            "--before needs --since, the date that the tickets to train the rows on end at."
        )
    desk = open_desk(load_settings())
    print_measurement(
        desk,
        measuring,
        lambda sample: measure_rows(
            chosen, _row_models(desk, measuring, sample, settings), sample, time
        ),
        reference=f"#{ROWS[-1].number}",
    )


def _row_models(
    desk: Desk,
    measuring: MeasuringOptions,
    sample: Sample,
    settings: tuple[NetworkSettings, TrainingSettings],
) -> RowModels:
    """The rows' models live beside the desk's own: they never serve."""
    trainings, trainer = open_cache(desk, say)
    since = measuring.measured.since
    return RowModels(
        trainings,
        list(desk.store.iter_tickets()),
        sample.all,
        f"before {since} {labels_digest(desk.labels())}",
        *settings,
        train=lambda network, training: trainer.train(network, training, since),
        threads=desk.settings.threads,
    )
