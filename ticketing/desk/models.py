"""The desk's bundles: a local folder caches the bundles in the store.

A bundle is stored as `bundle/<id>/<file>`, with its manifest last, so a bundle with a manifest in
the store is complete. Its id is the digest of the manifest, and the manifest holds the digests of
all other files.
"""

import os
import shutil
import tempfile
import threading
from contextlib import suppress
from pathlib import Path, PurePosixPath

from ticketing.errors import BundleAway, BundleError, NotFound, StoreAway, StoreError, StoreFull
from ticketing.files import link_in_place, link_or_copy, sync_folder
from ticketing.model.bundle import MANIFEST, digest, read_whole
from ticketing.model.registry import Registry
from ticketing.stores.files import KeptFile, damaged
from ticketing.stores.protocols import Store
from ticketing.tickets import ModelKind

LONGEST_ID = 64
"""Longest id of a bundle in characters; this program makes ids of 16."""


class Models(Registry):
    """All bundles of a desk; a bundle that is missing in the folder is fetched when needed."""

    def __init__(self, folder: Path, store: Store):
        super().__init__(folder)
        self._store = store
        self._manifests: dict[str, bytes] = {}
        self._fetching = threading.Lock()

    def _listed(self) -> set[str]:
        """Ids of the bundles in the store, and of the local bundles that the store knows. A local
        bundle that it does not know was deleted on another machine."""
        return self.shared() | (super()._listed() & self._known())

    def _known(self) -> set[str]:
        """Ids of the bundles whose files or codes are in the store, and of the serving ones."""
        known = {PurePosixPath(file.name).parent.name for file in self._store.files("bundle/")}
        return known | {*self._store.bundles(), *map(self._store.serving, ModelKind)}

    def require(self, bundle_id: str) -> Path:
        """The folder of a bundle, which is fetched if it is missing here.

        Raises NotFound for a bundle that is not in the store, BundleAway for one that cannot be
        fetched now, StoreAway.
        """
        if bundle_id and not self.is_here(bundle_id):
            with self._fetching:
                if not self.is_here(bundle_id):
                    self._fetch(bundle_id)
        return super().require(bundle_id)

    def share(self, bundle_id: str) -> None:
        """Put a local bundle into the store; files that are already there are not sent again.

        Raises NotFound, BundleError for a bundle that is damaged or of another version.
        """
        if not self.is_here(bundle_id):
            self._names(bundle_id)
            return
        manifest, path = self.manifest(bundle_id), self.folder / bundle_id
        there, trained = self._of(bundle_id), self._trained(bundle_id)
        for name, expected in manifest["files"].items():
            if name not in there or there[name].sha256 != expected:
                self._put(bundle_id, name, expected)
        kept = there.get(MANIFEST)
        if kept is None or (trained and trained > kept.put):  # the newest once more
            self._put(bundle_id, MANIFEST, digest((path / MANIFEST).read_bytes()))

    def share_all(self) -> None:
        """Put all complete local bundles into the store, for example those of an older program. A
        bundle that the store does not know is left out: it was deleted on another machine."""
        for bundle_id in super()._listed() & self._known():
            try:
                self.share(bundle_id)
            except (BundleError, NotFound, StoreFull):  # `ticketing check` and /healthz report it
                continue

    def shared(self) -> set[str]:
        """Ids of the complete bundles in the store."""
        files = (PurePosixPath(file.name) for file in self._store.files("bundle/"))
        return {file.parent.name for file in files if file.name == MANIFEST}

    def delete(self, bundle_id: str) -> None:
        """Delete a bundle here and in the store, where it is gone once its manifest is deleted."""
        names = [file.name for file in self._of(bundle_id).values()]
        for name in sorted(names, key=lambda name: not name.endswith(f"/{MANIFEST}")):
            self._store.drop_file(name)
        super().delete(bundle_id)

    def is_here(self, bundle_id: str) -> bool:
        """Whether a bundle, readable or not, is in the folder."""
        named = len(bundle_id) <= LONGEST_ID  # a disk refuses a longer name
        return named and (self.folder / bundle_id / MANIFEST).is_file()

    def _read_manifest(self, bundle_id: str) -> bytes:
        """A bundle's manifest; from the store, without the other files, if it is not here."""
        if self.is_here(bundle_id):
            return super()._read_manifest(bundle_id)
        if bundle_id not in self._manifests:
            self._names(bundle_id)
            chunks = self._store.file_chunks(_kept_as(bundle_id, MANIFEST))
            self._manifests[bundle_id] = b"".join(chunks)
        return self._manifests[bundle_id]

    def _of(self, bundle_id: str) -> dict[str, KeptFile]:
        """A bundle's files in the store, by their names."""
        prefix = _kept_as(bundle_id, "")
        return {file.name.removeprefix(prefix): file for file in self._store.files(prefix)}

    def _names(self, bundle_id: str) -> dict[str, KeptFile]:
        """The files of a complete bundle in the store. Raises NotFound."""
        found = self._of(bundle_id) if bundle_id else {}
        if MANIFEST not in found:
            raise NotFound(
                f"There is no bundle {bundle_id!r}, neither here nor in the store; `ticketing"
                " models list` names those that are."
            )
        return found

    def _put(self, bundle_id: str, name: str, expected: str) -> None:
        """Put a file into the store. If the store is on the same disk, the local file becomes a
        hard link to it."""
        path, kept_as = self.folder / bundle_id / name, _kept_as(bundle_id, name)
        self._store.put_file(kept_as, [read_whole(path, expected)])
        if place := self._store.file_at(kept_as):
            with suppress(FileNotFoundError):  # another process of this home does the same now
                link_in_place(place, path)

    def _fetch(self, bundle_id: str) -> None:
        """Fetch a bundle into a temporary folder, verify its digests, and rename it."""
        self._names(bundle_id)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            beside = Path(tempfile.mkdtemp(dir=self.folder, prefix="."))
            try:
                self._fill(beside / bundle_id)
                if not self.is_here(bundle_id):  # else another process brought it meanwhile
                    shutil.rmtree(self.folder / bundle_id, ignore_errors=True)  # without manifest
                    (beside / bundle_id).rename(self.folder / bundle_id)
            finally:
                shutil.rmtree(beside, ignore_errors=True)
            sync_folder(self.folder)
        except OSError as error:
            if not self.is_here(bundle_id):  # else another process brought it
                raise BundleAway(
                    f"Bundle {bundle_id} cannot be kept on this machine ({error.strerror}); free"
                    " some room on its disk."
                ) from None
        except StoreAway:
            raise
        except StoreError as error:
            raise BundleAway(f"Bundle {bundle_id} cannot be fetched: {error}") from None

    def _fill(self, folder: Path) -> None:
        """Fill a bundle's folder from the store. Raises BundleError for a bundle that this program
        cannot read, StoreError for a damaged one."""
        folder.mkdir()
        self._lay(folder, MANIFEST)
        for name, expected in Registry(folder.parent).manifest(folder.name)["files"].items():
            if "/" in name:
                raise BundleError(f"Bundle {folder.name} is foreign: it names a file {name}.")
            self._lay(folder, name)
            if digest((folder / name).read_bytes()) != expected:
                raise damaged(_kept_as(folder.name, name))

    def _lay(self, folder: Path, name: str) -> None:
        kept_as = _kept_as(folder.name, name)
        if place := self._store.file_at(kept_as):
            link_or_copy(place, folder / name)
            return
        with (folder / name).open("wb") as file:
            file.writelines(self._store.file_chunks(kept_as))
            file.flush()
            os.fsync(file.fileno())


def _kept_as(bundle_id: str, name: str) -> str:
    """The name of a bundle's file in the store."""
    return f"bundle/{bundle_id}/{name}"
