"""Reading without a calendar, on many sources, beside what a desk would use instead.

    python -m tests.benchmarks.reading --cache FOLDER [OPTIONS] SOURCE…

A source is FOLDER or FOLDER:PART, the folder by its path or its name among the data: a tracker
(parts: a year, a project, half, desk), maintnet_aviation (part, action, desk), sick, jobtitles,
semeval2016_qatar; and the generated base, demo or demo:desk. Prints a row a source and ranker.
"""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import click
import numpy as np
import torch

from tests.benchmarks.reading import aviation, questions, tracker
from tests.benchmarks.reading.bundles import TRAINED, Bundles
from tests.benchmarks.reading.cases import Case, Scores
from tests.benchmarks.reading.demonstration import read_demonstration
from tests.benchmarks.reading.peers import peers
from tests.benchmarks.reading.short_texts import read_sentences, read_titles
from ticketing.errors import TicketingError
from ticketing.evaluation.text_table import table_text
from ticketing.experiments.neculoiu2016.job_titles import ESCO

DATA = Path("../shared/data")
MEASURES = ("Acc@1", "Acc@10", "MAP@10")
GENERATED = "demo"

READERS: dict[str, Callable[[Path, str, datetime], list[Case]]] = {
    tracker.FILE: tracker.read_tracker,
    aviation.FILE: aviation.read_aviation,
    "SICK_train.txt": read_sentences,
    ESCO: read_titles,
    questions.FILE: questions.read_questions,
}
"""What reads a folder, by a file that it holds."""


@click.command(help=__doc__)
@click.argument("sources", nargs=-1, required=True)
@click.option("--cache", type=click.Path(path_type=Path), required=True, help="Kept between runs.")
@click.option("--data", type=click.Path(path_type=Path), default=DATA, show_default=True)
@click.option("--before", type=click.DateTime(["%Y-%m-%d"]), default="2100-01-01",
              help="Trackers are read as they stood then.")  # fmt: skip
@click.option("--ranker", "rankers", multiple=True, default=tuple(TRAINED), show_default=True,
              help="One of these or a bundle's folder; NAME:CHANNELS for some.")  # fmt: skip
@click.option("--peers-only", is_flag=True, help="Train nothing.")
@click.option("--no-peers", is_flag=True, help="Rank by bundles alone.")
@click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="Of every training.")
@click.option("--json", "file", type=click.Path(path_type=Path), help="Figures of every case.")
def main(
    sources: Sequence[str],
    cache: Path,
    data: Path,
    before: datetime,
    rankers: Sequence[str],
    peers_only: bool,
    no_peers: bool,
    overrides: Sequence[str],
    file: Path | None,
) -> None:
    """Print the table of all sources, and each source's rows once they are known."""
    torch.set_num_threads(1)
    bundles = Bundles(cache, overrides)
    chosen = () if peers_only else rankers
    rows = [["source", "ranker", "tickets", "queries", *MEASURES]]
    figures = {}
    for source in sources:
        try:
            cases = read(source, data, before)
            found = [
                measured(case, family(source, number), None if no_peers else cache, bundles, chosen)
                for number, case in enumerate(cases)
            ]
        except TicketingError as error:
            raise click.ClickException(str(error)) from None
        figures[source] = found
        added = source_rows(source, cases, found)
        print("\n".join(table_text(added)), flush=True)
        rows += added
    print("\n" + "\n".join(table_text(rows)))
    if file:
        file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def read(source: str, data: Path, before: datetime) -> list[Case]:
    """The cases of a source; the queries of all its cases are counted together."""
    name, _, part = source.partition(":")
    if name == GENERATED:
        return read_demonstration(data, part, before)
    folder = Path(name) if Path(name).is_dir() else data / name
    for held, reader in READERS.items():
        if (folder / held).is_file():
            return reader(folder, part, before)
    raise click.ClickException(f"{folder} holds none of {', '.join(READERS)}.")


def family(source: str, number: int) -> str:
    """What folders are called of a source's case, whose texts no other case has."""
    return f"{source.strip('/').replace('/', '-').replace(':', '-')}-{number}"


def measured(
    case: Case, family: str, cache: Path | None, bundles: Bundles, rankers: Sequence[str]
) -> dict[str, dict[str, list[float]]]:
    """The measures by query of every ranker; first, where there is a cache for them, the peers."""
    found: dict[str, Scores] = peers(case, cache / "peers" / family) if cache else {}
    found |= {ranker: bundles.scores(case, family, ranker) for ranker in rankers}
    return {
        name: {measure: case.measure(scores)[measure] for measure in MEASURES}
        for name, scores in found.items()
    }


def source_rows(
    source: str, cases: Sequence[Case], found: Sequence[dict[str, dict[str, list[float]]]]
) -> list[list[str]]:
    """A row a ranker: means over the queries of all cases."""
    tickets = max(len(case.tickets) for case in cases)
    rows = []
    for name in found[0]:
        values = [[x for one in found for x in one[name][measure]] for measure in MEASURES]
        about = [source, name, str(tickets), str(len(values[0]))]
        rows.append(about + [f"{np.mean(column):.3f}" for column in values])
    return rows


if __name__ == "__main__":
    main()
