"""SemEval-2016 task 3 B: rerank the ten questions that a forum's own search found for a query.

    python -m tests.benchmarks.forum PAIRS.jsonl.gz [network.NAME=VALUE | training.NAME=VALUE …]

Trains on the train parts (PerfectMatch YES, Relevant REL, Irrelevant NO) and prints MAP and MRR on
dev, where PerfectMatch and Relevant count as right, of the forum's order, BM25 and the network.
"""

import gzip
import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import ir_measures
from ir_measures import AP, RR

from ticketing.cli.model_settings import read_settings
from ticketing.evaluation.runs import encoded
from ticketing.model.inference import Model
from ticketing.model.registry import Registry
from ticketing.retrieval.recommend import Recommender
from ticketing.stores.sqlite import SQLiteStore
from ticketing.text import tokenize
from ticketing.tickets import Grade, Label, Query, Ticket
from ticketing.training.train import train

GRADES = {
    "PerfectMatch": Grade.YES,
    "PerfectMatch_or_Relevant": Grade.YES,  # where the two were not told apart
    "Relevant": Grade.REL,
    "Irrelevant": Grade.NO,
}


def main() -> None:
    """Print a line a ranker."""
    file, *overrides = sys.argv[1:]
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in lines]
    network, training = read_settings(None, tuple(overrides))
    tickets = [Ticket(i, s, d) for i, s, d in sorted({_document(pair) for pair in pairs})]
    learned = [_label(pair) for pair in pairs if pair["split"] != "dev"]
    dev = [pair for pair in pairs if pair["split"] == "dev"]
    with tempfile.TemporaryDirectory() as folder:
        models = Registry(Path(folder) / "models")
        bundle = models.load(
            train(tickets, learned, network, training, models, Path(folder) / "checkpoints")
        )
        recommender = Recommender(
            encoded(Model.from_bundle(bundle), tickets, "network"), Model.from_bundle(bundle)
        )
        words = SQLiteStore(Path(folder) / "store")
        words.put_tickets(tickets)
        everything = len(tickets)
        ranked = {"forum": defaultdict(dict), "BM25": {}, "network": {}}
        for pair in dev:
            ranked["forum"][pair["qid"]][pair["did"]] = -float(pair["se_rank"])
        for pair in dev:
            query = _label(pair).query
            ten = set(ranked["forum"][pair["qid"]])
            nearest = recommender.rank(query, limit=everything)
            asked = tokenize(query.text)
            ranked["network"][pair["qid"]] = {id: -d for id, d in nearest if id in ten}
            found = words.search_words(asked, everything)
            ranked["BM25"][pair["qid"]] = {id: score for id, score in found if id in ten}
    qrels = defaultdict(dict)
    for pair in dev:
        qrels[pair["qid"]][pair["did"]] = int(GRADES[pair["label"]] > Grade.NO)
    for name, run in ranked.items():
        found = ir_measures.calc_aggregate([AP, RR], qrels, run)
        print(f"{name:10} MAP {found[AP]:.4f}  MRR {found[RR]:.4f}  ({len(qrels)} queries)")


def _document(pair: dict) -> tuple[str, str, str]:
    return pair["did"], pair["d_subject"], pair["d_body"]


def _label(pair: dict) -> Label:
    return Label(Query(pair["q_subject"], pair["q_body"]), pair["did"], GRADES[pair["label"]])


if __name__ == "__main__":
    main()
