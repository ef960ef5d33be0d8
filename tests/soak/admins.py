"""Who retrains the desk and says whether the new bundle serves."""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from celery import Celery
from pydantic import TypeAdapter

from tests.soak.ledger import ANSWERED
from tests.soak.people import IMPORTED
from tests.soak.programs import Program, Routine
from ticketing.desk import Desk
from ticketing.errors import TicketingError
from ticketing.files import Json
from ticketing.importing import Mapping
from ticketing.jobs import Job, JobState, Promotion
from ticketing.tickets import Ticket
from worker import jobs
from worker.importing import start_import

NETWORK = {"hidden": 6, "word_dims": 8, "character_dims": 4, "topics": 5, "max_words": 24}
TRAINING = {"epochs": 1, "least_steps": 0, "topic_epochs": 1, "tickets": 300, "teacher": ""}
"""A bundle within seconds."""

TRAIN_PAUSE = 60.0
LOAD_PAUSE = 60.0
ANSWER_PAUSE = 10.0
"""Mean seconds between two deeds of an admin."""

FILE_TICKETS = 20
"""Tickets of a file that is imported."""

CHOICES = Promotion.RULE, Promotion.ASK
YES, BACK = 0.7, 0.05
"""How often a new bundle is let serve, and how often an admin goes back to the one before."""


def first_training(desk: Desk, app: Celery) -> Job:
    """The training of the first bundle, which has nothing to lose to."""
    return jobs.start_training(desk, app, asked_for(desk, Promotion.RULE), "admin0")


def asked_for(desk: Desk, promotion: Promotion) -> Json:
    """A short training."""
    return desk.training_arguments(NETWORK, TRAINING, promotion=promotion)


class Trainer(Routine):
    """Begins a training, which is followed by a reindexing, unless one is under way; on a server's
    command line, where its settings can be given."""

    def __init__(self, name: str, program: Program, desk: Desk, app: Celery):
        super().__init__(program, TRAIN_PAUSE)
        self._name, self._desk, self._app = name, desk, app

    def act(self) -> None:
        promotion, began = self.program.chance.choice(CHOICES), time.monotonic()
        try:
            arguments = asked_for(self._desk, promotion)
            job = jobs.start_training(self._desk, self._app, arguments, self._name)
        except TicketingError as error:
            came_to = type(error).__name__
        else:
            came_to = ANSWERED
            self.program.ledger.started(job.id)
        self.program.ledger.outcome("train", came_to, time.monotonic() - began)


class Loader(Routine):
    """Imports files, each of tickets of its own, as `ticketing import --detach` does."""

    def __init__(
        self, name: str, program: Program, desk: Desk, app: Celery, examples: Sequence[Ticket]
    ):
        super().__init__(program, LOAD_PAUSE)
        self._name, self._desk, self._app, self._examples = name, desk, app, examples
        self._files = 0

    def act(self) -> None:
        self._files += 1
        began, ledger, tickets = time.monotonic(), self.program.ledger, self._some()
        for ticket in tickets:
            ledger.attempt(ticket.id, ticket)
            ledger.attempt(ticket.id, None)
        try:
            with tempfile.TemporaryDirectory(prefix="soak-") as folder:
                path = Path(folder, f"{self._name}-{self._files}.jsonl")
                path.write_text("".join(map(_line, tickets)))
                arguments = self._desk.import_arguments([path], Mapping())
            job = start_import(self._desk, self._app, arguments, self._name)
        except TicketingError as error:
            came_to = type(error).__name__
        else:
            came_to = ANSWERED
            ledger.started(job.id, tickets)
        ledger.outcome("import a file", came_to, time.monotonic() - began)

    def _some(self) -> list[Ticket]:
        chosen = self.program.chance.sample(self._examples, FILE_TICKETS)
        start = f"{IMPORTED}{self._name}-{self._files}"
        return [replace(ticket, id=f"{start}-{n}") for n, ticket in enumerate(chosen)]


def _line(ticket: Ticket) -> str:
    return TypeAdapter(Ticket).dump_json(ticket).decode() + "\n"


class Decider(Routine):
    """Says yes or no where a job waits for it, and retries one that failed; now and then goes back
    to the bundle before."""

    def __init__(self, program: Program):
        super().__init__(program, ANSWER_PAUSE)

    def act(self) -> None:
        send, chance = self.program.send, self.program.chance
        for job in send("look at jobs", "GET", "/api/jobs"):
            if job["state"] == JobState.WAITING:
                yes = {"yes": chance.random() < YES}
                send("answer a job", "POST", f"/api/jobs/{job['id']}/answer", yes)
            if job["state"] == JobState.FAILED:
                send("retry a job", "POST", f"/api/jobs/{job['id']}/retry", {})
        if chance.random() < BACK:
            send("roll back", "POST", "/api/rollback", {})
