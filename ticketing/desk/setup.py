"""First steps of a new desk: import, train, serve."""

from __future__ import annotations

from dataclasses import dataclass

from ticketing.desk.base import DeskBase
from ticketing.jobs import Job, JobKind
from ticketing.tickets import ModelKind


@dataclass(frozen=True)
class Setup:
    """How far a new desk is: number of tickets, whether a bundle was trained, and whether one
    serves.

    `training` and `encoding` are the unfinished jobs that make a bundle and encode the tickets, if
    there are any.
    """

    tickets: int
    trained: bool
    serving: bool
    training: Job | None
    encoding: Job | None

    @property
    def ready(self) -> bool:
        """Whether a query can be answered."""
        return self.tickets > 0 and self.serving


class SettingUp(DeskBase):
    """The first steps of a desk."""

    def setup(self) -> Setup:
        """How far the desk is."""
        serving = bool(self.store.serving())
        under_way = {job.kind: job for job in reversed(self.store.unfinished_jobs())}
        return Setup(
            tickets=self.store.count_tickets(),
            trained=serving or bool(self.models.ids(ModelKind.RANKING)),
            serving=serving,
            training=under_way.get(JobKind.TRAINING),
            encoding=under_way.get(JobKind.REINDEX),
        )
