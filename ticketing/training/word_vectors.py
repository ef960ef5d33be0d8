"""Initial word vectors: from a file, from a teacher, or learned from the desk's own texts."""

import logging
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from tqdm import tqdm

from ticketing.encoders.sentence_transformer import TransformerEncoder
from ticketing.errors import InputError
from ticketing.jobs import OnStep, Step, ignore_step
from ticketing.text.vocabulary import Vocabulary
from ticketing.training.contexts import Contexts
from ticketing.training.vector_files import VectorFile, kind_of, not_whole

WORDS_TO_SEE = 4_000_000
"""Small archives are passed over repeatedly, until about this many words were seen."""

MOST_SEEN = 22_000_000
"""Maximum number of words seen in all passes: a large archive is passed over less often, and of a
larger one evenly spaced tickets are read once."""

ALONE = 2.0
"""Number of word pieces in contexts at which the vector of a word is half that of its contexts and
half that of the word alone."""


class _Passes:
    """Iterates texts once per pass, with one progress bar over all passes.

    The iteration ends if `on_step` raises. gensim iterates in a thread of its own, which must not
    fail, so the exception is kept in `why` for the caller to raise.
    """

    def __init__(self, texts: Iterable[Sequence[str]], count: int, on_step: OnStep):
        self.texts = texts
        self.on_step = on_step
        self.why: Exception | None = None
        self.bar = tqdm(total=count, desc="word vectors", unit="text")

    def __iter__(self) -> Iterator[Sequence[str]]:
        for text in self.texts:
            if self._is_to_end():
                return
            yield text
            self.bar.update()

    def _is_to_end(self) -> bool:
        try:
            self.on_step(Step.PRETRAINING)
        except Exception as error:
            self.why = self.why or error
        return self.why is not None


def train_vectors(
    texts: Iterable[Sequence[str]],
    vocabulary: Vocabulary,
    dims: int,
    seed: int,
    on_step: OnStep = ignore_step,
) -> Tensor:
    """Skip-gram vectors (word2vec) of the vocabulary's words: float32 [len(vocabulary), dims].

    `texts` are read several times, in one thread so that the same seed gives the same vectors. Row
    0 is zero, and the mean length of the others is 1. Raises whatever `on_step` raises.
    """
    from gensim.models import Word2Vec

    if not vocabulary.words:
        return torch.zeros(len(vocabulary), dims)
    seen: Counter[str] = Counter()
    count = 0
    for text in texts:
        seen.update(text)
        count += 1
    words = seen.total()
    model = Word2Vec(vector_size=dims, sg=1, min_count=1, workers=1, seed=seed, sorted_vocab=0)
    model.build_vocab_from_freq({word: max(seen[word], 1) for word in vocabulary.words})
    passes = passes_over(words)
    sentences = _Passes(texts, count * passes, on_step)
    with _silent(logging.getLogger("gensim.models.word2vec")):  # it warns of passes that end early
        model.train(sentences, total_examples=count, total_words=words, epochs=passes)
    sentences.bar.close()
    if sentences.why:
        raise sentences.why
    return _matrix(vocabulary, dims, model.wv)


@contextmanager
def _silent(logger: logging.Logger) -> Iterator[None]:
    """Context manager: a logger only logs errors."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def passes_over(words: int) -> int:
    """Number of passes over a text of this many words: 5 to 30, fewer for a large archive."""
    enough = int(np.clip(WORDS_TO_SEE // max(words, 1), 5, 30))
    return max(min(enough, MOST_SEEN // max(words, 1)), 1)


def read_words(
    vocabulary: Vocabulary, encoder: TransformerEncoder, dims: int, contexts: Contexts | None = None
) -> Tensor:
    """Word vectors from a sentence encoder's vectors of each word, alone and in contexts: float32
    [len(vocabulary), dims].

    These are the principal components of the words' vectors after subtracting their mean, which
    distinguishes no words. Row 0 is zero, and the mean length of the others is 1. If there are
    fewer components than `dims`, the last dimensions are zero.
    """
    matrix = np.zeros((len(vocabulary), dims), dtype=np.float32)
    if vocabulary.words:
        vectors = encoder.vectors([[id] for id in range(1, len(vocabulary))])
        read = torch.from_numpy(vectors).double()  # [n, D]
        centred = read - read.mean(0)
        if contexts:
            _add_contexts(centred, contexts)
        _, axes = torch.linalg.eigh(centred.T @ centred)  # in ascending order
        reduced = centred @ axes.flip(1)[:, :dims]
        matrix[1:, : reduced.shape[1]] = reduced.numpy()
    return _scaled(matrix)


def _add_contexts(alone: Tensor, contexts: Contexts) -> None:
    """Mix the vectors of words alone, [n, D], with those from contexts, in place; the more often a
    word was read in contexts, the more these count. Both are centred, and contexts are scaled to
    the same mean length."""
    pieces = torch.from_numpy(contexts.pieces)[1:]
    seen = pieces > 0
    if seen.sum() < 2:
        return
    means = F.normalize(torch.from_numpy(contexts.sums)[1:][seen], dim=1)
    means -= means.mean(0)
    means *= alone[seen].norm(dim=1).mean() / means.norm(dim=1).mean().clamp_min(1e-9)
    share = pieces[seen] / (pieces[seen] + ALONE)
    alone[seen] = torch.lerp(alone[seen], means, share.unsqueeze(1).double())


def load_vectors(path: Path, vocabulary: Vocabulary, dims: int) -> Tensor:
    """Load vectors from a word2vec, GloVe or fastText file, text or binary, for the vocabulary.

    float32 [len(vocabulary), dims]; words missing in the file have a zero row. Raises InputError if
    the file is compressed, too large for the memory, unreadable, has other dimensions, or shares no
    word with the vocabulary. Errors found after the beginning name only the file's name, since a
    job reads a copy.
    """
    kind = kind_of(path, dims)
    try:
        vectors = _read(path, kind)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, IndexError, EOFError, struct.error, NotImplementedError):
        raise not_whole(path.name) from None
    except MemoryError:
        raise InputError(
            f"By its first line {path.name} holds more than there is memory for; "
            "name a smaller one."
        ) from None
    if not any(word in vectors for word in vocabulary.words):
        raise InputError(f"{path.name} knows none of the desk's words; is it in another language?")
    return _matrix(vocabulary, dims, vectors)


def _read(path: Path, kind: VectorFile) -> Any:
    """Gensim's keyed vectors from a file."""
    from gensim.models import KeyedVectors
    from gensim.models.fasttext import load_facebook_vectors

    if kind is VectorFile.FASTTEXT:
        return load_facebook_vectors(str(path))
    return KeyedVectors.load_word2vec_format(
        path,
        binary=kind is VectorFile.BINARY,
        no_header=kind is VectorFile.BARE,
        unicode_errors="replace",
    )


def _matrix(vocabulary: Vocabulary, dims: int, vectors: Any) -> Tensor:
    matrix = np.zeros((len(vocabulary), dims), dtype=np.float32)
    for id, word in enumerate(vocabulary.words, start=1):
        if word in vectors:
            matrix[id] = vectors[word]
    return _scaled(matrix)


def _scaled(matrix: np.ndarray) -> Tensor:
    """Vectors [n, dims] scaled to a mean length of 1; zero rows stay zero and do not count in the
    mean."""
    lengths = np.linalg.norm(matrix, axis=1)
    return torch.from_numpy(matrix / (lengths[lengths > 0].mean() if lengths.any() else 1.0))
