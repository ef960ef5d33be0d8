"""What a sentence encoder made of texts, in a folder: encoding costs more than training a network.

A vector is found by the hash of its text, whatever else was encoded with it, so a grown archive
costs only its new texts, and a run that was stopped loses at most one piece.
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ticketing.arrays import read_arrays, write_arrays
from ticketing.encoders.transformer import Transformer
from ticketing.errors import ArraysError

PIECE = 1024
"""Texts that are encoded, and written, at a time."""

NAME_BYTES = 16
"""What stands for a text in a file."""


class VectorCache:
    """The vectors of one encoder's texts, in files of `folder` that its digest names.

    A file holds `names` uint8 [n, NAME_BYTES] and `vectors` float16 [n, dims].
    """

    def __init__(self, folder: Path, encoder: Transformer):
        self.folder, self.encoder = folder, encoder

    def prepare(
        self, texts: Sequence[str], title: str, told: Callable[[], object] = lambda: None
    ) -> None:
        """Have the encoder know these texts: read what is there, encode and keep the rest.

        Files that are damaged or hold none of the texts are removed. `title` is shown beside the
        progress; `told` is called before each piece, and what it raises ends the work.
        """
        missing = {_name(text): text for text in texts}
        total = len(missing)
        for file in sorted(self.folder.glob(f"{self.encoder.digest}.texts-*")):
            self._read(file, missing)
        new = list(missing.values())
        with tqdm(total=total, initial=total - len(new), desc=title) as bar:
            for start in range(0, len(new), PIECE):
                told()
                piece = new[start : start + PIECE]
                self._encode(piece)
                bar.update(len(piece))

    def _read(self, file: Path, missing: dict[bytes, str]) -> None:
        """Take a file's vectors of missing texts, which are missing no longer."""
        try:
            arrays = read_arrays(file)[0]
        except ArraysError:
            file.unlink()
            return
        rows = [row for row, name in enumerate(arrays["names"]) if bytes(name) in missing]
        if not rows:
            file.unlink()
            return
        texts = [missing.pop(bytes(arrays["names"][row])) for row in rows]
        self.encoder.remember(texts, arrays["vectors"][rows])

    def _encode(self, texts: Sequence[str]) -> None:
        names = b"".join(map(_name, texts))
        arrays: dict[str, np.ndarray] = {
            "names": np.frombuffer(names, np.uint8).reshape(-1, NAME_BYTES),
            "vectors": self.encoder(texts).astype(np.float16),
        }
        piece = hashlib.sha256(names).hexdigest()[:16]
        write_arrays(self.folder / f"{self.encoder.digest}.texts-{piece}", arrays)


def _name(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:NAME_BYTES]
