"""Who retrains the desk and says whether the new bundle serves."""

import time

from celery import Celery

from tests.soak.ledger import ANSWERED
from tests.soak.programs import Program, Routine
from ticketing.desk import Desk
from ticketing.errors import TicketingError
from ticketing.files import Json
from ticketing.jobs import Job, JobState, Promotion
from worker import jobs

NETWORK = {"hidden": 6, "word_dims": 8, "character_dims": 4, "topics": 5, "max_words": 24}
TRAINING = {"epochs": 1, "least_steps": 0, "topic_epochs": 1, "tickets": 300, "teacher": ""}
"""A bundle within seconds."""

TRAIN_PAUSE = 60.0
ANSWER_PAUSE = 10.0
"""Mean seconds between two deeds of an admin."""

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


class Decider(Routine):
    """Says yes or no where a job waits for it; now and then goes back to the bundle before."""

    def __init__(self, program: Program):
        super().__init__(program, ANSWER_PAUSE)

    def act(self) -> None:
        send, chance = self.program.send, self.program.chance
        for job in send("look at jobs", "GET", "/api/jobs"):
            if job["state"] == JobState.WAITING:
                yes = {"yes": chance.random() < YES}
                send("answer a job", "POST", f"/api/jobs/{job['id']}/answer", yes)
        if chance.random() < BACK:
            send("roll back", "POST", "/api/rollback", {})
