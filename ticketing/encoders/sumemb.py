"""Channel E: the sum of a text's word embeddings (SumEMB)."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ticketing.compiled import compiled
from ticketing.encoders.protocol import EncoderKind, Parts, Texts
from ticketing.encoders.settings import EncoderSettings
from ticketing.encoders.sums import damped, unit


class SumEmbEncoder:
    """Encodes texts as idf-weighted sums of word embeddings, scaled to length 1.

    A word that a log repeats says little more than once: see `repeats` of the settings. Without the
    scaling, the Manhattan distance between a subject and a description would mainly measure their
    lengths. The vector of a subject or description is a mixture: `whole_share` of the settings is
    the weight of both texts together, the rest that of the text itself.
    """

    dtype = np.float32

    def __init__(self, parts: Parts):
        self._words = parts.words
        self._rarest = np.float32(parts.words.rarest)
        self._repeats = parts.settings.repeats
        self._share = np.float32(parts.settings.whole_share)
        self.shape = (parts.words.table.shape[1],)

    def __call__(self, texts: Texts) -> npt.NDArray[np.float32]:
        """n texts -> [n, dims]."""
        own, whole = (np.zeros((len(texts.ids), *self.shape), np.float32) for _ in range(2))
        by_itself = [(n, n + 1) for n in range(len(own))]
        wholes = np.array(texts.wholes if self._share else by_itself, np.int64)
        known = self._words.table, self._words.weights
        counts = damped(texts.words, texts.bounds, self._repeats)
        unknown = texts.spelled, self._rarest
        _add(*known, *unknown, texts.words, counts, texts.bounds, wholes, own, whole)
        if not self._share:
            return unit(own)
        return unit((1 - self._share) * unit(own) + self._share * unit(whole))


@compiled
def _add(
    table: npt.NDArray[np.float32],
    weights: npt.NDArray[np.float32],
    spelled: npt.NDArray[np.float32],
    rarest: np.float32,
    words: npt.NDArray[np.int64],
    counts: npt.NDArray[np.float32],
    bounds: npt.NDArray[np.int64],
    wholes: npt.NDArray[np.int64],
    own: npt.NDArray[np.float32],
    whole: npt.NDArray[np.float32],
) -> None:
    """Add up the word vectors of each text and of its whole, in order; see Texts and Words. Each
    vector is read once for both. A whole of one text is that text."""
    start = own.shape[1] - spelled.shape[1]
    for n in range(len(own)):
        first, last = wholes[n]
        found, both, joined = own[n], whole[first], last - first > 1
        for i in range(bounds[n], bounds[n + 1]):
            id = words[i]
            if id < len(table):
                weight = counts[i] * weights[id]
                _add_row(found, weight, table[id], 0)
                if joined:
                    _add_row(both, weight, table[id], 0)
            else:
                weight = counts[i] * rarest
                _add_row(found, weight, spelled[id - len(table)], start)
                if joined:
                    _add_row(both, weight, spelled[id - len(table)], start)
    for n in range(len(own)):
        first, last = wholes[n]
        whole[n] = whole[first] if last - first > 1 else own[n]


@compiled
def _add_row(sums: Any, weight: Any, row: Any, start: int) -> None:
    """Add a row times its weight to `sums`, from index `start` on."""
    for j in range(len(row)):
        sums[start + j] += weight * row[j]


def _width(settings: EncoderSettings) -> int:
    return settings.word_dims + settings.character_dims


KIND = EncoderKind(
    symbol="E",
    label="Meaning",
    weight=0.1,
    start_share=0.5,
    grid=(0.1, 0.2, 0.3),
    build=SumEmbEncoder,
    width=_width,
)
