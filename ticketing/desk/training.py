"""Training of bundles, and the data they learn from."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from tqdm import tqdm

from ticketing.desk.base import DeskBase
from ticketing.desk.material import read_material, write_material
from ticketing.errors import BundleError, InputError, NotFound, StoreAway
from ticketing.files import Json, require_target
from ticketing.jobs import OnStep, Step, Stopped, ignore_step
from ticketing.labels import derive_labels, is_test
from ticketing.tickets import Filters, Label, ModelKind, Ticket, TicketList

if TYPE_CHECKING:
    from ticketing.model.settings import NetworkSettings
    from ticketing.training.settings import TrainingSettings, TuningSettings

AGAIN_SECONDS = 1.0
"""Seconds before another try to put a trained bundle into a store that is away."""

TRAINING = "training"
"""Name of the lease that a training, or the tuning of an encoder, holds."""


class Trains(DeskBase):
    """The desk's trainings."""

    def labels(self) -> list[Label]:
        """Labels derived from the judgments that may be seen."""
        return derive_labels(self.store.judgments())

    def usual_settings(self) -> Json:
        """The settings that were given explicitly for the serving bundle's training, as the tables
        "network" and "training" of its manifest.

        Empty if no bundle serves, or its manifest cannot be read or has no such tables.
        """
        try:
            manifest = self.models.manifest(self.whole.serving(), ModelKind.RANKING)
        except (NotFound, BundleError):
            return {}
        asked: Json = manifest.get("asked", {})
        return asked

    def usual_settings_named(self) -> list[str]:
        """`usual_settings` in the form that `ticketing train --set` takes."""
        return [
            f"{table}.{name}={value if value and isinstance(value, str) else json.dumps(value)}"
            for table, values in self.usual_settings().items()
            for name, value in values.items()
        ]

    def train(
        self,
        network: NetworkSettings | None = None,
        training: TrainingSettings | None = None,
        before: datetime | None = None,
        vectors_file: Path | None = None,
        labels: Sequence[Label] | None = None,
        tickets: TicketList | None = None,
        on_step: OnStep = ignore_step,
        on_made: Callable[[str], object] = lambda bundle_id: None,
    ) -> str:
        """Train a bundle and return its id. Default data are all tickets (created before a date, if
        given) and `training_labels`.

        Settings that are not given have their defaults. `on_made` is called with the bundle's id
        once it is in the store, while the checkpoints still exist; again if it raises StoreAway.
        Raises NotReady while another process trains, and whatever `on_step` and `on_made` raise.
        """
        from ticketing.model.settings import NetworkSettings
        from ticketing.training.settings import TrainingSettings
        from ticketing.training.train import train

        with self._one_training(TRAINING) as lease:

            def share(bundle_id: str) -> object:
                while True:  # never give up: hours of training would be lost
                    try:
                        self.models.share(bundle_id)
                        return on_made(bundle_id)
                    except StoreAway:
                        on_step(Step.FITTING)
                        time.sleep(AGAIN_SECONDS)

            def still_ours(step: Step, done: int = 0, total: int = 0, said: str = "") -> None:
                if lease.lost:
                    raise Stopped("another training has begun, since this one stood still")
                on_step(step, done, total, said)

            on_step(Step.READING)
            folder = self.settings.home / "checkpoints"
            with self._written(before, folder) if tickets is None else nullcontext(tickets) as read:
                return train(
                    read,
                    self.training_labels(before) if labels is None else labels,
                    network or NetworkSettings(),
                    training or TrainingSettings(),
                    self.models,
                    folder,
                    vectors_file,
                    still_ours,
                    self.settings.threads,
                    share,
                )

    @contextmanager
    def _written(self, before: datetime | None, folder: Path) -> Iterator[TicketList]:
        """Context manager: the present training tickets, written to an unnamed temporary file."""
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            write_material(file, self.training_tickets(before), [])
            yield read_material(file).tickets

    def training_tickets(self, before: datetime | None) -> Iterator[Ticket]:
        """Tickets to learn from: all, or those created before a date."""
        return iter(
            tqdm(
                self.whole.iter_tickets(Filters(created_before=before)),
                desc="reading the store",
                unit=" tickets",
                leave=False,
                delay=0.5,  # seconds
            )
        )

    def tune_encoder(
        self, encoder: str, settings: TuningSettings, out: Path, before: datetime | None
    ) -> None:
        """Fine-tune a sentence encoder (named as `training.teacher`) on the texts and labels that
        `train` would use, and write it to the folder `out`.

        Raises InputError if there is no encoder, there is nothing to learn from, or `out` exists.
        """
        from ticketing.encoders.transformer import needed_folder
        from ticketing.training.encoder_tuning import tune

        if out.exists():
            raise InputError(f"{out} is there already; name a folder that is not.")
        require_target(out)
        folder = needed_folder(encoder)
        with self._one_training(TRAINING):
            tune(
                folder,
                list(self.whole.iter_tickets(Filters(created_before=before))),
                self.training_labels(before),
                settings,
                self.settings.home / "checkpoints",
                out,
            )

    def training_labels(self, before: datetime | None = None) -> list[Label]:
        """Labels for training, optionally only of tickets created before a date. Labels of test
        queries, and of queries with the same texts, are left out; `promote` measures on them."""
        from ticketing.training.sampling import parted

        labels, _ = parted(derive_labels(self.whole.judgments()), is_test)
        named = {id for x in labels for id in (x.ticket_id, x.query.ticket_id) if id}
        known = self.whole.matching_ids(sorted(named), Filters(created_before=before))
        return [
            label
            for label in labels
            if label.ticket_id in known
            and (not before or not label.query.ticket_id or label.query.ticket_id in known)
        ]
