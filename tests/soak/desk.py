"""The desk that is soaked: a small archive, a small model, and people with accounts."""

import random

from celery import Celery

from tests.soak.admins import Decider, Loader, Trainer
from tests.soak.ledger import Ledger
from tests.soak.people import Asker, Importer
from tests.soak.programs import Program, Routine
from ticketing.cli.actor import command_line
from ticketing.demo.generator import DemoBase
from ticketing.desk import Desk
from ticketing.people import PERMISSIONS, Role
from ticketing.tickets import Judgment, Query
from ticketing.times import utc_now

ASKERS, IMPORTERS = 40, 7
SECRET = "four words that nobody guesses 1"


def fill(desk: Desk, base: DemoBase) -> set[str]:
    """Tickets and labels; gives the ids of the judgments."""
    desk.put_tickets(base.tickets)
    events = [
        Judgment(f"label-{number}", label.query, label.ticket_id, label.grade, "expert", utc_now())
        for number, label in enumerate(base.labels)
    ]
    desk.store.add_judgments(events)
    return {event.event_id for event in events}


class Staff:
    """Makes accounts, and programs that act for them."""

    def __init__(self, desk: Desk, pages: list[str], ledger: Ledger, seed: int):
        self._desk, self._pages, self._ledger, self._seed = desk, pages, ledger, seed

    def token(self, name: str, role: Role) -> str:
        """An account for somebody, and a token with which a program may do all that they may."""
        self._desk.add_account(command_line(), name, SECRET, role)
        return self._desk.make_token(command_line(), name, "soak", PERMISSIONS[role], 1).secret

    def program(self, name: str, role: Role) -> Program:
        """What acts for a new person."""
        chance = random.Random(f"{self._seed}/{name}")
        return Program(self._pages, self.token(name, role), self._ledger, chance)


def crowd(desk: Desk, app: Celery, base: DemoBase, staff: Staff) -> list[Routine]:
    """Fifty people; admins first, as the first account must be one's."""
    queries = [Query(ticket.subject, ticket.description) for ticket in base.tickets[::6]]
    queries += sorted({label.query for label in base.labels}, key=lambda query: query.id)
    trainer, decider, loader = (staff.program(f"admin{n}", Role.ADMIN) for n in range(3))
    importers = {
        f"importer{n}": staff.program(f"importer{n}", Role.ADMIN) for n in range(IMPORTERS)
    }
    askers = {f"engineer{n}": staff.program(f"engineer{n}", Role.ENGINEER) for n in range(ASKERS)}
    return [
        Trainer("admin0", trainer, desk, app),
        Decider(decider),
        Loader("admin2", loader, desk, app, base.tickets),
        *(Importer(name, program, base.tickets) for name, program in importers.items()),
        *(Asker(name, program, queries) for name, program in askers.items()),
    ]
