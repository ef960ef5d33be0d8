"""`ticketing evaluate`: how good is the ranking, beside BM25."""

from datetime import datetime
from pathlib import Path
from time import perf_counter

import click
import numpy as np

from ticketing.cli.options import DATE, FILE
from ticketing.desk import Desk, open_desk
from ticketing.evaluation.promotion import run_queries
from ticketing.evaluation.ranking import Run, evaluate, with_answers, write_run
from ticketing.evaluation.words import run_words
from ticketing.labels import is_held_out
from ticketing.settings import load_settings
from ticketing.tickets import Filters, Label


@click.command()
@click.option("--bundle", default="", help="The bundle to measure (default: the serving one).")
@click.option("--since", type=DATE, help="Only queries that are tickets created from this date on.")
@click.option("--before", type=DATE, help="Only queries that are tickets created before this date.")
@click.option("--demo", is_flag=True, help="The demonstration base's 28 end-user queries.")
@click.option("--run", "run_file", type=FILE, help="Also write the ranking as a TREC run.")
def command(
    bundle: str,
    since: datetime | None,
    before: datetime | None,
    demo: bool,
    run_file: Path | None,
) -> None:
    """Metrics of the ranking on labelled queries with a YES, beside BM25.

    Without dates the queries are the held-out ones, which no training has seen. A query
    that is a ticket is matched only against tickets created before it.
    """
    desk = open_desk(load_settings())
    labels = with_answers(_end_user_labels() if demo else _chosen(desk, since, before))
    if not labels:
        click.echo(
            "Nothing can be measured: no such query has a YES. Judge results in the page, or "
            "import labels with `ticketing labels import`."
        )
        return
    queries = {label.query.id: label.query for label in labels}
    recommender = desk.recommender(bundle)
    start = perf_counter()
    run = run_queries(recommender, list(queries.values()))
    took = (perf_counter() - start) / len(queries) * 1000
    click.echo(f"{len(queries)} queries, {len(labels)} labels, {took:.0f} ms a query in bulk")
    if run_file:
        write_run(run_file, labels, run, recommender.model.id)
        click.echo(f"The run is in {run_file}.")
    rows = {
        f"bundle {recommender.model.id}": run,
        "BM25": run_words(desk.store, list(queries.values())),
    }
    for line in _table(labels, rows):
        click.echo(line)


def _chosen(desk: Desk, since: datetime | None, before: datetime | None) -> list[Label]:
    labels = desk.labels()
    if not (since or before):
        return [label for label in labels if is_held_out(label.query.id)]
    within = Filters(created_since=since, created_before=before)
    asked = {ticket.id for ticket in desk.store.iter_tickets(within)}
    return [label for label in labels if label.query.ticket_id in asked]


def _end_user_labels() -> list[Label]:
    """Gold labels that the demonstration base keeps for measuring; no judgment holds them."""
    from ticketing.demo.generator import generate

    return list(generate().gold)


def _table(labels: list[Label], rows: dict[str, Run]) -> list[str]:
    tables = {name: evaluate(labels, run) for name, run in rows.items()}
    measures = next(iter(tables.values()))
    lines = [f"{'':24}" + "".join(f"{name:>12}" for name in measures)]
    for name, table in tables.items():
        lines.append(f"{name:24}" + "".join(f"{np.mean(v):12.3f}" for v in table.values()))
    return lines
