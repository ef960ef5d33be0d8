"""Channel S: what a sentence transformer makes of a text, where a desk wants it for each query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ticketing.encoders.protocol import EncoderKind, Parts, Saved, Texts
from ticketing.text.vocabulary import Vocabulary

if TYPE_CHECKING:  # at run time it is imported where a bundle has it: torch takes a second
    from ticketing.encoders.transformer import Transformer

MOST_READ = 96
"""Words of a text that the encoder reads, the first ones."""


class TransformerEncoder:
    """Texts in vocabulary ids to the transformer's vectors."""

    dtype = np.float32

    def __init__(self, transformer: Transformer, vocabulary: Vocabulary, width: int):
        self.shape = (width,)
        self.transformer = transformer
        self._words = ["", *vocabulary.words]

    def text(self, ids: Sequence[int], unknown: Sequence[str] = ()) -> str:
        """The first MOST_READ words, without what marks a mask."""
        known = len(self._words)
        words = [self._words[id] if id < known else unknown[id - known] for id in ids[:MOST_READ]]
        return " ".join(word.strip("<>") for word in words)

    def vectors(self, texts: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        """n texts in vocabulary ids, each read by itself -> [n, width]."""
        return self.transformer([self.text(text) for text in texts])

    def whole(self, *texts: Sequence[int], unknown: Sequence[str] = ()) -> str:
        """Texts as one, each cut as in `text`: "subject. description"."""
        return ". ".join(self.text(ids, unknown) for ids in texts if ids)

    def __call__(self, texts: Texts) -> npt.NDArray[np.float32]:
        """n texts -> [n, width]; a subject and a description are read as one text."""
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
