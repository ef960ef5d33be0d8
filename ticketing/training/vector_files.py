"""File formats of word vectors, recognised by their first bytes."""

import re
from enum import Enum, auto
from pathlib import Path

from ticketing.errors import InputError

PACKED = {b"\x1f\x8b": "gunzip", b"PK\x03\x04": "unzip"}
"""Tools that unpack compressed files, by the files' first bytes."""

FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
"""The first bytes of fastText's binary format."""

BEGINNING = 1 << 17
"""Number of bytes that are examined; a row has a few thousand."""

_HEADER = re.compile(rb"\s*[0-9]{1,12}\s+([0-9]{1,9})\s*")


class VectorFile(Enum):
    """The format of a file of word vectors."""

    FASTTEXT = auto()
    """FastText's binary format."""
    BINARY = auto()
    """Word2vec's binary format: a header with two counts, then each word with its numbers as
    bytes."""
    TEXT = auto()
    """Word2vec's text format: the same header, then one line with a word and its numbers."""
    BARE = auto()
    """GloVe's text format: such lines without a header."""


def kind_of(path: Path, dims: int) -> VectorFile:
    """Recognise the format of a file of word vectors by its first lines.

    Raises InputError if the file cannot be read, is compressed, has none of the formats, or does
    not have `dims` dimensions.
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
    """The error for a file that has none of the formats or is incomplete."""
    return InputError(
        f"{name} is not a whole word2vec, GloVe or fastText file of word vectors; name another one."
    )


def _kind_and_dims(start: bytes) -> tuple[VectorFile, int]:
    """Format and number of dimensions; 0 dimensions if it is none of the formats."""
    if start.startswith(FASTTEXT_MAGIC):
        return VectorFile.FASTTEXT, int.from_bytes(start[8:12], "little")  # after the version
    first, second, *_ = [*start.split(b"\n", 2), b""]
    if header := _HEADER.fullmatch(first):
        dims = int(header[1])
        return VectorFile.TEXT if _numbers(second) == dims else VectorFile.BINARY, dims
    return VectorFile.BARE, _numbers(first)


def _numbers(row: bytes) -> int:
    """How many numbers follow a word in a line of text; 0 if there is anything else."""
    try:
        return len([float(number) for number in row.rstrip().split(b" ")[1:]])
    except ValueError:
        return 0
