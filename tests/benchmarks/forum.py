"""SemEval-2016 task 3 B: rerank the ten questions that a forum's own search found for a query.

    python -m tests.benchmarks.forum PAIRS.jsonl.gz [--tune] [network.NAME=VALUE …]

Trains on the train parts (PerfectMatch YES, Relevant REL, Irrelevant NO), with settings of
`network` or `training`, and prints MAP and MRR on dev, where PerfectMatch and Relevant count as
right, of the forum's order, what a desk would use instead, and the network with and without
rescoring. A query without a right question counts as 0. With --tune the teacher (the installed one,
or `training.teacher=FOLDER`) learns from the train parts first, as `ticketing tune` has it.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

from tests.benchmarks.reading.bundles import Bundles
from tests.benchmarks.reading.cases import Case
from tests.benchmarks.reading.peers import peers
from tests.benchmarks.reading.questions import asked_questions, own_order, read_pairs, rerank
from ticketing.cli.model_settings import read_settings
from ticketing.encoders.transformer import transformer_folder
from ticketing.training.encoder_tuning import tune
from ticketing.training.settings import TuningSettings

NETWORK = "taught"
"""Unless the settings say otherwise."""

TUNE = "--tune"


def main() -> None:
    """Print a line a ranker."""
    torch.set_num_threads(1)
    file, *rest = sys.argv[1:]
    overrides = [setting for setting in rest if setting != TUNE]
    pairs = read_pairs(Path(file))
    case, asked = rerank(pairs), asked_questions(pairs)
    with tempfile.TemporaryDirectory() as cache:
        if TUNE in rest:
            _, training = read_settings(None, overrides)
            overrides.append(f"training.teacher={tuned(training.teacher, case, Path(cache))}")
        ranked = {"forum": own_order(pairs, case), **peers(case, Path(cache))}
        bundles = Bundles(Path(cache), overrides)
        ranked["network"] = bundles.scores(case, "forum", NETWORK)
        channels = bundles.rankers(case, "forum", NETWORK).model.settings.channels
        ranked["distance alone"] = bundles.scores(case, "forum", f"{NETWORK}:{''.join(channels)}")
    for name, scores in ranked.items():
        found = case.measure(scores)
        values = (np.sum(found[measure]) / asked for measure in ("MAP@10", "MRR@10"))
        print("{:15} MAP {:.4f}  MRR {:.4f}  ({} queries)".format(name, *values, asked))


def tuned(teacher: str, case: Case, cache: Path) -> Path:
    """A teacher, as `training.teacher` names it, tuned on what a case learns from."""
    folder = transformer_folder(teacher)
    assert folder, "there is no teacher to tune: install ticketing[teacher], or name a folder"
    out = cache / "tuned"
    tune(folder, case.learned, case.labels, TuningSettings(), cache / "tuning", out)
    return out


if __name__ == "__main__":
    main()
