"""Long work as jobs: their arguments and the work itself.

A method `..._arguments` of the desk makes and checks the `arguments` of a job, in the process that
starts it. The process that does the job calls `do`. Both share data only through the store.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ticketing.desk.bundles import Bundles
from ticketing.desk.checkpoints import shared_checkpoints
from ticketing.desk.import_work import do_import
from ticketing.desk.imports import Imports, needed_files
from ticketing.desk.material import drop_material, material_of
from ticketing.errors import InputError, NewDesk, NotReady, first_invalid
from ticketing.files import Json, chunks, content_digest
from ticketing.jobs import Job, JobKind, OnStep, Promotion
from ticketing.tickets import Filters, ModelKind
from ticketing.times import require_period, shown_date, utc_now

if TYPE_CHECKING:
    from ticketing.desk import Desk


VECTORS_KEPT = timedelta(days=1)
"""How long a vectors file is kept that another training uses."""


class LongWork(Imports, Bundles):
    """Makes the arguments of training and evaluation jobs, and handles the files of all jobs."""

    # training --------------------------------------------------------------------------------
    def training_arguments(
        self,
        network: Json | None = None,
        training: Json | None = None,
        before: datetime | None = None,
        vectors: Path | None = None,
        promotion: Promotion = Promotion.RULE,
    ) -> Json:
        """The arguments of a training job; the file of word vectors is put into the store for it.

        Settings that are not named have their defaults. If neither table is given, they are those
        of the serving bundle (`usual_settings`). Raises InputError naming an invalid setting or
        file, NotReady if there are no tickets.
        """
        from ticketing.model.settings import NetworkSettings
        from ticketing.training.settings import TrainingSettings
        from ticketing.training.vector_files import kind_of

        if not self.whole.count_tickets(Filters(created_before=before)):
            if before and self.whole.count_tickets():
                raise NotReady(
                    "There are no tickets to learn from: none was created before"
                    f" {shown_date(before)}; give a later date."
                )
            raise NewDesk("There are no tickets to learn from; import some first.")
        usual = self.usual_settings() if network is None and training is None else {}
        asked = {
            "network": network or usual.get("network", {}),
            "training": _with_absolute_teacher(training or usual.get("training", {})),
        }
        try:
            settings = NetworkSettings(**asked["network"])
            TrainingSettings.for_loss(**asked["training"])
        except ValidationError as error:
            field, value, message = first_invalid(error)
            raise InputError(f"{field}={value!r}: {message}.") from None
        if vectors:
            kind_of(vectors, settings.word_dims)
        return asked | {
            "before": before and before.isoformat(),
            "vectors": vectors and self._kept_vectors(vectors),
            "promotion": promotion,
        }

    def _kept_vectors(self, path: Path) -> str:
        name = f"vectors/{content_digest(path)[:16]}/{path.name}"
        self.whole.put_file(name, chunks(path))  # put again even if it is there, to renew its date
        return name

    def fetched_vectors(self, name: str | None) -> Path | None:
        """The path of the vectors file on this machine, fetched if necessary. It is always the
        same, because checkpoints refer to it."""
        if not name:
            return None
        path = self.settings.home / "checkpoints" / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_name(f".{path.name}.unfinished")
            self.fetch(name, unfinished)
            unfinished.rename(path)
        return path

    def drop_vectors(self, job: Job) -> None:
        """Delete vectors files that no training needs: the job's own once it has its bundle, and
        others after VECTORS_KEPT.

        A younger file may belong to a training that is about to be started. On this machine all
        other vectors files are deleted, as they can be fetched again. Raises StoreAway, StoreError.
        """
        own, needed = job.arguments.get("vectors"), needed_files(job)
        others_before = utc_now() - VECTORS_KEPT
        for file in self.whole.files("vectors/"):
            before = job.created if file.name == own else others_before
            if file.name not in needed and file.put < before:
                self.whole.drop_file(file.name)
        checkpoints = self.settings.home / "checkpoints"
        still_read = {(checkpoints / name).parent for name in needed}
        for folder in checkpoints.glob("vectors/*"):
            if folder not in still_read:
                shutil.rmtree(folder, ignore_errors=True)

    # evaluation ------------------------------------------------------------------------------
    def evaluation_arguments(
        self,
        bundle: str = "",
        other: str = "",
        since: datetime | None = None,
        before: datetime | None = None,
    ) -> Json:
        """The arguments of an evaluation job: a bundle (default: the serving one), optionally
        another one to compare with, and a period. With dates, the queries are tickets created in
        that period; without dates, the test queries. Raises NotFound, BundleError, InputError for a
        bundle that does not rank and for dates that exclude each other."""
        require_period(since, before)
        for named in filter(None, (bundle, other)):
            self.models.manifest(named, ModelKind.RANKING)
        return {
            "bundle": bundle,
            "other": other,
            "since": since and since.isoformat(),
            "before": before and before.isoformat(),
        }

    # files -----------------------------------------------------------------------------------
    def require_files(self, job: Job) -> None:
        """Raises NotReady if a file that the job needs for a retry has been deleted."""
        again = {
            JobKind.TRAINING: "run `ticketing train --vectors FILE` again",
            JobKind.IMPORT: "import it again",
        }
        for name, given in needed_files(job).items():
            if name not in {file.name for file in self.whole.files(name)}:
                raise NotReady(
                    f"Job {job.id} cannot be retried, as {given} is no longer kept; "
                    f"{again[job.kind]}."
                )

    def fetch(self, name: str, path: Path) -> None:
        """Write a file of the store to a path. Raises NotFound, StoreError, StoreAway."""
        with path.open("wb") as file:
            file.writelines(self.whole.file_chunks(name))


def _with_absolute_teacher(training: Json) -> Json:
    """Training settings with an absolute path of the teacher, since a worker has another working
    folder."""
    teacher = training.get("teacher")
    if teacher in (None, "", "installed"):
        return training
    return {**training, "teacher": str(Path(teacher).absolute())}


def do(desk: Desk, job: Job, on_step: OnStep) -> Json:
    """Do a job's work from where it stopped; returns what it has changed, for `job.result`.

    Raises whatever `on_step` raises, StoreAway (the work may be repeated), and TicketingError.
    """
    return _WORK[job.kind](desk, job, on_step)


def _do_training(desk: Desk, job: Job, on_step: OnStep) -> Json:
    """Train. The bundle is noted in the job before the checkpoints are deleted. If the job has
    already made its bundle, only return the id."""
    from ticketing.model.settings import NetworkSettings
    from ticketing.training.settings import TrainingSettings

    folder = desk.settings.home / "checkpoints"
    if (bundle_id := job.result.get("bundle")) in desk.models.ids():  # perhaps deleted since
        drop_material(folder, job.id)
        return {"bundle": bundle_id}

    def note(bundle_id: str) -> None:
        data = desk.models.manifest(bundle_id)["data"]
        made = {"bundle": bundle_id, "tickets": data["tickets"], "labels": data["labels"]}
        desk.whole.update_job(job.id, result=made)

    asked = job.arguments
    desk.drop_vectors(job)
    before = _time(asked.get("before"))
    elsewhere = bool(desk.settings.store)  # other machines may then resume it
    with shared_checkpoints(desk.whole, folder, job.id) if elsewhere else nullcontext():
        with material_of(
            folder, job.id, lambda: (desk.training_tickets(before), desk.training_labels(before))
        ) as material:
            bundle_id = desk.train(
                NetworkSettings(**asked.get("network", {})),
                TrainingSettings.for_loss(**asked.get("training", {})),
                before,
                desk.fetched_vectors(asked.get("vectors")),
                material.labels,
                material.tickets,
                on_step,
                note,
            )
        drop_material(folder, job.id)
    return {"bundle": bundle_id}


def _do_evaluation(desk: Desk, job: Job, on_step: OnStep) -> Json:
    """Evaluate, and keep the report in the store as `report/<job id>/report.html`."""
    from ticketing.desk.measuring import Measuring, measure, sample_of, why_not
    from ticketing.evaluation.measurement import measurement_text
    from ticketing.evaluation.report import render

    asked = job.arguments
    measuring = Measuring(
        asked["bundle"], asked["other"], _time(asked["since"]), _time(asked["before"])
    )
    sample = sample_of(desk, measuring)
    if reason := why_not(desk, sample.labels, measuring.since, measuring.before):
        raise NotReady(reason)
    measured = measure(desk, measuring, sample, on_step=on_step)
    page = render(measured.found, measured.recommender, desk.notice)
    name = f"report/{job.id}/report.html"
    desk.whole.put_file(name, [page.encode()])
    text = [*measured.warnings, *measurement_text(measured.found)]
    return {"bundle": measured.recommender.model.id, "report": name, "text": text}


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


_WORK: dict[JobKind, Callable[[Desk, Job, OnStep], Json]] = {
    JobKind.TRAINING: _do_training,
    JobKind.IMPORT: do_import,
    JobKind.EVALUATION: _do_evaluation,
}
