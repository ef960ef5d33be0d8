"""An answer at very many tickets: `TICKETING_HOME=… python -m tests.benchmarks.million [tickets]`.

An archive of so many tickets is made of that home's, repeated with changed words or mixed (see
`copies`), in a folder that is gone afterwards, or in one named by `--folder`, which is measured as
it is where it is there: their codes under a bundle, and texts changed as much, which nobody
indexes, as an answer asks for none by its words. Every eighth ticket of the home stays out; every
other one of these is asked. How many tickets are compared was chosen on others, drawn from a
sixteenth of them, so some of them may be asked here.

Printed, all in two threads: how the made tickets compare with those they were made of; the first
answer of a process, with nothing derived and again, and the memory that is its own; the whole
answer as the page asks for it, with filters, and its steps, beside the exhaustive scan and a pass
over the codes; how many of the exhaustive ten it has. `tests.benchmarks.scan` has FAISS beside it.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from tests.benchmarks import copies
from ticketing.desk import Desk, open_desk
from ticketing.encoders.terms import bucket_of, term_of
from ticketing.model.inference import Model
from ticketing.settings import load_settings
from ticketing.stores.blocks import CodeRow
from ticketing.stores.sqlite.tickets import COLUMNS
from ticketing.tickets import Ticket

AT_ONCE = 20_000
HELD_OUT = 8
ASKED = "asked.json"
RARE, HALF = "one in a thousand", "every other"


def main() -> None:
    """Make the archive, then measure it in processes of their own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tickets", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--bundle", default="")
    parser.add_argument("--way", choices=("repeated", "mixed"), default="repeated")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as gone:
        home = given.folder or Path(gone)
        if not (home / ASKED).exists():
            source = open_desk(load_settings())
            bundle = given.bundle or source.store.serving()
            home.mkdir(exist_ok=True)
            (home / "models").symlink_to(source.settings.home.resolve() / "models")
            asked = make(source, bundle, home, given.tickets, given.way)
            (home / ASKED).write_text(json.dumps(asked))
        os.environ.update(TICKETING_HOME=str(home), TICKETING_THREADS="2", OMP_NUM_THREADS="1")
        for what in ("first", "again", str(given.queries)):
            command = [sys.executable, "-m", "tests.benchmarks.million_asked", what]
            subprocess.run(command, check=True)


def make(source: Desk, bundle: str, home: Path, count: int, way: str) -> list[list[str]]:
    """An archive of so many tickets in a home; returns the texts that are asked."""
    model = source.recommender(bundle).model
    known = [t for t in source.store.iter_tickets() if t.subject]
    asked, kept = known[::HELD_OUT], [t for i, t in enumerate(known) if i % HELD_OUT]
    rows = model.encode_tickets(kept)
    chance, reword = np.random.default_rng(0), rewording(kept)
    desk = open_desk(load_settings(home=home))
    store = desk.whole
    for start in range(0, count, AT_ONCE):
        of = chance.integers(len(kept), size=min(AT_ONCE, count - start))
        codes = getattr(copies, way)(rows, of, model.layout, chance)
        tickets = [ticket(start + i, kept[number], reword) for i, number in enumerate(of)]
        with store.database.writing() as connection:
            connection.executemany(
                f"INSERT INTO tickets ({COLUMNS}, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                map(record, tickets),
            )
        store.put_codes(
            bundle,
            [
                CodeRow(t.id, t.version, row.tobytes())
                for t, row in zip(tickets, codes, strict=True)
            ],
        )
        if not start:
            compare(model, rows, codes)
    store.set_serving(bundle)
    desk.close()
    return [[t.subject, t.description] for t in asked[::2]]


Reword = Callable[[Ticket], tuple[str, ...]]
"""Subject, description and solution of a ticket, some of whose words are another's."""


def rewording(tickets: Sequence[Ticket]) -> Reword:
    """By the words of these tickets, the same each time it is begun with."""
    chance = random.Random(0)
    words = [ticket.text.split() for ticket in tickets]

    def reword(ticket: Ticket) -> tuple[str, ...]:
        others = chance.choice(words)
        texts = ticket.subject, ticket.description, ticket.solution
        return tuple(copies.reworded(text, others, chance) for text in texts)

    return reword


def ticket(number: int, of: Ticket, reword: Reword) -> Ticket:
    """A ticket with another one's text, reworded."""
    product = RARE if number % 1000 == 7 else "others"
    status = HALF if number % 2 else "others"
    return Ticket(f"{number:07}", *reword(of), product=product, status=status, created=of.created)


def record(t: Ticket) -> tuple[str | None, ...]:
    """A row of the table of tickets."""
    created = t.created and t.created.isoformat()
    texts = t.id, t.subject, t.description, t.solution
    return (*texts, t.product, t.status, created, "[]", t.version)


def compare(model: Model, rows: np.ndarray, made: np.ndarray) -> None:
    """Print what made tickets have beside those that they were made of."""
    words = {bucket_of(term_of(word)) for word in model.vocabulary.words}
    for name, codes in (("of the archive", rows), ("made", made)):
        buckets, weights = model.layout.kept_terms(codes)
        present = codes[:, -1:] >> np.arange(model.layout.components) & 1  # [n, R]
        held = (weights > 0).sum((0, 2)) / present.sum(0)
        unknown = np.isin(buckets[weights > 0], list(words), invert=True).mean()
        print(
            f"tickets {name}: {' '.join(f'{share:.2f}' for share in present.mean(0))} have the"
            f" components, of {' '.join(f'{terms:.1f}' for terms in held)} terms, {unknown:.1%} of"
            " them unknown to the vocabulary",
            flush=True,
        )


if __name__ == "__main__":
    main()
