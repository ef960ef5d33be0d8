"""Aircraft maintenance records (MaintNet): PROBLEM and ACTION, without subjects, dates or labels.

"part": half of the words of a problem find the record; "action": the problem of a record finds
others that were mended by the same action, learned without the actions of those that ask, which
say what is right; "desk": the same among 200 records, new to them.
"""

import csv
import random
import re
from collections import defaultdict
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from tests.benchmarks.reading.cases import DESK_QUERIES, Case, by_id, desk, right_answers
from ticketing.errors import InputError
from ticketing.tickets import Query, Ticket

FILE = "aircraft_maintenance_logs.csv"
QUERIES = 1000
LEAST_WORDS = 6
"""Of a problem that is asked in part."""
SHARED = range(2, 21)
"""How many records share an action that tells something."""
SEEDS = range(5)


def read_aviation(folder: Path, part: str, before: datetime) -> list[Case]:
    """The cases of a part; the records have no dates, so `before` says nothing."""
    with open(folder / FILE, encoding="utf-8-sig", newline="") as lines:
        rows = [(row["IDENT"], row["PROBLEM"], row["ACTION"]) for row in csv.DictReader(lines)]
    tickets = by_id([Ticket(id, "", problem, action) for id, problem, action in rows])
    if part == "part":
        return [_part(tickets)]
    asked = _same_action(tickets)
    if part == "desk":
        return [desk("desk", tickets, asked, {}, seed, DESK_QUERIES) for seed in SEEDS]
    if part == "action":
        some = random.Random(0).sample(sorted(asked, key=lambda q: q.id), min(QUERIES, len(asked)))
        asking = {query.ticket_id for query in some}
        learned = [replace(x, solution="") if x.id in asking else x for x in tickets]
        return [Case("", tickets, right_answers({q: asked[q] for q in some}), learned)]
    raise InputError(f"The records have no part {part!r}; choose part, action or desk.")


def _part(tickets: list[Ticket]) -> Case:
    """Right are all records whose problem reads as one that was cut to these words."""
    same: dict[str, set[str]] = defaultdict(set)
    for ticket in tickets:
        same[_cleaned(ticket.description)].add(ticket.id)
    chance = random.Random(0)
    long = [problem for problem in sorted(same) if len(problem.split()) >= LEAST_WORDS]
    asked: dict[Query, set[str]] = defaultdict(set)
    for problem in chance.sample(long, min(QUERIES, len(long))):
        words = problem.split()
        kept = sorted(chance.sample(range(len(words)), (len(words) + 1) // 2))
        asked[Query("", " ".join(words[place] for place in kept))] |= same[problem]
    return Case("", tickets, right_answers(asked), tickets)


def _same_action(tickets: list[Ticket]) -> dict[Query, set[str]]:
    """By a record's problem the other records of the same action, unless their problem is the
    very same: those any ranker finds."""
    mended: dict[str, list[Ticket]] = defaultdict(list)
    for ticket in tickets:
        mended[_cleaned(ticket.solution)].append(ticket)
    asked = {}
    for action, records in mended.items():
        if action and len(records) in SHARED:
            for record in records:
                problem = _cleaned(record.description)
                others = {x.id for x in records if _cleaned(x.description) != problem}
                if others:
                    asked[Query("", record.description, record.id)] = others
    return asked


def _cleaned(text: str) -> str:
    """Lower-case words alone."""
    return " ".join(re.findall(r"[a-z]+", text.lower()))
