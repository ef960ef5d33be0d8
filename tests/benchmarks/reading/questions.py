"""SemEval-2016 task 3 B: the ten questions that a forum's own search found are ranked anew."""

import gzip
import json
from collections import defaultdict
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from tests.benchmarks.reading.cases import Case, Scores, by_id
from ticketing.tickets import Grade, Label, Query, Ticket

FILE = "pairs.jsonl.gz"
GRADES = {
    "PerfectMatch": Grade.YES,
    "PerfectMatch_or_Relevant": Grade.YES,  # where the two were not told apart
    "Relevant": Grade.REL,
    "Irrelevant": Grade.NO,
}


def read_questions(folder: Path, part: str, before: datetime) -> list[Case]:
    """Learned from the train parts, asked on dev; right is what is relevant at all."""
    return [rerank(read_pairs(folder / FILE))]


def read_pairs(file: Path) -> list[dict]:
    """The pairs of the file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rerank(pairs: list[dict]) -> Case:
    """Queries of dev that have a right question, each among its ten."""
    texts = sorted({(pair["did"], pair["d_subject"], pair["d_body"]) for pair in pairs})
    tickets = by_id([Ticket(*text) for text in texts])
    dev = [_label(pair) for pair in pairs if pair["split"] == "dev"]
    among: dict[str, set[str]] = defaultdict(set)
    for label in dev:
        among[label.query.id].add(label.ticket_id)
    right = [replace(label, grade=Grade.YES) for label in dev if label.grade > Grade.NO]
    learned = [_label(pair) for pair in pairs if pair["split"] != "dev"]
    return Case("", tickets, right, tickets, learned, among=among)


def _label(pair: dict) -> Label:
    return Label(Query(pair["q_subject"], pair["q_body"]), pair["did"], GRADES[pair["label"]])


def asked_questions(pairs: list[dict]) -> int:
    """How many queries dev has, those without a right question too."""
    return len({pair["qid"] for pair in pairs if pair["split"] == "dev"})


def own_order(pairs: list[dict], case: Case) -> Scores:
    """The forum's own order as scores."""
    dev = [pair for pair in pairs if pair["split"] == "dev"]
    places = {(_label(x).query.id, x["did"]): -float(x["se_rank"]) for x in dev}
    return np.array([[places.get((q.id, id), -np.inf) for id in case.ids] for q in case.queries])
