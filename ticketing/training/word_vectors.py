"""Word vectors to begin with: from a file, as a teacher reads words, or from the own texts."""

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
"""Small archives are passed over more often, until about this many words were seen."""

MOST_SEEN = 22_000_000
"""Words that are seen in all passes: a large archive is passed over less often, and of one that has
more evenly spaced tickets are read once."""

ALONE = 2.0
"""A word that was read in so many pieces of texts is half what it is there and half as alone."""


class _Passes:
    """Texts, iterated once a pass, with a bar over all passes.

    They end where `on_step` raises: gensim reads them in a thread of its own, which must not fail,
    so that `why` is to be raised by whoever waits for it.
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

    `texts` are read several times. One thread, so that the same seed gives the same vectors; row 0
    is zero, and the mean length of the others is 1. Raises whatever `on_step` does.
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
    """Let a logger tell of no less than errors during the block."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def passes_over(words: int) -> int:
    """How often so many words are passed over: 5 to 30 times, a large archive less often."""
    enough = int(np.clip(WORDS_TO_SEE // max(words, 1), 5, 30))
    return max(min(enough, MOST_SEEN // max(words, 1)), 1)


def read_words(
    vocabulary: Vocabulary, encoder: TransformerEncoder, dims: int, contexts: Contexts | None = None
) -> Tensor:
    """A sentence encoder's reading of each word, alone and in contexts: float32
    [len(vocabulary), dims].

    The words' principal components about their mean, which all words share and which tells none
    from another; row 0 is zero, and the mean length of the others is 1. Where there are fewer
    components than `dims`, the last dimensions are zero.
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
    """Make of words as read alone, [n, D], what they are in contexts: the more, the oftener they
    were read there. Both are about their means, and the contexts' as long in the mean."""
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
    """Vectors from a word2vec, GloVe or fastText file, text or binary, cut to the vocabulary.

    float32 [len(vocabulary), dims]; words that the file lacks have a zero row. Raises
    InputError when the file is packed, too large for the memory or can't be read as any of them,
    has other dimensions, or shares no word with the vocabulary. What is found farther down is said
    of the file's name alone, since a job reads a copy.
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
    """The vectors [n, dims] with mean length 1; zero rows stay, and count nothing."""
    lengths = np.linalg.norm(matrix, axis=1)
    return torch.from_numpy(matrix / (lengths[lengths > 0].mean() if lengths.any() else 1.0))
