"""What a desk would use instead: words, a sentence encoder, and both mixed.

A bundle compares a query with a ticket's solution too, so words read it in rows of their own.
"""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from tests.benchmarks.reading.cases import Case, Scores
from ticketing.encoders.transformer import Transformer, needed_folder
from ticketing.encoders.vector_cache import VectorCache
from ticketing.evaluation.peers import SHARE, EncodedTexts, whole_of
from ticketing.retrieval.memory import TicketsInMemory
from ticketing.text import tokenize
from ticketing.text.bm25 import BM25

WORDS, ENCODER, MIXED = "BM25", "MiniLM", "MiniLM + BM25"
SOLVED = " with solutions"
"""Ends the name of a ranker whose words are a ticket's solution's as well."""


def peers(case: Case, cache: Path) -> dict[str, Scores]:
    """Scores by ranker, over subject and description; vectors are kept below `cache`.

    By words alone a ticket that has none of the query's is not found.
    """
    meaning = _meaning(case, cache)
    found = {ENCODER: meaning}
    plain = [f"{x.subject}\n{x.description}" for x in case.tickets]
    solved = [f"{text}\n{x.solution}" for text, x in zip(plain, case.tickets, strict=True)]
    for texts, ending in ((plain, ""), (solved, SOLVED)):
        words = _words(case, texts)
        mixed = SHARE * _standard(meaning, case) + (1 - SHARE) * _standard(words, case)
        found[WORDS + ending] = np.where(words > 0, words, -np.inf)
        found[MIXED + ending] = mixed
    return found


def _words(case: Case, texts: Sequence[str]) -> Scores:
    """By a text of each ticket."""
    return BM25(map(tokenize, texts)).scores([tokenize(query.text) for query in case.queries])


def _meaning(case: Case, cache: Path) -> Scores:
    """Cosines of whole texts, and half of the subjects' where both sides have one."""
    encoder = Transformer(needed_folder("installed"))
    encoder.cache = VectorCache(cache, encoder.digest)
    every = [*case.queries, *case.tickets]
    encoder.prepare(chain.from_iterable((whole_of(x), x.subject) for x in every), ENCODER)
    texts = EncodedTexts(TicketsInMemory(case.tickets), encoder)
    return np.array([texts.likeness(query) for query in case.queries])


def _standard(scores: Scores, case: Case) -> Scores:
    """Standard scores, a query's over the tickets that may answer it."""
    known = np.where(case.eligible, scores, np.nan)
    mean, spread = (f(known, axis=1, keepdims=True) for f in (np.nanmean, np.nanstd))
    return (scores - mean) / (spread + 1e-9)
