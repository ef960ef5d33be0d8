"""SemEval-2016 task 3 B: rerank the ten questions that a forum's own search found for a query.

    python -m tests.benchmarks.forum PAIRS.jsonl.gz [network.NAME=VALUE | training.NAME=VALUE …]

Trains on the train parts (PerfectMatch YES, Relevant REL, Irrelevant NO) and prints MAP and MRR on
dev, where PerfectMatch and Relevant count as right, of the forum's order, what a desk would use
instead, and the network with and without rescoring. A query without a right question counts as 0.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

from tests.benchmarks.reading.bundles import Bundles
from tests.benchmarks.reading.peers import peers
from tests.benchmarks.reading.questions import asked_questions, own_order, read_pairs, rerank

NETWORK = "taught"
"""Unless the settings say otherwise."""


def main() -> None:
    """Print a line a ranker."""
    torch.set_num_threads(1)
    file, *overrides = sys.argv[1:]
    pairs = read_pairs(Path(file))
    case, asked = rerank(pairs), asked_questions(pairs)
    with tempfile.TemporaryDirectory() as cache:
        ranked = {"forum": own_order(pairs, case), **peers(case, Path(cache))}
        bundles = Bundles(Path(cache), overrides)
        ranked["network"] = bundles.scores(case, "forum", NETWORK)
        channels = bundles.rankers(case, "forum", NETWORK).model.settings.channels
        ranked["distance alone"] = bundles.scores(case, "forum", f"{NETWORK}:{''.join(channels)}")
    for name, scores in ranked.items():
        found = case.measure(scores)
        values = (np.sum(found[measure]) / asked for measure in ("MAP@10", "MRR@10"))
        print("{:15} MAP {:.4f}  MRR {:.4f}  ({} queries)".format(name, *values, asked))


if __name__ == "__main__":
    main()
