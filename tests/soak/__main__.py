"""`python -m tests.soak MINUTES [SEED]`: faults come for so long; ends with 1 where anything
acknowledged was lost or is inconsistent, where a program broke, or where nothing happened."""

import signal
import sys
import time
from contextlib import closing

from celery import Celery

from tests.soak.admins import first_training
from tests.soak.comparison import Comparison
from tests.soak.desk import Staff, crowd, fill
from tests.soak.faults import Chaos
from tests.soak.ledger import Ledger
from tests.soak.programs import Crowd
from tests.soak.stage import Stage, stage, wait_until
from tests.soak.table import whole_table
from ticketing.demo.generator import DemoBase, generate
from ticketing.desk import Desk, open_desk
from ticketing.errors import BrokerAway, StoreAway
from ticketing.jobs import JobState
from ticketing.people import Actor, Role
from ticketing.tickets import Query
from worker.app import make_app
from worker.jobs import answer_promotion

SEED = 1
TICKETS = 1000
START_SECONDS = 600.0
RECOVERY_SECONDS = 600.0
ASKED_OF_ALL = 25
ASKED_ALWAYS = "ask", "judge", "put"
"""Kinds of request of which a run without one that is answered says nothing."""


def main() -> None:
    """Soak a desk, compare, print the table."""
    minutes = float(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else SEED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    with stage() as place, closing(open_desk(place.settings("harness"))) as desk:
        say(f"{minutes:g} minutes with seed {seed}; logs in {place.folder}")
        soak = Soak(place, desk, seed)
        soak.begin()
        soak.go_on(60 * minutes)
        soak.recover()
        wrong = soak.compare()
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    sys.exit(1 if wrong else 0)


class Soak:
    """One run."""

    def __init__(self, place: Stage, desk: Desk, seed: int):
        self._place, self._desk = place, desk
        self._app: Celery = make_app(desk.settings)
        self._base: DemoBase = generate(tickets=TICKETS)
        self._ledger = Ledger()
        self._staff = Staff(desk, place.pages, self._ledger, seed)
        self._chaos = Chaos(place, seed, say, self._ledger)

    def begin(self) -> None:
        """A desk whose first bundle serves. Exits where it does not come to that."""
        self._before = fill(self._desk, self._base)
        self._people = crowd(self._desk, self._app, self._base, self._staff)
        self._token = self._staff.token("watcher", Role.ENGINEER)
        self._place.start_desk()
        first_training(self._desk, self._app)
        say("the first training has begun")
        if wait_until(self._desk.store.serving, START_SECONDS) is None:
            sys.exit(f"No bundle serves; see {self._place.folder}.")
        if wait_until(self._place.pages_answer, START_SECONDS) is None:
            sys.exit(f"The pages do not come up; see {self._place.folder}.")

    def go_on(self, seconds: float) -> None:
        """Fifty people work while faults come."""
        with Crowd(self._people), self._chaos:
            time.sleep(seconds)

    def recover(self) -> None:
        """Wait until all is well; what waits for a yes gets a no."""
        took = wait_until(self._all_is_well, RECOVERY_SECONDS)
        self._recovered = took is not None
        say("not all is well again" if took is None else f"all is well after {took:.0f} s")

    def compare(self) -> list[str]:
        """Print the table; gives what is wrong."""
        compared = Comparison(self._desk, self._ledger)
        compared.judgments(self._before)
        compared.tickets({ticket.id: ticket for ticket in self._base.tickets})
        compared.codes()
        compared.jobs()
        compared.answers(ASKED_ALWAYS)
        asked = self._base.tickets[:: TICKETS // ASKED_OF_ALL]
        queries = [Query(ticket.subject, ticket.description) for ticket in asked]
        compared.pages(self._place.pages, self._token, queries)
        of_themselves = self._place.of_themselves()
        compared.faults(len(self._chaos.met), self._recovered, of_themselves)
        compared.wrong += [f"{name} does not end when asked" for name in self._place.stop_desk()]
        table = whole_table(self._ledger, self._chaos.met, compared.figures, of_themselves)
        print("\n".join(["", *table]))
        return compared.wrong

    def _all_is_well(self) -> bool:
        """Servers and pages are up, all jobs have ended, and every ticket has fresh codes."""
        if not (self._place.cluster_is_whole() and self._place.pages_answer()):
            return False
        try:
            unfinished = [job for job in self._desk.store.jobs(limit=100) if not job.finished]
            for job in unfinished:
                if job.state == JobState.WAITING:
                    answer_promotion(self._desk, self._app, job.id, False, Actor("watcher", "soak"))
            store = self._desk.store
            return not unfinished and not store.stale_ids(store.serving(), limit=1)
        except (StoreAway, BrokerAway):
            return False


def say(sentence: str) -> None:
    """A line of the run's log."""
    print(f"{time.strftime('%H:%M:%S', time.gmtime())} {sentence}", flush=True)


if __name__ == "__main__":
    main()
