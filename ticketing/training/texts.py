"""The texts of an archive as word ids, packed in a file: four bytes a word, however many."""

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
"""A text by field (subject, description, solution) as word ids without unknown words."""

FIELDS = ("subject", "description", "solution")

MOST_DISTINCT = 1 << 20
"""Distinct tokens that are counted at a time; a vocabulary takes the 50,000 most frequent."""

AT_ONCE = 1 << 20
"""Words that are written or read together."""


class PackedTexts(Mapping[str, FieldIds]):
    """Texts by ascending key; each is made anew when it is asked for."""

    def __init__(self, ids: Ids, words: npt.NDArray[np.int32], bounds: npt.NDArray[np.int64]):
        """`words` lie end to end, a text's fields after each other; `bounds` [n, FIELDS + 1] say
        where each field begins and the last one ends."""
        self.ids = ids
        self._words = words
        self._bounds = bounds

    def __getitem__(self, key: str) -> FieldIds:
        """A text. Raises KeyError where there is none."""
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
        """How many words they have."""
        return int((self._bounds[:, -1] - self._bounds[:, 0]).sum())

    def every(self, step: int) -> "PackedTexts":
        """Each step-th of them."""
        return PackedTexts(Ids.of(self.ids[::step]), self._words, self._bounds[::step])


class Dates(Mapping[str, datetime]):
    """When texts were created, by ascending key, where that is known: eight bytes each."""

    def __init__(self, ids: Ids, moments: npt.NDArray[np.datetime64]):
        self._ids, self._moments = ids, moments

    def __getitem__(self, key: str) -> datetime:
        """Raises KeyError where none is known."""
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
        """The last one; None where none is known."""
        known = self._moments[~np.isnat(self._moments)]
        return known.max().item() if len(known) else None


class _Numbers(dict[str, int]):
    """Tokens by number: a token that is looked up gets one. `seen_in` says in how many texts the
    token of each number was."""

    def __init__(self) -> None:
        self.seen_in = array("i")

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self.seen_in)
        self.seen_in.append(0)
        return number


class Packer:
    """Takes texts as tokens, one at a time, before it is known which words a vocabulary has.

    They lie in a file as numbers. Memory holds the distinct tokens alone, and of
    those no more than MOST_DISTINCT: above, the rarest are forgotten, as if they had not been seen
    so far (lossy counting, Manku and Motwani 2002).
    """

    def __init__(self, file: IO[bytes]):
        """`file` is empty and may be closed once `texts` are made."""
        self._file = file
        self._numbers = _Numbers()
        self._texts = 0
        self._unwritten, self._lengths = array("i"), array("q")

    def add(self, fields: Mapping[str, Sequence[str]]) -> None:
        """Count a text, and keep it."""
        numbers = self._count([fields[name] for name in FIELDS])
        for field in numbers:
            self._unwritten.extend(field)
            self._lengths.append(len(field))
        if len(self._unwritten) > AT_ONCE:
            self._write()

    def count(self, fields: Mapping[str, Sequence[str]]) -> None:
        """Count a text that is not kept."""
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
        """Make room for as many distinct tokens again. What was forgotten and returns has a new
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
        """That of all texts counted."""
        seen_in = self._numbers.seen_in
        counts = ((token, seen_in[number]) for token, number in self._numbers.items())
        return Vocabulary.counted(counts, self._texts)

    def texts(self, vocabulary: Vocabulary, keys: Ids, order: npt.NDArray[np.int64]) -> PackedTexts:
        """All that were kept as ids, without unknown words; to be called once, for these take the
        place of the tokens in the file. `keys` are theirs, ascending, and `order` says which was
        kept when."""
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
    """The fields of texts as words, for what reads them several times."""

    def __init__(self, vocabulary: Vocabulary, *texts: Iterable[FieldIds]):
        self._texts = texts
        self._words = ["", *vocabulary.words]

    def __iter__(self) -> Iterator[list[str]]:
        words = self._words
        for fields in chain.from_iterable(self._texts):
            for ids in fields.values():
                if ids:
                    yield [words[id] for id in ids]
