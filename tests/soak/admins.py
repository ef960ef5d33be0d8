"""Who retrains the desk and says whether the new bundle serves."""

import time
from collections.abc import Callable
from typing import Any

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


def first_training(desk: Desk, app: Celery) -> Job:
    """The training of the first bundle, which has nothing to lose to."""
    return jobs.start_training(desk, app, asked_for(desk, Promotion.RULE), "admin0")


def asked_for(desk: Desk, promotion: Promotion) -> Json:
    """A short training."""
    return desk.training_arguments(NETWORK, TRAINING, promotion=promotion)


class Admin(Routine):
    """Works on the command line's use cases, as a shell on a server does."""

    def __init__(self, name: str, program: Program, pause: float, desk: Desk, app: Celery):
        super().__init__(program, pause)
        self._name, self._desk, self._app = name, desk, app

    def _do(self, kind: str, deed: Callable[[], Any]) -> Any:
        """What the deed gives, None where it came to an error, which the ledger keeps."""
        began = time.monotonic()
        try:
            done = deed()
        except TicketingError as error:
            self.program.ledger.outcome(kind, type(error).__name__, time.monotonic() - began)
            return None
        self.program.ledger.outcome(kind, ANSWERED, time.monotonic() - began)
        return done


class Trainer(Admin):
    """Begins a training, which is followed by a reindexing, unless one is under way."""

    def act(self) -> None:
        promotion = self.program.chance.choice([Promotion.RULE, Promotion.ASK])
        job = self._do("train", lambda: self._train(promotion))
        if job:
            self.program.ledger.started(job.id)

    def _train(self, promotion: Promotion) -> Job:
        arguments = asked_for(self._desk, promotion)
        return jobs.start_training(self._desk, self._app, arguments, self._name)


class Decider(Admin):
    """Says yes or no where a job waits for it; now and then goes back to the bundle before."""

    def act(self) -> None:
        waiting = self._do("look at jobs", self._waiting) or []
        for job in waiting:
            yes = self.program.chance.random() < 0.7
            self._do("answer", lambda: self._answer(job, yes))  # noqa: B023
        if self.program.chance.random() < 0.05:
            self._do("roll back", self._desk.rollback)

    def _waiting(self) -> list[Job]:
        return [job for job in self._desk.store.jobs() if job.state == JobState.WAITING]

    def _answer(self, job: Job, yes: bool) -> Job:
        return jobs.answer_promotion(self._desk, self._app, job.id, yes, self._name)
