"""Arrays in one file: safetensors with a JSON description, for checkpoints and caches.

What a desk keeps for good lies in bundles (`ticketing.model.registry`).
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from ticketing.errors import ArraysError
from ticketing.files import write_atomically

FORMAT = "ticketing arrays"
VERSION = "1"


def to_safetensors(
    arrays: Mapping[str, np.ndarray], metadata: dict[str, str] | None = None
) -> bytes:
    """The arrays as the bytes of a safetensors file. Equal arrays give equal bytes, whatever their
    memory layout."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save(contiguous, metadata)


def write_arrays(
    path: Path, arrays: Mapping[str, np.ndarray], about: Mapping[str, Any] | None = None
) -> None:
    """Write arrays, and a JSON description of them, into one file, atomically."""
    metadata = {"format": FORMAT, "version": VERSION, "about": json.dumps(about or {})}
    write_atomically(path, to_safetensors(arrays, metadata))


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read a file of `write_arrays`: arrays and description. Raises ArraysError for any other
    file."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if (metadata.get("format"), metadata.get("version")) != (FORMAT, VERSION):
                raise ArraysError(
                    f"{path} was not written by this version of the program; remove it."
                )
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            return arrays, json.loads(metadata["about"])
    except FileNotFoundError:
        raise ArraysError(f"{path} does not exist.") from None
    except (SafetensorError, ValueError, KeyError, OSError) as error:
        raise ArraysError(f"{path} is truncated or damaged ({error}); remove it.") from None


def map_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read a file of `write_arrays` as read-only memory maps. Raises ArraysError for any other
    file."""
    try:
        arrays, metadata = arrays_in(np.memmap(path, np.uint8, "r"))
        if (metadata["format"], metadata["version"]) != (FORMAT, VERSION):
            raise ValueError("another format")
        return arrays, json.loads(metadata["about"])
    except (OSError, *NO_ARRAYS) as error:
        raise ArraysError(f"{path} is not there, or is damaged ({error}); remove it.") from None


def arrays_in(content: npt.NDArray[np.uint8]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays and metadata of a safetensors file in memory or memory-mapped; the arrays are
    views of it. Raises one of NO_ARRAYS for other bytes."""
    start = 8 + int(content[:8].view("<u8")[0])  # the file begins with the header's length
    header = json.loads(content[8:start].tobytes())
    metadata = header.pop("__metadata__", {})
    arrays = {}
    for name, about in header.items():
        first, last = (start + offset for offset in about["data_offsets"])
        values = np.frombuffer(content[first:last], _TYPES[about["dtype"]])
        arrays[name] = values.reshape(about["shape"])
    return arrays, metadata


NO_ARRAYS = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError)
"""Exceptions of `arrays_in` for bytes that are not a safetensors file."""

_TYPES = {
    "BOOL": "?",
    "U8": "u1",
    "U16": "<u2",
    "U32": "<u4",
    "I32": "<i4",
    "I64": "<i8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
}
