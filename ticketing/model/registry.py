"""All bundles of a desk: written whole, found by id, checked when read."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from ticketing.errors import BundleError, NotFound
from ticketing.model.bundle import (
    FORMAT,
    MANIFEST,
    VERSION,
    Bundle,
    canonical_json,
    digest,
    read_json,
    read_tensors,
    read_whole,
)


class Registry:
    """All bundles of a desk, below one folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    def ids(self) -> list[str]:
        """Ids of the bundles that are here, oldest first."""
        found = [path.parent for path in self.folder.glob(f"[!.]*/{MANIFEST}")]
        return [
            path.name for path in sorted(found, key=lambda path: (path.stat().st_mtime, path.name))
        ]

    def manifest(self, bundle_id: str) -> dict:
        """A bundle's manifest. Raises NotFound, BundleError."""
        path = self.folder / bundle_id / MANIFEST
        if not bundle_id or not path.is_file():
            raise NotFound(f"There is no bundle {bundle_id!r} in {self.folder}; train one first.")
        data = path.read_bytes()
        manifest = read_json(path, data)
        if manifest.get("format") != FORMAT:
            raise BundleError(f"{path} does not describe a bundle of this program; remove it.")
        if manifest.get("version") != VERSION:
            raise BundleError(
                f"{path} has bundle format {manifest.get('version')}, this program reads "
                f"{VERSION}; train the bundle again."
            )
        if digest(data)[:16] != bundle_id:
            raise BundleError(f"{path} was changed after it was written; train the bundle again.")
        return manifest

    def save(
        self,
        facts: Mapping,
        documents: Mapping[str, Mapping],
        arrays: Mapping[str, Mapping[str, np.ndarray]],
    ) -> str:
        """Write a bundle and return its id; the same content again is the same bundle, mended
        where it was damaged, and becomes the newest.

        `facts` go into the manifest as they are and must not hold times or paths, so that
        the same training gives the same id.
        """
        files = {f"{name}.json": canonical_json(content) for name, content in documents.items()}
        for name, content in arrays.items():
            contiguous = {key: np.ascontiguousarray(array) for key, array in content.items()}
            files[f"{name}.safetensors"] = save(contiguous)
        manifest = canonical_json(
            {
                "format": FORMAT,
                "version": VERSION,
                "files": {name: digest(data) for name, data in files.items()},
                **facts,
            }
        )
        bundle_id = digest(manifest)[:16]
        self.folder.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=self.folder, prefix="."))
        try:
            for name, data in {**files, MANIFEST: manifest}.items():
                with open(beside / name, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            if self._is_whole(bundle_id):
                os.utime(self.folder / bundle_id)
            else:
                self.delete(bundle_id)
                beside.chmod(0o755)
                beside.rename(self.folder / bundle_id)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        return bundle_id

    def load(self, bundle_id: str) -> Bundle:
        """A whole bundle, every file checked. Raises NotFound, or BundleError naming the file."""
        manifest = self.manifest(bundle_id)
        path = self.folder / bundle_id
        documents, arrays = {}, {}
        for name, expected in manifest["files"].items():
            data = read_whole(path / name, expected)
            stem, kind = name.rsplit(".", 1)
            if kind == "json":
                documents[stem] = read_json(path / name, data)
            else:
                arrays[stem] = read_tensors(path / name, data)
        return Bundle(bundle_id, manifest, documents, arrays)

    def _is_whole(self, bundle_id: str) -> bool:
        try:
            self.load(bundle_id)
        except (NotFound, BundleError):
            return False
        return True

    def delete(self, bundle_id: str) -> None:
        """Remove a bundle's folder; a missing one is ignored."""
        shutil.rmtree(self.folder / bundle_id, ignore_errors=True)
