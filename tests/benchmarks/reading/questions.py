"""SemEval-2016 task 3 B: the ten questions that a forum's own search found are ranked anew."""

import gzip
import json
from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from tests.benchmarks.reading.cases import Case, Scores, by_id
from ticketing.tickets import Grade, Label, Query, Ticket

FILE = "pairs.jsonl.gz"
DEV = "dev"
GRADES = {
    "PerfectMatch": Grade.YES,
    "PerfectMatch_or_Relevant": Grade.YES,  # where the two were not told apart
    "Relevant": Grade.REL,
    "Irrelevant": Grade.NO,
}


def read_questions(folder: Path, part: str, before: datetime) -> list[Case]:
    """Learned from the train parts, asked on dev; right is what is relevant at all."""
    pairs = read_pairs(folder / FILE)
    return [rerank(pairs, dev_questions(pairs))]


def read_pairs(file: Path) -> list[dict]:
    """The pairs of the file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def dev_questions(pairs: list[dict]) -> set[str]:
    """The ids of the questions that are asked on dev."""
    return {pair["qid"] for pair in pairs if pair["split"] == DEV}


def folds(pairs: list[dict], number: int) -> list[set[str]]:
    """The ids of the train parts' questions, each in one of so many folds."""
    learned = sorted({pair["qid"] for pair in pairs if pair["split"] != DEV})
    return [set(learned[fold::number]) for fold in range(number)]


def rerank(pairs: list[dict], asked: Collection[str]) -> Case:
    """Those of the questions that have a right one, each among its ten.

    Learned from the train parts, less what asks in the same words as one that is asked.
    """
    texts = sorted({(pair["did"], pair["d_subject"], pair["d_body"]) for pair in pairs})
    tickets = by_id([Ticket(*text) for text in texts])
    judged = [_label(pair) for pair in pairs if pair["qid"] in asked]
    among: dict[str, set[str]] = defaultdict(set)
    for label in judged:
        among[label.query.id].add(label.ticket_id)
    right = [replace(label, grade=Grade.YES) for label in judged if label.grade > Grade.NO]
    others = [_label(pair) for pair in pairs if pair["split"] != DEV and pair["qid"] not in asked]
    learned = [label for label in others if label.query.id not in among]
    return Case("", tickets, right, tickets, learned, among=among)


def _label(pair: dict) -> Label:
    return Label(Query(pair["q_subject"], pair["q_body"]), pair["did"], GRADES[pair["label"]])


def own_order(pairs: list[dict], case: Case) -> Scores:
    """The forum's own order on dev as scores."""
    dev = [pair for pair in pairs if pair["split"] == DEV]
    places = {(_label(x).query.id, x["did"]): -float(x["se_rank"]) for x in dev}
    return np.array([[places.get((q.id, id), -np.inf) for id in case.ids] for q in case.queries])
