"""SemEval-2016 task 3 B: rerank the ten questions that a forum's own search found for a question.

    python -m tests.benchmarks.forum PAIRS.jsonl.gz [--tune] [--folds N] [network.NAME=VALUE …]

Trains on the train parts (PerfectMatch YES, Relevant REL, Irrelevant NO), with settings of
`network` or `training`, and prints MAP and MRR on dev, where PerfectMatch and Relevant count as
right, of the forum's order, what a desk would use instead, and the network with and without
rescoring. A question without a right one counts as 0. With --tune the teacher (the installed one,
or `training.teacher=FOLDER`) learns from the train parts first, as `ticketing tune` has it. With
--folds the questions of the train parts are asked instead, each by what the other folds teach; the
forum's own order is not known of all of them.
"""

import tempfile
from collections import defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path

import click
import numpy as np
import torch

from tests.benchmarks.reading.bundles import Bundles
from tests.benchmarks.reading.cases import Case, Scores
from tests.benchmarks.reading.peers import peers
from tests.benchmarks.reading.questions import dev_questions, folds, own_order, read_pairs, rerank
from ticketing.cli.model_settings import read_settings
from ticketing.encoders.transformer import transformer_folder
from ticketing.training.encoder_tuning import tune
from ticketing.training.settings import TuningSettings

NETWORK = "taught"
"""Unless the settings say otherwise."""

MEASURES = ("MAP@10", "MRR@10")


@click.command(help=__doc__)
@click.argument("file", type=click.Path(path_type=Path, exists=True))
@click.argument("overrides", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--tune", "tuning", is_flag=True, help="The teacher learns from the labels first.")
@click.option("--folds", "number", type=click.IntRange(min=2), help="Ask the train parts.")
def main(file: Path, overrides: Sequence[str], tuning: bool, number: int | None) -> None:
    """Print a line a ranker."""
    torch.set_num_threads(1)
    pairs = read_pairs(file)
    parts = folds(pairs, number) if number else [dev_questions(pairs)]
    found: dict[str, list[list[float]]] = defaultdict(list)
    for asked in parts:
        case = rerank(pairs, asked)
        with tempfile.TemporaryDirectory() as cache:
            ranked = {} if number else {"forum": own_order(pairs, case)}
            ranked |= rankers(case, Path(cache), overrides, tuning)
        for name, scores in ranked.items():
            measured = case.measure(scores)
            found[name].append([np.sum(measured[measure]) for measure in MEASURES])
    total = sum(map(len, parts))
    for name, values in found.items():
        means = np.sum(values, axis=0) / total
        print("{:15} MAP {:.4f}  MRR {:.4f}  ({} queries)".format(name, *means, total))


def rankers(case: Case, cache: Path, overrides: Collection[str], tuning: bool) -> dict[str, Scores]:
    """What a desk would use instead, and the network with and without rescoring."""
    settings = [*overrides]
    if tuning:
        _, training = read_settings(None, settings)
        settings.append(f"training.teacher={tuned(training.teacher, case, cache)}")
    bundles = Bundles(cache, settings)
    found = {**peers(case, cache), "network": bundles.scores(case, "forum", NETWORK)}
    channels = bundles.rankers(case, "forum", NETWORK).model.settings.channels
    found["distance alone"] = bundles.scores(case, "forum", f"{NETWORK}:{''.join(channels)}")
    return found


def tuned(teacher: str, case: Case, cache: Path) -> Path:
    """A teacher, as `training.teacher` names it, tuned on what a case learns from."""
    folder = transformer_folder(teacher)
    assert folder, "there is no teacher to tune: install ticketing[teacher], or name a folder"
    out = cache / "tuned"
    tune(folder, case.learned, case.labels, TuningSettings(), cache / "tuning", out)
    return out


if __name__ == "__main__":
    main()
