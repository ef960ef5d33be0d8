"""What queries that were judged YES are worth as further texts of the tickets that solved them.

    python -m tests.benchmarks.solved BUNDLE TRACKER [YEAR]

BUNDLE is a bundle's folder, TRACKER a folder as `tests.benchmarks.reading` reads it, by its path or
its name among the data. Of tickets that are duplicates of each other the oldest stays in the
archive. The others are asked as people type them, each once those before it are judged; with a
YEAR those of that year, among solutions as they stood before it. Prints Acc@10 and MAP@10, without
and with time, by the tickets' own texts and by those of what they solved as well: of the queries
whose ticket has solved one before, of the others, and of all.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
from tqdm import tqdm

from tests.benchmarks.arguments import arguments
from tests.benchmarks.reading.cases import by_id
from tests.benchmarks.reading.tracker import Tracker
from ticketing.evaluation.text_table import table_text
from ticketing.model.inference import Model
from ticketing.model.registry import Registry
from ticketing.model.saving import model_in
from ticketing.retrieval.encode import QueryEncoder
from ticketing.retrieval.memory import EncodedTickets, encoded
from ticketing.retrieval.recommend import Recommender
from ticketing.retrieval.solved import Solved, nothing_solved, solved_of
from ticketing.tickets import Filters, Grade, Label, Query, Ticket

DATA = Path("../shared/data")
MOST = 500
NEVER = datetime(2100, 1, 1)

Asked = list[tuple[datetime, Label]]
"""When a query came, and its answer, in the order of time."""


def main() -> None:
    """Print the table."""
    given = arguments(__doc__, bundle=Path, tracker=Path, year=0)
    bundle, folder, year = given.bundle, given.tracker, given.year or None
    model = model_in(Registry(bundle.parent).load(bundle.name))
    tickets, asked = read(folder if folder.is_dir() else DATA / folder, year)
    measured = [i for i, (time, _) in enumerate(asked) if year in (None, time.year)]
    measured = sorted(random.Random(0).sample(measured, min(len(measured), MOST)))
    store = encoded(model, tickets, "tickets")
    solved = solved_of(model, [label for _, label in asked])
    before = [helped(asked, i) for i in measured]
    print(f"{len(tickets)} tickets, {len(measured)} queries, {sum(before)} of a ticket that solved")
    rows = [["", "solved one before", "others", "all"]]
    for name, channels in (("without time", model.settings.channels), ("with time", None)):
        encode = QueryEncoder(model, store, channels)
        for said, known in (("own texts", nothing_solved()), ("and what they solved", solved)):
            found = np.array([*ranked(model, store, encode, asked, measured, known)])
            groups = [found[before], found[~np.array(before)], found]
            figures = [" / ".join(f"{x:.3f}" for x in group.mean(0)) for group in groups]
            rows.append([f"{name}, {said}", *figures])
    print("\n".join(table_text(rows)))


def read(folder: Path, year: int | None) -> tuple[list[Ticket], Asked]:
    """The archive, and what is asked of it."""
    tracker = Tracker.read(folder, datetime(year + 1, 1, 1) if year else NEVER)
    tickets = tracker.tickets
    if year:
        old = Tracker.read(folder, datetime(year, 1, 1)).tickets
        tickets = {id: old.get(id, replace(x, solution="")) for id, x in tickets.items()}
    asked = []
    for alike in groups_of(tracker):
        first, *later = sorted(alike, key=lambda id: (tickets[id].created, id))
        for ticket in map(tickets.__getitem__, later):
            query = Query(ticket.subject, ticket.description)
            asked.append((ticket.created, ticket.id, Label(query, first, Grade.YES)))
    asked.sort(key=lambda each: each[:2])
    left = tickets.keys() - {id for _, id, _ in asked}
    return by_id([tickets[id] for id in left]), [(time, label) for time, _, label in asked]


def groups_of(tracker: Tracker) -> list[set[str]]:
    """Tickets that duplicate links join."""
    group: dict[str, set[str]] = {}
    for newer, older, kind in tracker.links:
        if kind == "Duplicate":
            joined = group.get(newer, {newer}) | group.get(older, {older})
            group |= dict.fromkeys(joined, joined)
    return list({id(one): one for one in group.values()}.values())


def helped(asked: Asked, place: int) -> bool:
    """Whether the answer at a place has answered before."""
    ticket_id = asked[place][1].ticket_id
    return any(label.ticket_id == ticket_id for _, label in asked[:place])


def ranked(
    model: Model,
    store: EncodedTickets,
    encode: QueryEncoder,
    asked: Asked,
    measured: list[int],
    solved: Solved,
) -> Iterator[tuple[float, float]]:
    """Acc@10 and MAP@10 of each measured query."""
    for place in tqdm(measured, leave=False):
        time, label = asked[place]
        known = Solved(solved.queries[:place], solved.ticket_ids[:place], solved.codes[:place])
        recommender = Recommender(store, model, encode=encode, solved=lambda known=known: known)
        ids = [id for id, _ in recommender.rank(label.query, Filters(created_before=time))]
        found = label.ticket_id in ids
        yield float(found), 1 / (1 + ids.index(label.ticket_id)) if found else 0.0


if __name__ == "__main__":
    main()
