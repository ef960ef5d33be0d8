"""The registry: the folder of all bundles, written atomically, found by id and verified when
read."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from ticketing.arrays import to_safetensors
from ticketing.errors import BundleError, InputError, NotFound
from ticketing.files import Json
from ticketing.model.bundle import (
    FORMAT,
    MANIFEST,
    READ,
    TRAINED,
    VERSION,
    Bundle,
    canonical_json,
    digest,
    id_of,
    map_tensors,
    read_json,
    read_whole,
)
from ticketing.tickets import ModelKind
from ticketing.times import parse_time, utc_now


class Registry:
    """All bundles of a desk, below one folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    def ids(self, kind: ModelKind | None = None) -> list[str]:
        """Ids of all bundles, readable or not, oldest first. With `kind`, only readable bundles of
        that kind."""
        return [id for id in self.saved() if kind is None or self._is_of(id, kind)]

    def saved(self) -> dict[str, datetime | None]:
        """When each bundle was trained, naive UTC, oldest first; None if the bundle does not
        say."""
        found = {id: self._trained(id) for id in self._listed()}
        return dict(sorted(found.items(), key=lambda item: (item[1] or datetime.min, item[0])))

    def _listed(self) -> set[str]:
        return {path.parent.name for path in self.folder.glob(f"[!.]*/{MANIFEST}")}

    def _trained(self, bundle_id: str) -> datetime | None:
        try:
            return parse_time(self.manifest(bundle_id).get(TRAINED))
        except (NotFound, BundleError, ValueError):
            return None

    def _is_of(self, bundle_id: str, kind: ModelKind) -> bool:
        try:
            return bool(self.manifest(bundle_id)["kind"] == kind)
        except (NotFound, BundleError):
            return False

    def require(self, bundle_id: str) -> Path:
        """The folder of a bundle, readable or not. Raises NotFound."""
        path = self.folder / bundle_id
        if path.name != bundle_id or not (path / MANIFEST).is_file():
            raise NotFound(f"There is no bundle {bundle_id!r} in {self.folder}; train one first.")
        return path

    def manifest(self, bundle_id: str, kind: ModelKind | None = None) -> Json:
        """A bundle's manifest. Raises NotFound, BundleError, and InputError for a bundle of another
        kind, where one is given."""
        data, path = self._read_manifest(bundle_id), self.folder / bundle_id / MANIFEST
        manifest = read_json(path, data)
        if manifest.get("format") != FORMAT:
            raise BundleError(f"{path} does not describe a bundle of this program; remove it.")
        if manifest.get("version") not in READ:
            raise BundleError(_other_version(bundle_id, manifest))
        if id_of(manifest) != bundle_id:
            raise BundleError(f"{path} was changed after it was written; train the bundle again.")
        if kind and manifest["kind"] != kind:
            raise InputError(
                f"Bundle {bundle_id} is of kind {manifest['kind']}, not {kind}; name another one."
            )
        return manifest

    def _read_manifest(self, bundle_id: str) -> bytes:
        return (self.require(bundle_id) / MANIFEST).read_bytes()

    def save(
        self,
        facts: Mapping[str, Any],
        documents: Mapping[str, Mapping[str, Any]],
        arrays: Mapping[str, Mapping[str, np.ndarray]],
        kind: ModelKind = ModelKind.RANKING,
    ) -> str:
        """Write a bundle and return its id. The same content gives the same bundle: it is repaired
        if it was damaged, and becomes the newest.

        `facts` become part of the manifest. They must not differ between two runs of the same
        training (such as the end time or the machine), so that both give the same id. (The folder
        of a sentence encoder is a setting of the training and is included.)
        """
        files = {f"{name}.json": canonical_json(content) for name, content in documents.items()}
        for name, content in arrays.items():
            files[f"{name}.safetensors"] = to_safetensors(content)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "kind": kind,
            "files": {name: digest(data) for name, data in files.items()},
            **facts,
        }
        bundle_id = id_of(manifest)
        files[MANIFEST] = canonical_json(manifest | {TRAINED: utc_now().isoformat()})
        self.folder.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=self.folder, prefix="."))
        try:
            for name, data in files.items():
                with open(beside / name, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            if self._is_whole(bundle_id, kind):
                (beside / MANIFEST).replace(self.folder / bundle_id / MANIFEST)
            else:
                shutil.rmtree(self.folder / bundle_id, ignore_errors=True)
                beside.rename(self.folder / bundle_id)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        return bundle_id

    def load(self, bundle_id: str, kind: ModelKind = ModelKind.RANKING) -> Bundle:
        """Load a bundle of a kind; every file is verified.

        Raises NotFound, BundleError naming the file, InputError for a bundle of another kind.
        """
        manifest = self.manifest(bundle_id, kind)
        path = self.require(bundle_id)
        documents: dict[str, Json] = {}
        arrays: dict[str, dict[str, np.ndarray]] = {}
        for name, expected in manifest["files"].items():
            stem, ending = name.rsplit(".", 1)
            if ending == "json":
                documents[stem] = read_json(path / name, read_whole(path / name, expected))
            else:
                arrays[stem] = map_tensors(path / name, expected)
        return Bundle(bundle_id, manifest, documents, arrays)

    def share(self, bundle_id: str) -> None:
        """Make a bundle available to other machines. Does nothing here; subclasses may."""

    def share_all(self) -> None:
        """Make all local bundles available to other machines. Does nothing here."""

    def shared(self) -> set[str]:
        """Ids of the bundles that other machines can fetch."""
        return set()

    def verify(self, bundle_id: str) -> None:
        """Compare every file of a bundle with its digest. Raises NotFound, BundleError."""
        self.load(bundle_id, ModelKind(self.manifest(bundle_id)["kind"]))

    def _is_whole(self, bundle_id: str, kind: ModelKind) -> bool:
        try:
            self.load(bundle_id, kind)
        except (NotFound, BundleError):
            return False
        return True

    def delete(self, bundle_id: str) -> None:
        """Delete a bundle's folder if it exists."""
        shutil.rmtree(self.folder / bundle_id, ignore_errors=True)


def _other_version(bundle_id: str, manifest: Json) -> str:
    """The message for a bundle written by another version of the program."""
    version = manifest.get("version")
    if isinstance(version, int) and version > VERSION:
        return (
            f"Bundle {bundle_id} has format {version}, written by a later version; run that one,"
            f" or delete it with `ticketing models delete {bundle_id}`."
        )
    ranks = manifest.get("kind") != ModelKind.CATEGORIES
    train = "ticketing train" if ranks else "ticketing categories train"
    return (
        f"Bundle {bundle_id} has format {version}, written by an earlier version; train again with"
        f" `{train}` and delete it with `ticketing models delete {bundle_id}`."
    )
