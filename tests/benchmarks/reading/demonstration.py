"""The demonstration base: end users ask in words that no ticket of theirs was written with."""

from collections import defaultdict
from datetime import datetime
from pathlib import Path

from tests.benchmarks.reading.cases import Case, by_id, desk, right_answers
from ticketing.demo.generator import SEED, generate
from ticketing.tickets import Grade, Query

DESKS = 5


def read_demonstration(folder: Path, part: str, before: datetime) -> list[Case]:
    """The whole base, or as many small desks as part "desk" makes, each of another seed."""
    if part == "desk":
        return [_case(SEED + number, True) for number in range(DESKS)]
    return [_case(SEED, False)]


def _case(seed: int, small: bool) -> Case:
    base = generate(seed)
    asked: dict[Query, set[str]] = defaultdict(set)
    for label in base.gold:
        if label.grade == Grade.YES:
            asked[label.query].add(label.ticket_id)
    if small:
        return desk("desk", base.tickets, asked, {}, seed, len(asked))
    return Case("", by_id(base.tickets), right_answers(asked), base.tickets)
