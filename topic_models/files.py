"""Arrays on disk: safetensors and JSON, written atomically and checked when read."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from topic_models.errors import ModelFileError

FORMAT = "topic_models"
VERSION = 1
ABOUT, ARRAYS = "model.json", "arrays.safetensors"


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray], about: Mapping[str, Any]) -> None:
    """Write arrays and a JSON description into one file, atomically: a hidden temporary file is
    renamed."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    data = save(contiguous, {FORMAT: json.dumps({"version": VERSION, **about})})
    path.parent.mkdir(parents=True, exist_ok=True)
    hidden = f".{path.name}."
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=hidden, delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read a file of `write_arrays`. Raises ModelFileError for any other file."""
    try:
        with safe_open(path, framework="numpy") as file:
            about = json.loads((file.metadata() or {}).get(FORMAT, "{}"))
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise ModelFileError(f"{path} does not exist.") from None
    except (SafetensorError, ValueError) as error:
        raise ModelFileError(f"{path} is truncated or damaged ({error}).") from None
    if about.get("version") != VERSION:
        raise ModelFileError(f"{path} was not written by this version of {FORMAT}.")
    return arrays, about


def save_model(
    folder: Path, model: str, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> None:
    """Write a model's folder to a temporary place and move it in. An older model there is replaced;
    it stays if that fails.

    Raises ModelFileError if the folder holds anything that is not a model.
    """
    folder = Path(folder)
    if folder.exists() and not (folder / ABOUT).is_file() and any(folder.iterdir()):
        raise ModelFileError(f"{folder} holds other files; choose an empty or a new folder.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as beside:
        new, old = Path(beside, "new"), Path(beside, "old")
        new.mkdir()
        write_arrays(new / ARRAYS, arrays, {})
        about = {
            "format": FORMAT,
            "version": VERSION,
            "model": model,
            "settings": dict(settings),
            "sha256": hashlib.sha256((new / ARRAYS).read_bytes()).hexdigest(),
        }
        (new / ABOUT).write_text(json.dumps(about, indent=1) + "\n")
        try:
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
        except BaseException:
            if old.exists() and not folder.exists():
                old.rename(folder)
            raise
        shutil.rmtree(old, ignore_errors=True)


def load_model(folder: Path, model: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Settings and arrays in a folder that `save_model` wrote for this kind of model.

    Raises ModelFileError naming the file that is missing, damaged or foreign.
    """
    path = Path(folder, ABOUT)
    try:
        about = json.loads(path.read_text())
    except (FileNotFoundError, NotADirectoryError):
        raise ModelFileError(f"There is no saved model in {folder} ({ABOUT} is missing).") from None
    except ValueError:
        raise ModelFileError(f"{path} is truncated or damaged.") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ModelFileError(f"{path} does not describe a topic model.")
    if about.get("version") != VERSION:
        raise ModelFileError(f"{path} has format version {about.get('version')}, not {VERSION}.")
    if about.get("model") != model:
        raise ModelFileError(f"{folder} holds a model of kind {about.get('model')}, not {model}.")
    if not isinstance(about.get("settings"), dict):
        raise ModelFileError(f"{path} holds no settings.")
    arrays, _ = read_arrays(Path(folder, ARRAYS))
    if hashlib.sha256(Path(folder, ARRAYS).read_bytes()).hexdigest() != about.get("sha256"):
        raise ModelFileError(f"{Path(folder, ARRAYS)} is not the file that {path} describes.")
    return about["settings"], arrays
