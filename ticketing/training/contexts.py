"""Word vectors from a sentence encoder's token states, averaged over the contexts of each word.

The meaning of a word at a desk shows in its contexts; the mean of its states over many contexts is
a vector of the word (Bommasani, Davis and Cardie 2020, "Interpreting Pretrained Contextualized
Representations via Reductions to Static Embeddings").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from ticketing.encoders.sentence_transformer import MOST_READ, TransformerEncoder
from ticketing.jobs import OnStep, Step, ignore_step

MOST_TEXTS = 3000
"""Maximum number of texts that are encoded for this, since each training encodes them again."""

CHUNK = re.compile(r"\S+")


@dataclass(frozen=True)
class Contexts:
    """For each word, the sum of an encoder's last states over all its word pieces, float64 [V,
    dims], and the number of pieces, int64 [V]; a vocabulary's ids begin with 1."""

    sums: npt.NDArray[np.float64]
    pieces: npt.NDArray[np.int64]


def read_contexts(
    encoder: TransformerEncoder,
    words: int,
    texts: Sequence[Sequence[Sequence[int]]],
    on_step: OnStep = ignore_step,
) -> Contexts:
    """Encode texts and sum the states of each word. `words` is the size of the vocabulary.

    A text is given as its components, which `encoder.whole` joins. If the encoder's tokenizer has
    no character offsets, the result is empty. Raises whatever `on_step` raises.
    """
    found = Contexts(np.zeros((words + 1, *encoder.shape)), np.zeros(words + 1, np.int64))
    model = encoder.transformer.model
    if not getattr(model.tokenizer, "is_fast", False):
        return found
    wholes = {encoder.whole(*text): text for text in texts if any(text)}
    bar = tqdm(total=len(wholes), desc="words in contexts", unit="text")
    for batch in encoder.transformer.batches([*wholes]):
        on_step(Step.PRETRAINING)
        read = model.encode(
            batch,
            batch_size=len(batch),
            show_progress_bar=False,
            output_value="token_embeddings",
        )
        pieces = model.tokenizer(
            batch, truncation=True, max_length=model.max_seq_length, return_offsets_mapping=True
        )["offset_mapping"]
        for text, states, spans in zip(batch, read, pieces, strict=True):
            ids = chain.from_iterable(part[:MOST_READ] for part in wholes[text])
            _add(found, text, [*ids], np.array(spans), states.double().numpy())
        bar.update(len(batch))
    bar.close()
    return found


def _add(
    found: Contexts,
    text: str,
    ids: Sequence[int],
    spans: npt.NDArray[np.int64],
    states: npt.NDArray[np.float64],
) -> None:
    """Add the states [n, dims] of a text's pieces with character spans [n, 2] to their words.

    Special tokens added by the tokenizer have empty spans and are skipped.
    """
    starts = np.array([chunk.start() for chunk in CHUNK.finditer(text)])
    if len(starts) != len(ids):  # a word of brackets alone vanished from the text
        return
    there = spans[:, 1] > spans[:, 0]
    of = np.array(ids)[np.searchsorted(starts, spans[there, 0], side="right") - 1]
    np.add.at(found.sums, of, states[there])
    np.add.at(found.pieces, of, 1)
