"""Fifty people at very many tickets, while all are reindexed: `TICKETING_HOME=… python -m
tests.benchmarks.load [tickets] [--minutes 10] [--servers]`.

An archive of so many tickets is made of that home's as in `tests.benchmarks.million`, and is gone
afterwards. Two web processes and a worker share this machine with it, and with `--servers` also an
Elasticsearch and a Redis of its own. Each person asks what nobody has asked, judges some of what
comes, and rests for ten seconds in the mean; meanwhile the worker encodes every ticket under a
second bundle. Printed: requests and errors of each kind, with their milliseconds, judgments sent
against stored, and how far the reindex came. Ends with 1 where an acknowledged judgment is lost,
none was acknowledged, an answer tells of a defect, or no ticket was reindexed.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.benchmarks import copies, million
from tests.benchmarks.scaling import processes
from tests.redis_server import redis_server
from tests.servers import elasticsearch_server
from tests.soak.comparison import Comparison
from tests.soak.desk import Staff
from tests.soak.ledger import Ledger
from tests.soak.people import Asker
from tests.soak.programs import Crowd
from tests.soak.table import at_the_end, errors, requests, table_of
from tests.tiny import other_bundle
from ticketing.desk import Desk, open_desk
from ticketing.jobs import Job, JobState, Promotion
from ticketing.people import Role
from ticketing.settings import load_settings
from ticketing.stores.blocks import CodeRow
from ticketing.tickets import Query
from worker.app import make_app
from worker.jobs import start_reindex

PEOPLE = 50
REST = 10.0
"""Mean seconds that somebody rests between two queries."""

WEBS = 2
AT_ONCE = 2000


def main() -> None:
    """Make the desk, let people work, print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tickets", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--servers", action="store_true")
    given = parser.parse_args()
    source = open_desk(load_settings(store=""))
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bundle = source.store.serving()
        shutil.copytree(source.settings.home / "models" / bundle, home / "models" / bundle)
        here = {"OMP_NUM_THREADS": "1", "TICKETING_THREADS": "1", "TICKETING_HOME": str(home)}
        if given.servers:
            here["TICKETING_STORE"] = stack.enter_context(elasticsearch_server()).url
            here["TICKETING_BROKER"] = stack.enter_context(redis_server()).url
            asked = fill(source, bundle, here["TICKETING_STORE"], home, given.tickets)
        else:
            asked = million.make(source, bundle, home, given.tickets, "repeated")
        os.environ.update(here)
        desk = stack.enter_context(closing(open_desk(load_settings())))
        wrong = work(desk, [Query(*texts) for texts in asked], 60 * given.minutes)
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    sys.exit(bool(wrong))


def fill(source: Desk, bundle: str, store: str, home: Path, count: int) -> list[list[str]]:
    """The same archive as `million.make`'s, on Elasticsearch; returns the texts that are asked."""
    model = source.recommender(bundle).model
    known = [ticket for ticket in source.store.iter_tickets() if ticket.subject]
    asked = known[:: million.HELD_OUT]
    kept = [ticket for i, ticket in enumerate(known) if i % million.HELD_OUT]
    rows, chance = model.encode_tickets(kept), np.random.default_rng(0)
    reword = million.rewording(kept)
    with closing(open_desk(load_settings(home=home, store=store))) as desk:
        desk.bundle(bundle)
        for start in range(0, count, AT_ONCE):
            of = chance.integers(len(kept), size=min(AT_ONCE, count - start))
            codes = copies.repeated(rows, of, model.layout, chance)
            tickets = [
                million.ticket(start + i, kept[number], reword) for i, number in enumerate(of)
            ]
            vectors = model.projection.ticket_vectors(codes)
            desk.store.put_tickets(tickets)
            made = zip(tickets, codes, vectors, strict=True)
            coded = [CodeRow(t.id, t.version, c.tobytes(), None, v.tobytes()) for t, c, v in made]
            desk.store.put_codes(bundle, coded)
        desk.store.set_serving(bundle)
    return [[ticket.subject, ticket.description] for ticket in asked[::2]]


def work(desk: Desk, queries: Sequence[Query], seconds: float) -> list[str]:
    """People work for so long; returns what is wrong."""
    ledger, pages = Ledger(), []
    staff = Staff(desk, pages, ledger, seed=1)
    staff.token("admin", Role.ADMIN)  # whoever comes first
    people = [staff.program(f"engineer{number}", Role.ENGINEER) for number in range(PEOPLE)]
    other = desk.bundle(other_bundle(desk, desk.store.serving()))
    with processes("work", 1), processes("serve", WEBS) as webs:
        pages += [web.stdout.readline().split()[2].rstrip("/") for web in webs]
        for page in pages:
            first = {"subject": queries[0].subject, "description": queries[0].description}
            person = replace(people[0], pages=[page])
            person.send("first answer", "POST", "/api/recommend", first)
        job = start_reindex(desk, make_app(desk.settings), other, Promotion.NEVER)
        askers = [
            Asker(f"engineer{n}", person, random.Random(n).sample(queries, len(queries)), REST)
            for n, person in enumerate(people)
        ]
        with Crowd(askers):
            time.sleep(seconds)
        encoded = desk.store.get_job(job.id)
    return compare(desk, ledger, encoded)


def compare(desk: Desk, ledger: Ledger, encoded: Job) -> list[str]:
    """Print the table; returns what is wrong. `encoded` is the reindexing as it was at the end."""
    compared = Comparison(desk, ledger)
    compared.judgments(set())
    compared.answers(("ask", "judge"))
    figures = compared.figures | {
        "tickets": desk.store.count_tickets(),
        "reindexed meanwhile": encoded.done,
    }
    print("\n".join(table_of(requests(ledger), errors(ledger), at_the_end(figures))))
    if encoded.state == JobState.FAILED or not encoded.done:
        sentence = f"the reindexing is {encoded.state} with {encoded.done} tickets done"
        compared.wrong.append(f"{sentence} {encoded.message}".rstrip())
    return compared.wrong


if __name__ == "__main__":
    main()
