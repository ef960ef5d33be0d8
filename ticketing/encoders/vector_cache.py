"""A cache of a sentence encoder's vectors in a folder, since encoding takes longer than training a
network.

A vector is found by the hash of its text alone. So a grown archive only needs its new texts
encoded, and a stopped run loses at most one piece. Encoding tickets with a bundle that was trained
here also uses the cache.
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ticketing.arrays import map_arrays, write_arrays
from ticketing.errors import ArraysError

PIECE = 1024
"""Number of texts whose vectors are written at a time."""

NAME_BYTES = 16
"""Bytes of the hash that identifies a text in a file."""


class VectorCache:
    """The cached vectors of one encoder, in files of `folder` named by its digest.

    A file holds `names` uint8 [n, NAME_BYTES] and `vectors` float16 [n, dims], and is
    memory-mapped. Damaged files are ignored.
    """

    def __init__(self, folder: Path, digest: str, grows: bool = True):
        """With `grows` False, no new vectors are kept."""
        self._folder, self._digest, self._grows = folder, digest, grows
        self._new: dict[str, npt.NDArray[np.float16]] = {}
        self._used: set[Path] = set()

    def find(self, texts: Sequence[str]) -> dict[str, npt.NDArray[np.float16]]:
        """The vectors [dims] of those texts that are in the files."""
        found = {}
        for text, (file, row) in self._kept.places(texts).items():
            found[text] = self._kept.vectors[file][row]
            self._used.add(self._kept.files[file])
        return found

    def keep(self, texts: Sequence[str], vectors: npt.NDArray[np.float16]) -> None:
        """Add new vectors [n, dims]; they are written when a piece is full."""
        if self._grows:
            self._new.update(zip(texts, vectors, strict=True))
        if len(self._new) >= PIECE:
            self.write()

    def write(self) -> None:
        """Write the vectors that are not written yet."""
        if not self._new:
            return
        names = np.stack([_name(text) for text in self._new])
        piece = hashlib.sha256(names.tobytes()).hexdigest()[:16]
        file = self._folder / f"{self._digest}.texts-{piece}"
        write_arrays(file, {"names": names, "vectors": np.stack([*self._new.values()])})
        self._used.add(file)
        self._new.clear()

    def end(self) -> None:
        """Write the remaining vectors, and delete files from which no vector was used."""
        self.write()
        for file in self._files():
            if file not in self._used:
                file.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob(f"{self._digest}.texts-*"))

    @cached_property
    def _kept(self) -> "_Kept":
        """The content of the files at the first access."""
        files, arrays = [], []
        for file in self._files():
            try:
                found = map_arrays(file)[0]
                arrays.append((found["names"], found["vectors"]))
                files.append(file)
            except (ArraysError, KeyError):
                continue
        return _Kept(files, [names for names, _ in arrays], [vectors for _, vectors in arrays])


class _Kept:
    """The files found at the first access, and the place of each text in them."""

    def __init__(
        self,
        files: Sequence[Path],
        names: Sequence[npt.NDArray[np.uint8]],
        vectors: Sequence[npt.NDArray[np.float16]],
    ):
        self.files, self.vectors = files, vectors
        self._starts = np.cumsum([0, *map(len, names)])[:-1]
        self._names = np.concatenate([np.empty((0, NAME_BYTES), np.uint8), *names])
        keys = _keys(self._names)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def places(self, texts: Sequence[str]) -> dict[str, tuple[int, int]]:
        """For each cached text, its file and row."""
        if not texts or not len(self._names):
            return {}
        names = np.stack([_name(text) for text in texts])
        near = np.searchsorted(self._keys, _keys(names)).clip(max=len(self._keys) - 1)
        places = self._order[near]
        there = np.flatnonzero((self._names[places] == names).all(axis=1)).tolist()
        files = np.searchsorted(self._starts, places, side="right") - 1
        rows = places - self._starts[files]
        return {texts[at]: (int(files[at]), int(rows[at])) for at in there}


def _name(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(hashlib.sha256(text.encode()).digest()[:NAME_BYTES], np.uint8)


def _keys(names: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Sort keys of names: the first half of each, uint64 [n]."""
    return np.ascontiguousarray(names[:, :8]).view("<u8").ravel()
