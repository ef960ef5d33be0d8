"""Files that are there as a whole or not at all, and the JSON that many of them hold."""

import os
import tempfile
from pathlib import Path
from typing import Any

Json = dict[str, Any]
"""An object of JSON."""


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write bytes, or text as UTF-8, beside `path` and rename them in; parents are created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o644)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
