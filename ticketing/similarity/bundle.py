"""Model bundles: versioned folders named by the hash of their content.

A bundle holds `manifest.json` (format, settings, calibration, metrics and the digest of
every other file), safetensors and JSON. It is written beside its place and renamed in;
its id is the digest of the manifest, so a bundle that was changed is no longer itself.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from ticketing.errors import BundleError, NotFound

FORMAT = "ticketing bundle"
VERSION = 3
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Bundle:
    """The content of a bundle: facts for people, JSON for vocabularies, arrays for networks."""

    id: str
    manifest: dict
    documents: dict[str, dict]
    arrays: dict[str, dict[str, np.ndarray]]


def _canonical(data: Mapping) -> bytes:
    return json.dumps(data, sort_keys=True, ensure_ascii=False, indent=1).encode()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Models:
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
        manifest = _readable(path, data)
        if manifest.get("format") != FORMAT:
            raise BundleError(f"{path} does not describe a bundle of this program; remove it.")
        if manifest.get("version") != VERSION:
            raise BundleError(
                f"{path} has bundle format {manifest.get('version')}, this program reads "
                f"{VERSION}; train the bundle again."
            )
        if _digest(data)[:16] != bundle_id:
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
        files = {f"{name}.json": _canonical(content) for name, content in documents.items()}
        for name, content in arrays.items():
            contiguous = {key: np.ascontiguousarray(array) for key, array in content.items()}
            files[f"{name}.safetensors"] = save(contiguous)
        manifest = _canonical(
            {
                "format": FORMAT,
                "version": VERSION,
                "files": {name: _digest(data) for name, data in files.items()},
                **facts,
            }
        )
        bundle_id = _digest(manifest)[:16]
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
            data = _whole(path / name, expected)
            stem, kind = name.rsplit(".", 1)
            if kind == "json":
                documents[stem] = _readable(path / name, data)
            else:
                arrays[stem] = _tensors(path / name, data)
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


def _whole(path: Path, expected: str) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise BundleError(f"{path} is missing; train the bundle again.") from None
    if _digest(data) != expected:
        raise BundleError(
            f"{path} is truncated or was changed ({len(data)} bytes); train the bundle again."
        )
    return data


def _readable(path: Path, data: bytes) -> dict:
    try:
        content = json.loads(data)
    except ValueError as error:
        raise BundleError(f"{path} is not JSON ({error}); train the bundle again.") from None
    if not isinstance(content, dict):
        raise BundleError(f"{path} does not describe a bundle of this program.")
    return content


def _tensors(path: Path, data: bytes) -> dict[str, np.ndarray]:
    try:
        return load(data)
    except SafetensorError as error:
        raise BundleError(f"{path} holds no tensors ({error}); train the bundle again.") from None
