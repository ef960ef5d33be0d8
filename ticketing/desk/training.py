"""What a bundle learns from, and its training."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
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
"""How often a store that is away is asked again to take a bundle that was trained."""


class Trains(DeskBase):
    """The desk's trainings."""

    def labels(self) -> list[Label]:
        """What the judgments come to that may be seen."""
        return derive_labels(self.store.judgments())

    def usual_settings(self) -> Json:
        """What was named of the settings of the serving bundle's training, as the manifest has it
        in the tables "network" and "training".

        Nothing where no bundle serves, or one that cannot be read or does not say it.
        """
        try:
            manifest = self.models.manifest(self.whole.serving(), ModelKind.RANKING)
        except (NotFound, BundleError):
            return {}
        asked: Json = manifest.get("asked", {})
        return asked

    def usual_settings_named(self) -> list[str]:
        """`usual_settings` as `ticketing train --set` takes them."""
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
    ) -> str:
        """Train on tickets (created before a date, if given) and labels (those of
        `training_labels`), unless others are given; returns the bundle's id.

        Settings that are not given are the default ones. Raises NotReady while another process
        trains, and whatever `on_step` does.
        """
        from ticketing.model.settings import NetworkSettings
        from ticketing.training.settings import TrainingSettings
        from ticketing.training.train import train

        with self._one_training("training") as lease:

            def share(bundle_id: str) -> None:
                while True:  # hours of training hang on it
                    try:
                        return self.models.share(bundle_id)
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
        """The tickets to learn from as they are now, in a file without a name."""
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            write_material(file, self.training_tickets(before), [])
            yield read_material(file).tickets

    def training_tickets(self, before: datetime | None = None) -> Iterator[Ticket]:
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
        self, encoder: str, settings: TuningSettings, out: Path, before: datetime | None = None
    ) -> None:
        """Tune a sentence encoder (named as `training.teacher` is) on the texts and labels that
        `train` would learn from, and write it to the folder `out`.

        Raises InputError where there is no encoder, nothing to learn from or `out` is taken.
        """
        from ticketing.encoders.transformer import needed_folder
        from ticketing.training.encoder_tuning import tune

        if out.exists():
            raise InputError(f"{out} is there already; name a folder that is not.")
        require_target(out)
        folder = needed_folder(encoder)
        with self._one_training("training"):
            tune(
                folder,
                list(self.whole.iter_tickets(Filters(created_before=before))),
                self.training_labels(before),
                settings,
                self.settings.home / "checkpoints",
                out,
            )

    def training_labels(self, before: datetime | None = None) -> list[Label]:
        """Labels to learn from, of tickets created before a date if one is given; those of
        test queries, and what says the same, are left for `promote` to measure on."""
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
