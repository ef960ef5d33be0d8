"""Channel S: the vector of a sentence transformer, if a desk uses it for each query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ticketing.encoders.protocol import EncoderKind, Parts, Saved, Texts
from ticketing.text.vocabulary import Vocabulary

if TYPE_CHECKING:  # imported lazily: torch takes a second
    from ticketing.encoders.transformer import Transformer

MOST_READ = 96
"""Number of words of a text that the encoder reads, from its beginning."""


class TransformerEncoder:
    """Encodes texts, given as vocabulary ids, with a sentence transformer."""

    dtype = np.float32

    def __init__(self, transformer: Transformer, vocabulary: Vocabulary, width: int):
        self.shape = (width,)
        self.transformer = transformer
        self._words = ["", *vocabulary.words]

    def text(self, ids: Sequence[int], unknown: Sequence[str] = ()) -> str:
        """A text from its first MOST_READ word ids, with the brackets of masks removed."""
        known = len(self._words)
        words = [self._words[id] if id < known else unknown[id - known] for id in ids[:MOST_READ]]
        return " ".join(word.strip("<>") for word in words)

    def vectors(self, texts: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        """Encode n texts given as vocabulary ids, each by itself -> [n, width]."""
        return self.transformer([self.text(text) for text in texts])

    def whole(self, *texts: Sequence[int], unknown: Sequence[str] = ()) -> str:
        """Several texts joined as "subject. description", each cut as in `text`."""
        return ". ".join(self.text(ids, unknown) for ids in texts if ids)

    def __call__(self, texts: Texts) -> npt.NDArray[np.float32]:
        """Encode n texts -> [n, width]; a subject and its description are read as one text."""
        wholes = (texts.ids[slice(*whole)] for whole in texts.wholes)
        return self.transformer([self.whole(*whole, unknown=texts.unknown) for whole in wholes])


def _build(parts: Parts) -> TransformerEncoder:
    return TransformerEncoder(parts.resource, parts.vocabulary, parts.settings.sentence_dims)


def _load(saved: Saved) -> Transformer:
    from ticketing.encoders.transformer import Transformer

    return Transformer.from_json(saved.document)


KIND = EncoderKind(
    symbol="S",
    label="Sentence encoder",
    weight=0.2,
    start_share=0.0,
    grid=(0.1, 0.2, 0.3),
    build=_build,
    width=lambda settings: settings.sentence_dims,
    trained=False,
    save=lambda transformer: Saved(transformer.to_json()),
    load=_load,
)
