"""`ticketing evaluate`: how good is the ranking, beside BM25, and why."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import click

from ticketing.cli.model_settings import read_settings
from ticketing.cli.options import DATE, FILE
from ticketing.cli.samples import measured_labels, why_not
from ticketing.desk import Desk, open_desk
from ticketing.errors import InputError
from ticketing.evaluation.bundle_diff import changes
from ticketing.evaluation.measurement import (
    Measurement,
    Sample,
    measure_bundle,
    measure_words,
    measurement_text,
)
from ticketing.evaluation.metrics import with_answers, write_run
from ticketing.evaluation.runs import in_memory
from ticketing.experiments.cache import TrainingCache, labels_digest
from ticketing.experiments.gupta2018.row_models import RowModels, measure_rows
from ticketing.experiments.gupta2018.rows import ROWS, Row, choose_rows
from ticketing.labels import is_test
from ticketing.model.settings import NetworkSettings
from ticketing.settings import load_settings
from ticketing.training.settings import TrainingSettings
from ticketing.training.validation import is_validation

FIT_QUERIES = 200
"""Queries whose labels map distances to grades."""


@click.command()
@click.option("--bundle", default="", help="The bundle to measure (default: the serving one).")
@click.option("--since", type=DATE, help="Only queries that are tickets created from this date on.")
@click.option("--before", type=DATE, help="Only queries that are tickets created before this date.")
@click.option("--demo", is_flag=True, help="The demonstration base's 28 end-user queries.")
@click.option("--run", "run_file", type=FILE, help="Also write the ranking as a TREC run.")
@click.option("--rows", help="Also rows of the paper's Tables 5 and 6: all, or as 1-14,22.")
@click.option("--settings", "file", type=FILE, help="TOML for the rows' trainings, as for train.")
@click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="As for train.")
@click.option("--compare", nargs=2, metavar="A B", help="Two bundles, query by query.")
@click.option("--report", type=FILE, help="Also write a page with tables, plots and misses.")
def command(
    bundle: str,
    since: datetime | None,
    before: datetime | None,
    demo: bool,
    run_file: Path | None,
    rows: str | None,
    file: Path | None,
    overrides: tuple[str, ...],
    compare: tuple[str, str] | None,
    report: Path | None,
) -> None:
    """Metrics of the ranking on labelled queries, beside its channels alone and BM25.

    Without dates the queries are the held-out ones, which no training has seen. A query
    that is a ticket is matched only against tickets created before it.

    `--rows` trains what the rows need on what is not measured (on tickets created before
    `--since`), keeps it, and resumes when interrupted; a second run only prints.
    """
    chosen = choose_rows(rows) if rows else []
    settings = read_settings(file, overrides)
    desk = open_desk(load_settings())
    sample = _sample(desk, since, before, demo)
    if reason := why_not(desk, sample.labels):
        click.echo(reason)
        return
    one, other = compare or (bundle, "")
    recommender = in_memory(desk.recommender(one))
    for warning in _leaks(desk, (recommender.model.id, other), since, before):
        click.echo(warning)
    lines = measure_bundle(recommender, sample)
    reference, compared = lines[0], []
    if other:
        second = measure_bundle(in_memory(desk.recommender(other)), sample)[0]
        compared = changes(sample.labels, lines[0].ranked, second.ranked)
        lines.insert(1, second)
    if chosen:
        _refuse_leaks(chosen, since, before)
        lines += measure_rows(chosen, _row_models(desk, sample, since, settings), sample)
        reference = lines[-1] if chosen[-1] == ROWS[-1] else reference
    lines.append(measure_words(desk.store, sample))
    found = Measurement(sample, lines, reference, compared)
    for line in measurement_text(found):
        click.echo(line)
    if run_file:
        write_run(run_file, with_answers(sample.labels), lines[0].ranked.run, recommender.model.id)
        click.echo(f"The run is in {run_file}.")
    if report:
        from ticketing.evaluation.report import write_report

        write_report(report, found, recommender, desk.notice)
        click.echo(f"The report is in {report}.")


def _sample(desk: Desk, since: datetime | None, before: datetime | None, demo: bool) -> Sample:
    judged = desk.labels()
    labels = measured_labels(desk, judged, since, before, demo)
    asked = {label.query.id for label in labels}
    unseen = [
        label
        for label in judged
        if label.query.id not in asked
        and (is_validation(label.query.id) or is_test(label.query.id))
    ]
    some = set(sorted({label.query.id for label in unseen})[:FIT_QUERIES])
    return Sample(labels, [label for label in unseen if label.query.id in some])


def _leaks(
    desk: Desk, bundles: Sequence[str], since: datetime | None, before: datetime | None
) -> Iterator[str]:
    """Which bundles have seen the period that is evaluated, a sentence each."""
    for bundle in filter(None, bundles) if since or before else ():
        newest = desk.models.manifest(bundle)["data"].get("newest")
        if newest and (not since or newest >= since.isoformat()):
            yield (
                f"Bundle {bundle} has learned from tickets until {newest[:10]}, so it may know "
                "texts and labels of these queries; measure one that `ticketing train --before` "
                "has kept from them."
            )


def _refuse_leaks(rows: Sequence[Row], since: datetime | None, before: datetime | None) -> None:
    if before and not since and any(row.trained for row in rows):
        raise InputError(
            "--rows: the rows are trained on tickets created before --since; give it as well."
        )


def _row_models(
    desk: Desk,
    sample: Sample,
    since: datetime | None,
    settings: tuple[NetworkSettings, TrainingSettings],
) -> RowModels:
    """The rows' models live beside the desk's own: they never serve."""
    tickets = list(desk.store.iter_tickets())
    trainings = TrainingCache(desk.settings.home / "evaluation", len(tickets), click.echo)
    trainer = Desk(desk.settings, desk.store, trainings.models)
    return RowModels(
        trainings,
        tickets,
        sample.all,
        f"before {since} {labels_digest(desk.labels())}",
        *settings,
        train=lambda network, training: trainer.train(network, training, since),
        threads=desk.settings.threads,
    )
