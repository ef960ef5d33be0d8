"""How a bundle comes to serve: labels, training, codes, comparison, the switch and the way back."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING
from uuid import uuid4

from tqdm import tqdm

from ticketing.desk.base import DeskBase
from ticketing.desk.material import read_material, write_material
from ticketing.errors import (
    BundleAway,
    BundleError,
    Conflict,
    InputError,
    NotFound,
    NotReady,
    StoreAway,
)
from ticketing.jobs import Job, JobKind, JobState, Step, Stopped, Told, unheard
from ticketing.labels import derive_labels, is_test, learnable
from ticketing.plurals import counted
from ticketing.tickets import Filters, Label, ModelKind, Ticket, TicketList
from ticketing.times import utc_now

if TYPE_CHECKING:
    from ticketing.evaluation.promotion import Comparison
    from ticketing.model.settings import NetworkSettings
    from ticketing.training.settings import TrainingSettings, TuningSettings

AGAIN_SECONDS = 1.0
"""How often a store that is away is asked again to take a bundle that was trained."""

A_FEW = 32
"""Tickets that may come between a reindexing and its promotion."""


class Bundles(DeskBase):
    """The desk's bundles, from training to serving."""

    def labels(self) -> list[Label]:
        """What the judgments come to that may be seen."""
        return derive_labels(self.store.judgments())

    def train(
        self,
        network: NetworkSettings | None = None,
        training: TrainingSettings | None = None,
        before: datetime | None = None,
        vectors_file: Path | None = None,
        labels: Sequence[Label] | None = None,
        tickets: TicketList | None = None,
        told: Told = unheard,
    ) -> str:
        """Train on tickets (created before a date, if given) and labels (those of
        `training_labels`), unless others are given; returns the bundle's id.

        Settings that are not given are the default ones. Raises NotReady while another process
        trains, and whatever `told` does.
        """
        from ticketing.model.settings import NetworkSettings
        from ticketing.training.settings import TrainingSettings
        from ticketing.training.train import train

        with self._one_training("training") as lease:

            def still_ours(step: Step, done: int = 0, total: int = 0, said: str = "") -> None:
                if lease.lost:
                    raise Stopped("another training has begun, since this one stood still")
                told(step, done, total, said)

            told(Step.READING)
            folder = self.settings.home / "checkpoints"
            with self._written(before, folder) if tickets is None else nullcontext(tickets) as read:
                bundle_id = train(
                    read,
                    self.training_labels(before) if labels is None else labels,
                    network or NetworkSettings(),
                    training or TrainingSettings(),
                    self.models,
                    folder,
                    vectors_file,
                    still_ours,
                    self.settings.threads,
                )
        while True:  # hours of training hang on it
            try:
                self.models.share(bundle_id)
            except StoreAway:
                told(Step.FITTING)
                time.sleep(AGAIN_SECONDS)
            else:
                return bundle_id

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
        labels = learnable(derive_labels(self.whole.judgments()), is_test)
        named = {id for x in labels for id in (x.ticket_id, x.query.ticket_id) if id}
        known = self.whole.matching_ids(sorted(named), Filters(created_before=before))
        return [
            label
            for label in labels
            if label.ticket_id in known
            and (not before or not label.query.ticket_id or label.query.ticket_id in known)
        ]

    def bundle(self, bundle_id: str = "") -> str:
        """The id of a bundle that every machine can have, or of the one trained last.

        Raises NotFound, BundleError, and NotReady when there is none at all.
        """
        if not bundle_id:
            ids = self.models.ids(ModelKind.RANKING)
            if not ids:
                raise NotReady("There is no model yet: run `ticketing train`.")
            bundle_id = ids[-1]
        self.models.share(bundle_id)
        return bundle_id

    def compare(self, bundle_id: str, other_id: str) -> Comparison:
        """Two bundles compared on the judgments of test queries, of which none counts as solved; a
        ticket that was deleted can't be found, so it is not asked for."""
        from ticketing.evaluation.promotion import compare
        from ticketing.retrieval.solved import nothing_solved

        labels = derive_labels(self.whole.judgments())
        test = [label for label in labels if is_test(label.query.id)]
        there = self.whole.matching_ids(sorted({label.ticket_id for label in test}))
        new, other = (
            self._recommender(id).over(self.whole, nothing_solved) for id in (bundle_id, other_id)
        )
        return compare(new, other, [label for label in test if label.ticket_id in there])

    def promote(self, bundle_id: str, force: bool = False) -> str:
        """Let a bundle serve unless it loses to the serving one on test queries.

        A loss that chance explains is none. Returns a sentence that says what happened and by how
        much; the page shows it among the jobs. Tickets that came since its reindexing are encoded
        first. Raises NotReady while more than a few lack codes under it, NotFound and BundleError
        where it cannot serve.
        """
        self.models.share(bundle_id)
        self.recommender(bundle_id)
        stale = set(self.whole.stale_ids(bundle_id)) - self._set_aside(bundle_id)
        if len(stale) > A_FEW and not force:
            raise NotReady(
                f"Bundle {bundle_id} has no codes of {counted(len(stale), 'ticket')}; "
                "run `ticketing reindex`."
            )
        serving = self.whole.serving()
        if serving == bundle_id:
            return f"Bundle {bundle_id} serves already."
        may_serve, why = (True, "") if force else self.compared(bundle_id)
        return self.let_serve(bundle_id, why) if may_serve else self.refuse(bundle_id, why)

    def let_serve(self, bundle_id: str, why: str) -> str:
        """Let a bundle serve that may; gives, and keeps, a sentence that says so and `why`."""
        self._serve(bundle_id)
        return self._note(bundle_id, f"Bundle {bundle_id} serves now{why}.")

    def refuse(self, bundle_id: str, why: str) -> str:
        """Keep that a bundle does not serve, and `why`; gives the sentence."""
        return self._note(bundle_id, f"Bundle {bundle_id} was not promoted{why}.")

    def compared(self, bundle_id: str) -> tuple[bool, str]:
        """Whether a bundle may serve instead of the one that does, and by how much or why; one
        that this program cannot read is worse than any."""
        serving = self.whole.serving()
        self._had(bundle_id)
        if not serving:
            return True, ""
        try:
            comparison = self.compare(bundle_id, serving)
        except BundleAway:
            raise
        except (BundleError, NotFound) as error:
            return True, f", uncompared: {str(error).removesuffix('.')}"
        return comparison.may_serve, f": {comparison}"

    def delete_bundle(self, bundle_id: str) -> None:
        """Delete a bundle of any kind, readable or not, and its codes, also where one of both is
        gone already.

        Raises NotFound where neither is there, Conflict while a job works on it and for a bundle
        that serves.
        """
        if bundle_id not in {*self.models.ids(), *self.whole.bundles()}:
            self.models.require(bundle_id)
        for job in self.whole.unfinished_jobs():
            if job.bundle_id == bundle_id:
                raise Conflict(
                    f"Job {job.id} works on bundle {bundle_id} ({job.kind}); cancel it first."
                )
        if bundle_id == self.whole.serving(ModelKind.CATEGORIES):
            raise Conflict(f"Bundle {bundle_id} proposes the desk's categories; train another.")
        self.whole.drop_codes(bundle_id)
        self.models.delete(bundle_id)

    def _note(self, bundle_id: str, verdict: str) -> str:
        """Keep what came of a bundle among the jobs, for all to see; gives the verdict."""
        self.whole.put_job(
            Job(
                id=uuid4().hex,
                kind=JobKind.PROMOTION,
                bundle_id=bundle_id,
                state=JobState.DONE,
                total=0,
                done=0,
                created=(time := utc_now()),
                finished=time,
                message=verdict,
            )
        )
        return verdict

    def _serve(self, bundle_id: str) -> None:
        """Switch to a bundle whose codes are verified; tickets that others put until then, or
        during it, are not missed."""
        from ticketing.retrieval.verify import verify_codes

        self._encode_stale(bundle_id)
        recommender = self.recommender(bundle_id)
        verify_codes(self.whole, recommender.model)
        recommender.derive()
        self.whole.set_serving(bundle_id)
        self._encode_stale(bundle_id)

    def rollback(self) -> str:
        """Let the bundle that served before serve again; what came since is encoded under it first.

        Raises NotReady when there is none any more.
        """
        previous = self.whole.previous_serving()
        if not previous:
            raise NotReady("No other bundle has served before; there is nothing to go back to.")
        try:
            self.models.share(previous)
        except NotFound:
            raise NotReady(
                f"Bundle {previous} served before and is deleted; there is nothing to go back to."
            ) from None
        self._serve(previous)
        return self._note(previous, f"Bundle {previous} serves again.")
