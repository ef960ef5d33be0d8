"""Shared parts of the measuring commands: options, queries, the printed table."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any

import click
from threadpoolctl import threadpool_limits

from ticketing.cli.options import DATE, TARGET, Command
from ticketing.cli.printing import say
from ticketing.cli.waiting import shown_waiting
from ticketing.desk import Desk
from ticketing.desk.measuring import Measuring, measure, sample_of, why_not
from ticketing.errors import InputError, NotReady
from ticketing.evaluation.comparison import Line
from ticketing.evaluation.measurement import Sample, measurement_text
from ticketing.evaluation.metrics import with_answers, write_run


@dataclass(frozen=True)
class MeasuringOptions:
    """The options of `choose_measuring`: what to measure, and which files to write."""

    measured: Measuring
    run_file: Path | None
    report: Path | None


def choose_queries(function: Command) -> Command:
    """Decorator: add the options that select labelled queries: since, before, demo."""
    for option in (
        click.option(
            "--demo", is_flag=True, help="Only the 28 end-user queries of the demonstration base."
        ),
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
    """Decorator: add the options of MeasuringOptions, passed to the function as `measuring`."""

    @click.option("--bundle", default="", help="The bundle to measure (default: the serving one).")
    @choose_queries
    @click.option("--run", "run_file", type=TARGET, help="Also write the ranking as a TREC run.")
    @click.option(
        "--compare", nargs=2, metavar="A B", help="Compare two bundles, also query by query."
    )
    @click.option(
        "--encoder",
        default="",
        help="Also measure a sentence encoder, alone and with BM25: its folder, or 'installed' for "
        "that of the extra `teacher`.",
    )
    @click.option(
        "--untimed",
        is_flag=True,
        help="Test each line against the line 'without time', not against the first.",
    )
    @click.option(
        "--report",
        type=TARGET,
        help="Also write an HTML page with tables, plots, and queries whose first "
        "ticket is not right.",
    )
    @wraps(function)
    def chosen(
        bundle: str,
        since: datetime | None,
        before: datetime | None,
        demo: bool,
        run_file: Path | None,
        compare: tuple[str, str] | None,
        encoder: str,
        untimed: bool,
        report: Path | None,
        **others: Any,
    ) -> None:
        if bundle and compare:
            raise InputError("--compare names both bundles to measure; leave out --bundle.")
        one, other = compare or (bundle, "")
        measured = Measuring(one, other, since, before, demo, encoder, untimed)
        function(measuring=MeasuringOptions(measured, run_file, report), **others)

    return chosen


def print_measurement(
    desk: Desk,
    measuring: MeasuringOptions,
    others: Callable[[Sample], list[Line]] = lambda sample: [],
    reference: str = "",
) -> None:
    """Measure bundles, `others` and BM25 on the same queries, write the files, and print one table.

    Files are written first, since a closed pipe ends the printing. All are tested against the line
    named `reference`, or else against the first bundle. Raises NotReady if nothing can be measured.
    """
    asked = measuring.measured
    sample = sample_of(desk, asked)
    if reason := why_not(desk, sample.labels, asked.since, asked.before):
        raise NotReady(reason)
    with shown_waiting("Loading the model"):
        desk.recommender(asked.bundle)
    with threadpool_limits(1):  # its products are small: threads would wait for each other
        measured = measure(desk, asked, sample, others, reference)
        text = measurement_text(measured.found)
    found = measured.found
    if measuring.run_file:
        answered = with_answers(sample.labels)
        first = found.lines[0].ranked
        write_run(measuring.run_file, answered, first.run, measured.recommender.model.id)
    if measuring.report:
        from ticketing.evaluation.report import write_report

        write_report(measuring.report, found, measured.recommender, desk.notice)
    for line in (*measured.warnings, *text):
        say(line)
    if measuring.run_file:
        say(f"The run is in {measuring.run_file}.")
    if measuring.report:
        say(f"The report is in {measuring.report}.")
