"""What an import is asked for, and the files that are kept for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from uuid import uuid4

from ticketing.desk.base import DeskBase
from ticketing.errors import InputError
from ticketing.files import Json, chunks, file_name, sole_folder, sweep_folders
from ticketing.jobs import Job, JobKind
from ticketing.times import utc_now

if TYPE_CHECKING:
    from ticketing.importing import Mapping

IMPORTS = "imports"
"""The folder below the home with a folder for each import that is read."""

IMPORT_DAYS = 30
"""How long the files of an import are kept that failed or was cancelled, and may be retried."""


class Imports(DeskBase):
    """What an import is asked for."""

    def import_arguments(
        self,
        paths: Sequence[Path],
        mapping: Mapping,
        before: datetime | None = None,
        check_only: bool = False,
    ) -> Json:
        """What an import is asked for: files, each read to its end here, which are kept in the
        store for it, how their columns are understood, and the groups of whoever asks; or a check
        of what it would do.

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
        """What an import of one file is asked for that somebody sends; `columns` say, as
        `field=column`, what the usual names do not. Raises InputError."""
        from ticketing.importing import read_mapping

        with self.import_folder() as folder:
            path = folder / file_name(name)
            with path.open("wb") as file:
                file.writelines(chunks)
            try:
                mapping = read_mapping(overrides=columns)
                return self.import_arguments([path], mapping, check_only=check_only)
            except InputError as error:
                said = str(error).replace(f"{folder}/", "").replace("--map ", "")  # no options here
                raise InputError(said) from None

    @contextmanager
    def import_folder(self) -> Iterator[Path]:
        """A private folder for files of an import while they are read. It is deleted at the end of
        the block, or by `forget_imports` where the process was killed."""
        folder = self.settings.home / IMPORTS / uuid4().hex
        with sole_folder(folder):
            yield folder

    def forget_imports(self) -> None:
        """Let go of files that were given longer ago than IMPORT_DAYS, but for an import that is
        under way, and of what killed processes left. Raises StoreAway, StoreError."""
        sweep_folders(self.settings.home / IMPORTS)
        needed = {name for job in self.whole.unfinished_jobs() for name in needed_files(job)}
        uploads = {PurePosixPath(name).parent for name in needed}
        before = utc_now() - timedelta(days=IMPORT_DAYS)
        for file in self.whole.files("import/"):
            if file.put < before and PurePosixPath(file.name).parent not in uploads:
                self.whole.drop_file(file.name)


def needed_files(job: Job) -> dict[str, str]:
    """The files of the store that a job has still to read, and what they were called when given."""
    asked = job.arguments
    if job.kind == JobKind.TRAINING and asked.get("vectors") and "bundle" not in job.result:
        return {asked["vectors"]: Path(asked["vectors"]).name}
    if job.kind == JobKind.IMPORT and "rejected" not in job.result:
        return {file["file"]: file["name"] for file in asked.get("files", ())}
    return {}
