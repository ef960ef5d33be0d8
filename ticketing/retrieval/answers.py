"""Answers: the sentence of a ticket's solution that best answers a query; extracted, not
generated."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from ticketing.encoders.sums import sums_of, unit
from ticketing.model.inference import Model
from ticketing.retrieval.match import READ, REMEMBERED, Match
from ticketing.retrieval.solving import solving
from ticketing.text import tokenize
from ticketing.text.sentences import sentences, shortened
from ticketing.text.vocabulary import UNKNOWN
from ticketing.tickets import Query

LONGEST = 240
"""Longest answer in characters."""

_PROSE = 0.75
"""Minimum share of letters and spaces in prose; code and logs have less."""

_SOLVING = 2.0
"""Weight of the direction in which solutions differ from problems, see `solving`."""

_ASKED = 0.5
"""Weight of the query beside the ticket's problem. A query also mentions side issues."""

_SHORT = 0.25
"""Added to each sentence's length, as a share of the mean length: very short sentences are near by
chance."""


class Answers:
    """Compares sentences by channel E of a model, the weighted sum of word embeddings."""

    def __init__(self, model: Model):
        self._model = model
        self._solving = _SOLVING * solving(model)

    def answers(self, query: Query, matches: Sequence[Match]) -> list[str]:
        """A sentence of each match's solution, or "" for a ticket without a solution.

        It is the sentence nearest to a weighted sum of the query (one half), the ticket's problem
        (one), and its whole solution (two). The query alone would often select an aside that
        contains the query's words but is not what the ticket is about. The direction of `solving`
        is added, since a sentence that repeats a problem answers nothing.
        """
        read = [_candidates(match.ticket.solution[:READ]) for match in matches]
        candidates = [[sentence for sentence, _ in own] for own in read]
        sentences_ = (words for own in read for _, words in own)
        problems = (match.problem_words for match in matches)
        sums = self._sums([tokenize(query.text[:READ]), *problems, *sentences_])
        asked, matched = np.split(unit(sums[: 1 + len(matches)]), [1])
        aims = _ASKED * asked + matched + self._solving
        bounds = accumulate(map(len, candidates), initial=1 + len(matches))
        answers = []
        for own, aim, (start, stop) in zip(candidates, aims, pairwise(bounds), strict=True):
            answers.append(shortened(_nearest(own, sums[start:stop], aim), LONGEST))
        return answers

    def _sums(self, texts: Sequence[Sequence[str]]) -> npt.NDArray[np.float32]:
        """Sums of the embeddings of the known words of n texts, weighted by idf: [n, dims]."""
        words = self._model.words
        ids, bounds = self._model.vocabulary.ids_of(texts)
        known = np.concatenate([[0], (ids != UNKNOWN).cumsum()])
        ids = ids[ids != UNKNOWN]
        return sums_of(words.table, ids, known[bounds], words.weights[ids])


def _nearest(
    candidates: Sequence[str], sums: npt.NDArray[np.float32], aim: npt.NDArray[np.float32]
) -> str:
    """The sentence of one solution that is nearest to `aim` [dims] plus twice the unit vector of
    the whole solution; "" if there is none. `sums` is [n, dims]."""
    if len(candidates) < 2:
        return "".join(candidates)
    scores = _damped(sums) @ (aim + 2 * unit(sums.sum(0)))
    return candidates[int(scores.argmax())]


def _damped(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Vectors of the sentences of one solution [n, dims], scaled to lengths below 1; shorter
    sentences get shorter vectors."""
    lengths: npt.NDArray[np.float32] = np.sqrt((vectors * vectors).sum(-1, keepdims=True))
    damped: npt.NDArray[np.float32] = vectors / np.maximum(lengths + _SHORT * lengths.mean(), 1e-9)
    return damped


@lru_cache(maxsize=REMEMBERED)
def _candidates(solution: str) -> tuple[tuple[str, list[str]], ...]:
    """The prose sentences of a solution, each with its tokens; all sentences if none is prose."""
    found = sentences(solution)
    chosen = [sentence for sentence in found if _is_prose(sentence)] or found
    return tuple((sentence, tokenize(sentence)) for sentence in chosen)


def _is_prose(sentence: str) -> bool:
    spaces = sentence.count(" ")
    return spaces >= 2 and sum(map(str.isalpha, sentence)) + spaces >= _PROSE * len(sentence)
