"""What commands that measure share: their options, the queries, the printed table."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from ticketing.cli.options import DATE, FILE
from ticketing.cli.waiting import shown_waiting
from ticketing.desk import Desk
from ticketing.evaluation.ages import ages_of
from ticketing.evaluation.bundle_diff import changes
from ticketing.evaluation.comparison import Line
from ticketing.evaluation.measurement import (
    NO_LABELS,
    NO_TICKETS,
    Measurement,
    Sample,
    measure_bundle,
    measure_channels,
    measure_words,
    measurement_text,
)
from ticketing.evaluation.metrics import with_answers, write_run
from ticketing.evaluation.reliability import measure_trust
from ticketing.evaluation.runs import in_memory
from ticketing.labels import is_test
from ticketing.tickets import Filters, Label
from ticketing.training.validation import is_validation

FIT_QUERIES = 200
"""Queries whose labels map distances to grades."""


Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Measuring:
    """The options of `choose_measuring`: bundles, queries, and files to write."""

    bundle: str
    since: datetime | None
    before: datetime | None
    demo: bool
    run_file: Path | None
    compare: tuple[str, str] | None
    report: Path | None


def choose_queries(function: Command) -> Command:
    """Add the options that say which labelled queries are measured: since, before, demo."""
    for option in (
        click.option("--demo", is_flag=True, help="The demonstration base's 28 end-user queries."),
        click.option(
            "--before", type=DATE, help="Only queries that are tickets created before this date."
        ),
        click.option(
            "--since", type=DATE, help="Only queries that are tickets created from this date on."
        ),
    ):
        function = option(function)
    return function


def choose_measuring(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of Measuring, and give them to the function as `measuring`."""

    @click.option("--bundle", default="", help="The bundle to measure (default: the serving one).")
    @choose_queries
    @click.option("--run", "run_file", type=FILE, help="Also write the ranking as a TREC run.")
    @click.option("--compare", nargs=2, metavar="A B", help="Two bundles, query by query.")
    @click.option("--report", type=FILE, help="Also write a page with tables, plots and misses.")
    @wraps(function)
    def told(
        bundle: str,
        since: datetime | None,
        before: datetime | None,
        demo: bool,
        run_file: Path | None,
        compare: tuple[str, str] | None,
        report: Path | None,
        **others: Any,
    ) -> None:
        options = Measuring(bundle, since, before, demo, run_file, compare, report)
        function(measuring=options, **others)

    return told


def print_measurement(
    desk: Desk,
    measuring: Measuring,
    others: Callable[[Sample], list[Line]] = lambda sample: [],
    reference: str = "",
) -> None:
    """Measure bundles, `others` and BM25 on the same queries, print one table, write the files.

    All are tested against the line named `reference`, or else against the first bundle.
    """
    sample = _sample(desk, measuring)
    if reason := why_not(desk, sample.labels):
        click.echo(reason)
        return
    one, other = measuring.compare or (measuring.bundle, "")
    with shown_waiting("Loading the model"):
        rankers = in_memory(desk.store, desk.recommender(one).model)
    for warning in _leaks(desk, (rankers.model.id, other), measuring):
        click.echo(warning)
    lines, compared = measure_bundle(rankers, sample), []
    if other:
        second = measure_bundle(in_memory(desk.store, desk.recommender(other).model), sample)
        compared = changes(sample.labels, lines[0].ranked, second[0].ranked)
        lines = [lines[0], second[0], *lines[1:], *second[1:]]
    lines += measure_channels(rankers, sample)
    lines += [*others(sample), *measure_words(desk.store, rankers.store, sample)]
    tested = next((line for line in lines if line.name == reference), lines[0])
    trust = measure_trust(rankers.recommender(), sample.labels, sample.fit)
    found = Measurement(sample, lines, tested, compared, trust, ages_of(desk.store, sample.labels))
    for line in measurement_text(found):
        click.echo(line)
    if measuring.run_file:
        answered = with_answers(sample.labels)
        write_run(measuring.run_file, answered, lines[0].ranked.run, rankers.model.id)
        click.echo(f"The run is in {measuring.run_file}.")
    if measuring.report:
        from ticketing.evaluation.report import write_report

        write_report(measuring.report, found, rankers.recommender(), desk.notice)
        click.echo(f"The report is in {measuring.report}.")


def measured_labels(
    desk: Desk,
    judged: Sequence[Label],
    since: datetime | None,
    before: datetime | None,
    demo: bool,
) -> list[Label]:
    """Labels of the queries that are tickets created in [since, before); without dates those of
    the test queries; for `demo` those of the demonstration base's end users."""
    if demo:
        return _end_user_labels()
    if not (since or before):
        return [label for label in judged if is_test(label.query.id)]
    within = Filters(created_since=since, created_before=before)
    queries = {ticket.id for ticket in desk.store.iter_tickets(within)}
    return [label for label in judged if label.query.ticket_id in queries]


def why_not(desk: Desk, labels: Sequence[Label]) -> str:
    """Why nothing can be measured by these labels; nothing where it can."""
    if not labels:
        return NO_LABELS
    found = desk.store.get_tickets([label.ticket_id for label in labels])
    return "" if found else NO_TICKETS


def _sample(desk: Desk, measuring: Measuring) -> Sample:
    judged = desk.labels()
    labels = measured_labels(desk, judged, measuring.since, measuring.before, measuring.demo)
    measured = {label.query.id for label in labels}
    unseen = [
        label
        for label in judged
        if label.query.id not in measured
        and (is_validation(label.query.id) or is_test(label.query.id))
    ]
    some = set(sorted({label.query.id for label in unseen})[:FIT_QUERIES])
    return Sample(labels, [label for label in unseen if label.query.id in some])


def _leaks(desk: Desk, bundles: Sequence[str], measuring: Measuring) -> Iterator[str]:
    """Which bundles have seen the period that is measured, a sentence each."""
    since, before = measuring.since, measuring.before
    for bundle in filter(None, bundles) if since or before else ():
        newest = desk.models.manifest(bundle)["data"].get("newest")
        if newest and (not since or newest >= since.isoformat()):
            yield (
                f"Bundle {bundle} has learned from tickets until {newest[:10]}, so it may know "
                "texts and labels of these queries; measure one that `ticketing train --before` "
                "has kept from them."
            )


def _end_user_labels() -> list[Label]:
    """Gold labels that the demonstration base keeps for measuring; no judgment holds them."""
    from ticketing.demo.generator import generate

    return list(generate().gold)
