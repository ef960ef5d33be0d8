"""The arguments of import jobs, and the files kept for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from uuid import uuid4

from ticketing.desk.base import DeskBase
from ticketing.errors import InputError, StoreFull
from ticketing.files import Json, chunks, file_name, sole_folder, sweep_folders
from ticketing.jobs import Job, JobKind
from ticketing.times import utc_now

if TYPE_CHECKING:
    from ticketing.importing import Mapping

IMPORTS = "imports"
"""Folder below the home with one folder per import whose files are being read."""

IMPORT_DAYS = 30
"""Days for which the files of a failed or cancelled import are kept for a retry."""


class Imports(DeskBase):
    """Makes the arguments of import jobs."""

    def import_arguments(
        self,
        paths: Sequence[Path],
        mapping: Mapping,
        before: datetime | None = None,
        check_only: bool = False,
    ) -> Json:
        """The arguments of an import job: its files, the meaning of their columns, and the groups
        of the person. Each file is read to its end here and then kept in the store. With
        `check_only`, the job only reports what it would change.

        With `before`, only replies dated earlier may be a solution. Raises InputError.
        """
        from ticketing.importing import open_source

        sources = [open_source(path, mapping, before) for path in paths]
        upload = uuid4().hex
        files = []
        for number, source in enumerate(sources):
            name = f"import/{upload}/{number}"
            kept = self.whole.put_file(name, chunks(source.path))
            said = source.mapping.model_dump(mode="json")
            file = {"file": name, "sha256": kept.sha256, "name": source.path.name}
            files.append(file | {"rows": source.rows, "mapping": said})
        groups = None if self.groups is None else sorted(self.groups)
        asked = {"files": files, "before": before and before.isoformat(), "groups": groups}
        return asked | ({"check_only": True} if check_only else {})

    def upload_arguments(
        self,
        name: str,
        chunks: Iterable[bytes],
        columns: Sequence[str] = (),
        check_only: bool = False,
    ) -> Json:
        """The arguments of an import job for one uploaded file. `columns` maps columns with unusual
        names as `field=column`. Raises InputError, and StoreFull if the home takes no files."""
        from ticketing.importing import read_mapping

        try:
            with self.import_folder() as folder:
                path = folder / file_name(name)
                with path.open("wb") as file:
                    file.writelines(chunks)
                try:
                    mapping = read_mapping(overrides=columns)
                    return self.import_arguments([path], mapping, check_only=check_only)
                except InputError as error:
                    said = str(error).replace(f"{folder}/", "").replace("--map ", "")  # no options
                    raise InputError(said) from None
        except OSError as error:
            raise StoreFull(
                f"The folder {self.settings.home / IMPORTS} takes no files ({error.strerror}); free"
                " some room on its disk, or let it be written to."
            ) from error

    @contextmanager
    def import_folder(self) -> Iterator[Path]:
        """Context manager: a private folder for an import's files while they are read. It is
        deleted when the block ends, or by `forget_imports` if the process was killed."""
        folder = self.settings.home / IMPORTS / uuid4().hex
        with sole_folder(folder):
            yield folder

    def forget_imports(self) -> None:
        """Delete files given more than IMPORT_DAYS ago, except those of unfinished imports, and
        folders left by killed processes. Raises StoreAway, StoreError."""
        sweep_folders(self.settings.home / IMPORTS)
        needed = {name for job in self.whole.unfinished_jobs() for name in needed_files(job)}
        uploads = {PurePosixPath(name).parent for name in needed}
        before = utc_now() - timedelta(days=IMPORT_DAYS)
        for file in self.whole.files("import/"):
            if file.put < before and PurePosixPath(file.name).parent not in uploads:
                self.whole.drop_file(file.name)


def needed_files(job: Job) -> dict[str, str]:
    """The store's files that a job still has to read, with the names under which they were
    given."""
    asked = job.arguments
    if job.kind == JobKind.TRAINING and asked.get("vectors") and "bundle" not in job.result:
        return {asked["vectors"]: Path(asked["vectors"]).name}
    if job.kind == JobKind.IMPORT and "rejected" not in job.result:
        return {file["file"]: file["name"] for file in asked.get("files", ())}
    return {}
