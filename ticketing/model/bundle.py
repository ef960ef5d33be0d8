"""Model bundles: versioned folders named by the hash of their content.

A bundle holds one trained model of any kind: `manifest.json` (format, kind, settings, metrics
and the digest of every other file), safetensors and JSON. It is written beside its place and
renamed in; its id is the digest of the manifest, so a bundle that was changed is no longer itself.
Only the time at which it was trained is left out of the id, so that the same training gives the
same bundle.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ticketing.arrays import NO_ARRAYS, arrays_in
from ticketing.errors import BundleError
from ticketing.files import Json

FORMAT = "ticketing bundle"
VERSION = 16
READ = (12, 13, 14, 15, VERSION)
"""Format versions that can be read. Format 12 lacks the spelling vectors of the vocabulary's words;
in 12 and 13 a repeated word counts fully in E; before 15 rescoring had other features; before 16
the chance of an answer had other features."""

MANIFEST = "manifest.json"
TRAINED = "trained"
"""Key of the manifest: when the bundle was trained, naive UTC in ISO 8601."""


@dataclass(frozen=True)
class Bundle:
    """The content of a bundle: the manifest, JSON documents such as the vocabulary, and arrays such
    as the network's weights."""

    id: str
    manifest: Json
    documents: dict[str, Json]
    arrays: dict[str, dict[str, np.ndarray]]


def canonical_json(data: Mapping[str, Any]) -> bytes:
    """JSON that is byte-identical for equal content."""
    return json.dumps(data, sort_keys=True, ensure_ascii=False, indent=1).encode()


def digest(data: bytes | memoryview) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def id_of(manifest: Mapping[str, Any]) -> str:
    """The id of the bundle that a manifest describes."""
    content = {key: value for key, value in manifest.items() if key != TRAINED}
    return digest(canonical_json(content))[:16]


def map_whole(path: Path, expected: str) -> npt.NDArray[np.uint8]:
    """Memory-map a file after checking its digest. Processes share the memory; a process's writes
    are private (copy on write). Raises BundleError."""
    try:
        size = path.stat().st_size
        data = np.memmap(path, np.uint8, "c") if size else np.zeros(0, np.uint8)
    except FileNotFoundError:
        raise BundleError(f"{path} is missing; train the bundle again.") from None
    if digest(data.data) != expected:
        raise BundleError(
            f"{path} is truncated or was changed ({size} bytes); train the bundle again."
        )
    return data


def read_whole(path: Path, expected: str) -> bytes:
    """Read a file after checking its digest. Raises BundleError."""
    return map_whole(path, expected).tobytes()


def read_json(path: Path, data: bytes) -> Json:
    """Parse a JSON object. Raises BundleError naming the file."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{path} is not JSON ({error}); train the bundle again.") from None
    if not isinstance(content, dict):
        raise BundleError(f"{path} does not describe a bundle of this program.")
    return content


def map_tensors(path: Path, expected: str) -> dict[str, np.ndarray]:
    """Memory-map the arrays of a safetensors file, see `map_whole`. Raises BundleError naming the
    file."""
    try:
        return arrays_in(map_whole(path, expected))[0]
    except NO_ARRAYS as error:
        raise BundleError(f"{path} holds no tensors ({error}); train the bundle again.") from None
