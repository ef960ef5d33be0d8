"""The texts of an archive as word ids, packed in a memory-mapped file with four bytes per word."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import IO

import numpy as np
import numpy.typing as npt

from ticketing.ids import Ids
from ticketing.text.vocabulary import UNKNOWN, Vocabulary

FieldIds = dict[str, list[int]]
"""Word ids of a text by field (subject, description, solution), without unknown words."""

FIELDS = ("subject", "description", "solution")

MOST_DISTINCT = 1 << 20
"""Maximum number of distinct tokens counted at a time; a vocabulary has the 50,000 most
frequent."""

AT_ONCE = 1 << 20
"""Number of words written or read at a time."""


class PackedTexts(Mapping[str, FieldIds]):
    """Texts by ascending key; each is unpacked when accessed."""

    def __init__(self, ids: Ids, words: npt.NDArray[np.int32], bounds: npt.NDArray[np.int64]):
        """`words` are concatenated, with the fields of a text in order. `bounds` [n, FIELDS + 1]
        give the start of each field and the end of the last."""
        self.ids = ids
        self._words = words
        self._bounds = bounds

    def __getitem__(self, key: str) -> FieldIds:
        """A text. Raises KeyError if it is missing."""
        place = self.ids.place(key)
        if place is None:
            raise KeyError(key)
        bounds = self._bounds[place].tolist()
        return {
            name: self._words[first:last].tolist()
            for name, first, last in zip(FIELDS, bounds[:-1], bounds[1:], strict=True)
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def words(self) -> int:
        """Total number of words."""
        return int((self._bounds[:, -1] - self._bounds[:, 0]).sum())

    def every(self, step: int) -> "PackedTexts":
        """Every step-th text."""
        return PackedTexts(Ids.of(self.ids[::step]), self._words, self._bounds[::step])


class Dates(Mapping[str, datetime]):
    """Creation dates of texts by ascending key, if known; eight bytes each."""

    def __init__(self, ids: Ids, moments: npt.NDArray[np.datetime64]):
        self._ids, self._moments = ids, moments

    def __getitem__(self, key: str) -> datetime:
        """Raises KeyError if the date is unknown."""
        place = self._ids.place(key)
        if place is None or np.isnat(self._moments[place]):
            raise KeyError(key)
        created: datetime = self._moments[place].item()
        return created

    def __iter__(self) -> Iterator[str]:
        return (self._ids[place] for place in np.flatnonzero(~np.isnat(self._moments)).tolist())

    def __len__(self) -> int:
        return int((~np.isnat(self._moments)).sum())

    @property
    def newest(self) -> datetime | None:
        """The latest date; None if no date is known."""
        known = self._moments[~np.isnat(self._moments)]
        return known.max().item() if len(known) else None


class _Numbers(dict[str, int]):
    """Numbers of tokens; a new token gets the next number when it is looked up. `seen_in` is the
    number of texts with each token, by number."""

    def __init__(self) -> None:
        self.seen_in = array("i")

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self.seen_in)
        self.seen_in.append(0)
        return number


class Packer:
    """Collects tokenized texts one at a time, before the vocabulary is known.

    Texts are written to a file as token numbers. Memory holds only the distinct tokens, at most
    MOST_DISTINCT. Beyond that the rarest are dropped as if they had not been seen (lossy counting,
    Manku and Motwani 2002).
    """

    def __init__(self, file: IO[bytes]):
        """`file` is empty and may be closed after `texts` was called."""
        self._file = file
        self._numbers = _Numbers()
        self._texts = 0
        self._unwritten, self._lengths = array("i"), array("q")

    def add(self, fields: Mapping[str, Sequence[str]]) -> None:
        """Count a text and keep it."""
        numbers = self._count([fields[name] for name in FIELDS])
        for field in numbers:
            self._unwritten.extend(field)
            self._lengths.append(len(field))
        if len(self._unwritten) > AT_ONCE:
            self._write()

    def count(self, fields: Mapping[str, Sequence[str]]) -> None:
        """Count a text without keeping it."""
        self._count([*fields.values()])

    def _count(self, fields: Sequence[Sequence[str]]) -> list[list[int]]:
        numbers, seen_in = self._numbers, self._numbers.seen_in
        if len(numbers) > MOST_DISTINCT:
            self._forget()
        found = [[numbers[token] for token in tokens] for tokens in fields]
        for number in set(chain.from_iterable(found)):
            seen_in[number] += 1
        self._texts += 1
        return found

    def _forget(self) -> None:
        """Drop the rarest half of the distinct tokens. A dropped token that occurs again gets a new
        number."""
        numbers, seen_in = self._numbers, self._numbers.seen_in
        rare = 0
        while len(numbers) > MOST_DISTINCT // 2:
            rare += 1
            for token in [token for token, number in numbers.items() if seen_in[number] <= rare]:
                del numbers[token]

    def _write(self) -> None:
        self._unwritten.tofile(self._file)
        del self._unwritten[:]

    def vocabulary(self) -> Vocabulary:
        """The vocabulary of all texts counted."""
        seen_in = self._numbers.seen_in
        counts = ((token, seen_in[number]) for token, number in self._numbers.items())
        return Vocabulary.counted(counts, self._texts)

    def texts(self, vocabulary: Vocabulary, keys: Ids, order: npt.NDArray[np.int64]) -> PackedTexts:
        """All kept texts as word ids, without unknown words. Call it once, since these replace the
        tokens in the file. `keys` are the ascending keys, and `order` gives the position at which
        each was added."""
        self._write()
        self._file.flush()
        ids = np.full(len(self._numbers.seen_in), UNKNOWN, np.int32)
        ids[[*self._numbers.values()]] = vocabulary.ids([*self._numbers])
        ends = np.cumsum(self._lengths, dtype=np.int64)
        bounds = np.zeros(len(ends) + 1, np.int64)
        total, kept = int(ends[-1]) if len(ends) else 0, 0
        words = np.memmap(self._file, np.int32, "r+") if total else np.empty(0, np.int32)
        for begin in range(0, total, AT_ONCE):
            some = ids[words[begin : begin + AT_ONCE]]
            known = some != UNKNOWN
            first, last = np.searchsorted(ends, [begin, begin + len(some)], "right")
            counted = kept + np.concatenate([[0], known.cumsum()])
            bounds[first + 1 : last + 1] = counted[ends[first:last] - begin]
            words[kept : int(counted[-1])] = some[known]
            kept = int(counted[-1])
        starts = bounds[:-1].reshape(-1, len(FIELDS))
        bounds_of = np.column_stack([starts, bounds[len(FIELDS) :: len(FIELDS)]])
        return PackedTexts(keys, words[:kept], bounds_of[order])


class Sentences:
    """The fields of texts as lists of words; can be iterated repeatedly."""

    def __init__(self, vocabulary: Vocabulary, *texts: Iterable[FieldIds]):
        self._texts = texts
        self._words = ["", *vocabulary.words]

    def __iter__(self) -> Iterator[list[str]]:
        words = self._words
        for fields in chain.from_iterable(self._texts):
            for ids in fields.values():
                if ids:
                    yield [words[id] for id in ids]
