"""The kinds of files of word vectors, told apart by how they begin."""

import re
from enum import Enum, auto
from pathlib import Path

from ticketing.errors import InputError

PACKED = {b"\x1f\x8b": "gunzip", b"PK\x03\x04": "unzip"}
"""What unpacks a file, by its first bytes."""

FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
"""The first bytes of fastText's own binary format."""

BEGINNING = 1 << 17
"""Bytes of a file that are looked at; a row has a few thousand."""

_HEADER = re.compile(rb"\s*[0-9]{1,12}\s+([0-9]{1,9})\s*")


class VectorFile(Enum):
    """What a file of word vectors is."""

    FASTTEXT = auto()
    """FastText's own binary format."""
    BINARY = auto()
    """Word2vec's: a first line of two counts, then each word with its numbers as bytes."""
    TEXT = auto()
    """The same first line, then a word and its numbers a line."""
    BARE = auto()
    """Such lines alone, as GloVe has them."""


def kind_of(path: Path, dims: int) -> VectorFile:
    """What kind of file of word vectors it is, by its first lines.

    Raises InputError when it cannot be read, is packed, begins as none of them or has not `dims`
    dimensions.
    """
    try:
        with path.open("rb") as file:
            start = file.read(BEGINNING)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    for magic, tool in PACKED.items():
        if start.startswith(magic):
            raise InputError(f"{path} is packed; unpack it first, as with {tool}.")
    kind, found = _kind_and_dims(start)
    if not found:
        raise not_whole(str(path))
    if found != dims:
        raise InputError(
            f"{path} has {found} dimensions a word; set network.word_dims to that "
            f"or choose a file with {dims}."
        )
    return kind


def not_whole(name: str) -> InputError:
    """The error for a file that is none of the kinds, or not all of one."""
    return InputError(
        f"{name} is not a whole word2vec, GloVe or fastText file of word vectors; name another one."
    )


def _kind_and_dims(start: bytes) -> tuple[VectorFile, int]:
    """A kind, and dimensions: none where it is no kind at all."""
    if start.startswith(FASTTEXT_MAGIC):
        return VectorFile.FASTTEXT, int.from_bytes(start[8:12], "little")  # after the version
    first, second, *_ = [*start.split(b"\n", 2), b""]
    if header := _HEADER.fullmatch(first):
        dims = int(header[1])
        return VectorFile.TEXT if _numbers(second) == dims else VectorFile.BINARY, dims
    return VectorFile.BARE, _numbers(first)


def _numbers(row: bytes) -> int:
    """How many numbers follow a word, as people read them; none where anything else does."""
    try:
        return len([float(number) for number in row.rstrip().split(b" ")[1:]])
    except ValueError:
        return 0
