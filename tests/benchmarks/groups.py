"""What groups cost: `TICKETING_HOME=… python -m tests.benchmarks.groups [queries]`.

Asks as somebody who sees all and as somebody of groups, in turns, the texts of the desk's own
tickets. Where no ticket has groups yet, every fourth is given one: use a copy of a desk. The first
line compares answers while nothing changes, the others what else a page reads.
"""

import time
from dataclasses import replace

import numpy as np
import torch

from tests.benchmarks.arguments import arguments
from ticketing.desk import open_desk
from ticketing.people import LOCAL, Person, Role
from ticketing.settings import load_settings
from ticketing.tickets import Filters, Query

HIDDEN_EVERY = 4


def main() -> None:
    """Print a line a read: medians in milliseconds, and their ratio."""
    count = arguments(__doc__, queries=200).queries
    torch.set_num_threads(1)
    desk = open_desk(load_settings())
    tickets = [ticket for ticket in desk.store.iter_tickets() if ticket.subject]
    if not any(ticket.groups for ticket in tickets):
        hidden = tickets[::HIDDEN_EVERY]
        desk.store.put_tickets([replace(t, groups=frozenset(["hr"])) for t in hidden])
    somebody = Person("somebody", Role.ENGINEER, frozenset(["lab", "service"]))
    chosen = tickets[1 :: max(len(tickets) // count, 1)][:count]
    queries = [Query(ticket.subject, ticket.description) for ticket in chosen]
    reads = {
        "an answer": lambda desk, query: desk.preview(query),
        "an answer within a product": lambda desk, query: desk.preview(
            query, Filters(product=chosen[0].product)
        ),
        "facets": lambda desk, query: desk.store.facets(),
        "titles of topics": lambda desk, query: desk.topic_titles(),
        "topics": lambda desk, query: desk.topics(),
        "tickets counted": lambda desk, query: desk.store.count_tickets(),
    }
    seen = [desk.seen_by(person).store.count_tickets() for person in (LOCAL, somebody)]
    print(f"{seen[0]} tickets, {seen[1]} of them seen; {len(queries)} queries")
    for name, read in reads.items():
        taken = {person: [] for person in (LOCAL, somebody)}
        for query in [queries[0], *queries]:
            for person, times in taken.items():
                start = time.perf_counter()
                read(desk.seen_by(person), query)
                times.append((time.perf_counter() - start) * 1000)
        one, other = (float(np.median(times[1:])) for times in taken.values())
        print(f"{name:28} {one:8.2f} ms {other:8.2f} ms   ratio {other / one:5.2f}")


if __name__ == "__main__":
    main()
