"""The texts of an archive as word ids, packed: four bytes a word, however many there are."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from ticketing.text.vocabulary import UNKNOWN, Vocabulary

Fields = dict[str, list[int]]
"""A text by field (subject, description, solution) as word ids without unknown words."""

FIELDS = ("subject", "description", "solution")


class Texts(Mapping[str, Fields]):
    """Texts by key, in the order given; each is made anew when it is asked for."""

    def __init__(
        self, keys: Sequence[str], words: npt.NDArray[np.int32], bounds: npt.NDArray[np.int64]
    ):
        """`words` lie end to end, a text's fields after each other; `bounds` [n, FIELDS + 1] say
        where each field begins and the last one ends."""
        self._places = {key: place for place, key in enumerate(keys)}
        self._words = words
        self._bounds = bounds

    def __getitem__(self, key: str) -> Fields:
        """A text. Raises KeyError where there is none."""
        bounds = self._bounds[self._places[key]].tolist()
        return {
            name: self._words[first:last].tolist()
            for name, first, last in zip(FIELDS, bounds[:-1], bounds[1:], strict=True)
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Packer:
    """Takes texts as tokens, one at a time, before it is known which words a vocabulary has."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._keys: list[str] = []
        self._words, self._lengths = array("i"), array("q")

    def add(self, key: str, fields: Mapping[str, Sequence[str]]) -> None:
        """Keep a text."""
        numbers = self._numbers
        for name in FIELDS:
            self._words.extend([numbers.setdefault(token, len(numbers)) for token in fields[name]])
            self._lengths.append(len(fields[name]))
        self._keys.append(key)

    def texts(self, vocabulary: Vocabulary) -> Texts:
        """All of them as ids, without unknown words."""
        ids = np.array(vocabulary.ids([*self._numbers]), np.int32)
        words = ids[np.array(self._words, np.int32)] if len(ids) else np.empty(0, np.int32)
        known = words != UNKNOWN
        before = np.concatenate([[0], known.cumsum(dtype=np.int64)])
        ends = np.concatenate([[0], np.cumsum(self._lengths, dtype=np.int64)])
        bounds = before[ends]
        starts = bounds[:-1].reshape(-1, len(FIELDS))
        return Texts(
            self._keys, words[known], np.column_stack([starts, bounds[len(FIELDS) :: len(FIELDS)]])
        )


class Sentences:
    """The fields of texts as words, for what reads them several times."""

    def __init__(self, vocabulary: Vocabulary, *texts: Iterable[Fields]):
        self._texts = texts
        self._words = ["", *vocabulary.words]

    def __iter__(self) -> Iterator[list[str]]:
        words = self._words
        for fields in chain.from_iterable(self._texts):
            for ids in fields.values():
                if ids:
                    yield [words[id] for id in ids]
