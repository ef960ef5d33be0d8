"""How often nothing is promised: to off-topic queries, and to those that have an answer.

    python -m tests.benchmarks.off_topic [--data FOLDER] [--cache FOLDER] [--desk SIZE]… [HOME…]

A HOME is a desk; its newest bundle is asked the judged queries --since a date that have a YES, and
200 subjects of other collections: aviation records, job titles, sentences. A --desk is as many
tickets of the demonstration base, trained on without any label; 0 is the whole base with its
labels. Its end users' queries that have an answer there are asked, and their subjects alone.
"""

import csv
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import click
import torch

from tests.benchmarks.reading import aviation as aviation_records
from ticketing.cli.model_settings import read_settings
from ticketing.demo.generator import generate
from ticketing.desk import open_desk
from ticketing.evaluation.metrics import with_answers
from ticketing.evaluation.reliability import foretell
from ticketing.evaluation.runs import in_memory
from ticketing.evaluation.text_table import table_text
from ticketing.experiments.neculoiu2016.job_titles import ESCO
from ticketing.model.registry import Registry
from ticketing.model.saving import model_in
from ticketing.recommendations import Outlook
from ticketing.retrieval.memory import encoded
from ticketing.retrieval.recommend import Recommender
from ticketing.settings import Settings
from ticketing.tickets import Filters, Grade, Label, Query
from ticketing.training.train import train

DATA = Path("../shared/data")
EACH = {"aviation": 67, "job titles": 67, "sentences": 66}
SEED = 17


@dataclass(frozen=True)
class Asked:
    """A desk and its judged queries."""

    name: str
    recommender: Recommender
    labels: Sequence[Label]
    filters: Filters


def off_topic(data: Path, seed: int = SEED) -> dict[str, list[str]]:
    """A seeded sample of other collections' subjects, by collection."""
    records = data / "maintnet_aviation" / aviation_records.FILE
    with open(records, encoding="utf-8-sig", newline="") as lines:
        aviation = {row["PROBLEM"] for row in csv.DictReader(lines)}
    with open(data / "jobtitles" / ESCO, encoding="utf-8", newline="") as lines:
        titles = {row["preferredLabel"] for row in csv.DictReader(lines)}
    with open(data / "sick" / "SICK_train.txt", encoding="utf-8") as lines:
        sentences = {line.split("\t")[1] for line in list(lines)[1:]}
    pools = {"aviation": aviation, "job titles": titles, "sentences": sentences}
    return {
        name: random.Random(seed).sample(sorted(pools[name]), count) for name, count in EACH.items()
    }


def row(desk: Asked, strange: dict[str, list[str]]) -> list[str]:
    """Shares of queries for which nothing is promised."""

    def nothing(text: str) -> bool:
        found = desk.recommender.recommend(Query(text), desk.filters)
        return found.outlook == Outlook.NOTHING

    found = {name: [nothing(text) for text in texts] for name, texts in strange.items()}
    every = [said for some in found.values() for said in some]
    asked = foretell(desk.recommender, desk.labels)
    refused = [outlook == Outlook.NOTHING for outlook in asked.outlooks]
    short = {x.query.subject for x in with_answers(desk.labels) if x.query.description}
    figures = [*found.values(), every, refused, [nothing(text) for text in sorted(short)]]
    counts = [desk.recommender.store.count_tickets(), len(refused)]
    return [desk.name, *map(str, counts), *map(_share, figures)]


def _share(said: Sequence[bool]) -> str:
    return f"{sum(said) / len(said):.3f}" if said else "–"


def of_home(home: Path, since: datetime, before: datetime | None = None) -> Asked:
    """A desk that knows the tickets before `since`, and what was asked from then on, or `before`
    another date."""
    desk = open_desk(Settings(home=home))
    model = desk.recommender(desk.bundle()).model
    within = desk.store.iter_tickets(Filters(created_since=since, created_before=before))
    asking = {ticket.id for ticket in within}
    labels = [label for label in desk.labels() if label.query.ticket_id in asking]
    recommender = in_memory(desk.store, model).recommender()
    return Asked(str(home), recommender, labels, Filters(created_before=since))


def of_base(size: int, cache: Path, judged: bool = False) -> Asked:
    """So many tickets of the demonstration base, of those first that end users need, and what they
    ask, or what was `judged` there."""
    base = generate()
    needed = [label.ticket_id for label in base.gold if label.grade == Grade.YES]
    order = {id: place for place, id in enumerate(random.Random(SEED).sample(needed, len(needed)))}
    tickets = sorted(base.tickets, key=lambda ticket: order.get(ticket.id, len(order)))
    tickets = sorted(tickets[: size or None], key=lambda ticket: ticket.id)
    known = {ticket.id for ticket in tickets}
    registry = Registry(cache / "models")
    network, training = read_settings(None, ())
    labels = [] if size else base.labels
    bundle = train(tickets, labels, network, training, registry, cache / "checkpoints")
    model = model_in(registry.load(bundle))
    recommender = Recommender(encoded(model, tickets, "tickets"), model)
    asked = [x for x in (base.labels if judged else base.gold) if x.ticket_id in known]
    return Asked(
        f"demonstration base, {size or 'all'}", recommender, with_answers(asked), Filters()
    )


@click.command(help=__doc__)
@click.argument("homes", nargs=-1, type=click.Path(path_type=Path))
@click.option("--desk", "sizes", type=int, multiple=True, help="Tickets of the base.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), default="2013-01-01")
@click.option("--data", type=click.Path(path_type=Path), default=DATA, show_default=True)
@click.option("--cache", type=click.Path(path_type=Path), default=Path("/tmp/off-topic"))
def main(
    homes: Sequence[Path], sizes: Sequence[int], since: datetime, data: Path, cache: Path
) -> None:
    """Print the table."""
    torch.set_num_threads(1)
    strange = off_topic(data)
    rows = [["", "tickets", "queries", *EACH, "off topic", "with an answer", "subject alone"]]
    rows += [row(of_home(home, since), strange) for home in homes]
    rows += [row(of_base(size, cache), strange) for size in sizes]
    print("\n".join(table_text(rows)))


if __name__ == "__main__":
    main()
