"""Many items, a few at a time."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items, in order; the last may be shorter. Items are read as needed."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch
