"""Short texts with a known counterpart: sentences (SICK) and job titles (ESCO)."""

import csv
import random
from collections import defaultdict
from datetime import datetime
from pathlib import Path

from tests.benchmarks.reading.cases import Case, by_id, right_answers
from ticketing.classification.taxonomy import normalise
from ticketing.experiments.malstm.sick import read_sick
from ticketing.experiments.neculoiu2016.job_titles import ESCO
from ticketing.tickets import Query, Ticket

RELATED = 4.5
"""From this relatedness on (of 1 to 5) a sentence answers another."""
QUERIES = 1000


def read_sentences(folder: Path, part: str, before: datetime) -> list[Case]:
    """First sentences ask, all second ones are searched; part "test" asks the test's pairs."""
    sick = read_sick(folder)
    pairs = sick.test if part == "test" else sick.training
    ids = {text: f"{place:05}" for place, text in enumerate(sorted({x.other for x in pairs}))}
    asked: dict[Query, set[str]] = defaultdict(set)
    for pair in pairs:
        if pair.relatedness >= RELATED:
            asked[Query("", pair.one)].add(ids[pair.other])
    tickets = by_id([Ticket(id, "", text) for text, id in ids.items()])
    return [Case("", tickets, right_answers(asked), tickets)]


def read_titles(folder: Path, part: str, before: datetime) -> list[Case]:
    """Other titles of an occupation ask for its preferred one, which its description follows."""
    with open(folder / ESCO, encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    asked: dict[Query, set[str]] = defaultdict(set)
    preferred = {normalise(row["preferredLabel"]) for row in rows}
    tickets = []
    for place, row in enumerate(rows):
        tickets.append(Ticket(f"{place:05}", row["preferredLabel"], row["description"]))
        for title in (row["altLabels"] or "").splitlines():
            if title and normalise(title) not in preferred:
                asked[Query(normalise(title))].add(tickets[-1].id)
    some = random.Random(0).sample(sorted(asked, key=lambda query: query.id), QUERIES)
    return [Case("", by_id(tickets), right_answers({q: asked[q] for q in some}), tickets)]
