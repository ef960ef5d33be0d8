"""What desks teach of the chance that a query is about an archive: `GENERAL.topic`.

    python -m tests.benchmarks.topic_chance [--data FOLDER] [--cache FOLDER] [--desk SIZE]… [HOME…]

Each desk (see `tests.benchmarks.off_topic`) tells what it knows of judged queries that have an
answer, each also by its subject alone, and of 200 subjects of other collections, not those of that
benchmark. A home is asked the validation queries of the year before a date. Prints, of each desk,
the AUROC of the chance that the others teach, and what all teach: GENERAL has it, rounded.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
import torch
from sklearn.metrics import roc_auc_score

from tests.benchmarks.off_topic import DATA, Asked, of_base, of_home, off_topic
from ticketing.evaluation.text_table import table_text
from ticketing.model.calibration import Features, Logistic
from ticketing.retrieval.memory import searchable
from ticketing.tickets import Filters, Grade, Query
from ticketing.training.logistic import fit_logistic
from ticketing.training.sampling import is_validation

SEED = 99

WEIGHT = 30.0
"""What the queries of a desk count together, and as much what is off topic."""

FALLING = (0, 1, 2)


class Taught:
    """What a desk knows: features float64 [n, 4], of its topic or not bool [n], weights [n]."""

    def __init__(self, desk: Asked, strange: Sequence[str]):
        labels = [x for x in desk.labels if x.grade == Grade.YES]
        queries = sorted({x.query for x in labels}, key=lambda x: x.id)
        filters = searchable(desk.recommender.store, queries)
        asked = [(x, filters[x.id]) for x in queries]
        asked += [(Query(x.subject, "", x.ticket_id), filters[x.id]) for x in queries]
        others = [(Query(text), desk.filters) for text in strange]
        self.name = desk.name
        self.features = np.concatenate([_features(desk, *x) for x in (*asked, *others)])
        self.right = np.arange(len(self.features)) < len(asked)
        self.weights = np.where(self.right, WEIGHT / len(asked), WEIGHT / len(others))


def _features(desk: Asked, query: Query, filters: Filters) -> Features:
    return desk.recommender.nearest(query, filters).evidence.of_topic()


def learn(desks: Sequence[Taught]) -> Logistic:
    """The chance that these desks teach."""

    def every(name: str) -> npt.NDArray[np.float64]:
        return np.concatenate([getattr(desk, name) for desk in desks])

    found = fit_logistic(every("features"), every("right") > 0, every("weights"), FALLING)
    assert found is not None, "each desk has queries of both kinds"
    return found


def validation(home: Path, before: datetime) -> Asked:
    """A home, and the validation queries of the year before a date."""
    desk = of_home(home, before.replace(year=before.year - 1), before)
    labels = [label for label in desk.labels if is_validation(label.query.id)]
    return Asked(desk.name, desk.recommender, labels, desk.filters)


@click.command(help=__doc__)
@click.argument("homes", nargs=-1, type=click.Path(path_type=Path))
@click.option("--desk", "sizes", type=int, multiple=True, help="Tickets of the base.")
@click.option("--before", type=click.DateTime(["%Y-%m-%d"]), default="2013-01-01")
@click.option("--data", type=click.Path(path_type=Path), default=DATA, show_default=True)
@click.option("--cache", type=click.Path(path_type=Path), default=Path("/tmp/off-topic"))
def main(
    homes: Sequence[Path], sizes: Sequence[int], before: datetime, data: Path, cache: Path
) -> None:
    """Print the table and the weights."""
    if len(homes) + len(sizes) < 2:
        raise click.UsageError("What the others teach a desk needs two desks at least.")
    torch.set_num_threads(1)
    strange = [text for texts in off_topic(data, SEED).values() for text in texts]
    asked = [validation(home, before) for home in homes]
    asked += [of_base(size, cache, judged=True) for size in sizes]
    desks = [Taught(desk, strange) for desk in asked]
    rows = [["left out", "AUROC"]]
    for desk in desks:
        chances = learn([x for x in desks if x is not desk])(desk.features)
        rows.append([desk.name, f"{roc_auc_score(desk.right, chances):.3f}"])
    print("\n".join(table_text(rows)))
    print(learn(desks))


if __name__ == "__main__":
    main()
