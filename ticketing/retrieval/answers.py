"""The sentence of a ticket's solution that answers a query: found there, never made up."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from ticketing.model.inference import Model
from ticketing.retrieval.folding import READ
from ticketing.text import tokenize
from ticketing.text.sentences import sentences, shortened
from ticketing.text.vocabulary import UNKNOWN
from ticketing.tickets import Query, Ticket

LONGEST = 240
"""Characters of an answer."""

_PROSE = 0.75
"""Least share of letters and spaces in prose; code and logs have less."""


class Answers:
    """Compares sentences by channel E of one model, the weighted sum of a text's words."""

    def __init__(self, model: Model):
        self._model = model

    def answers(self, query: Query, tickets: Sequence[Ticket]) -> list[str]:
        """A sentence of each ticket's solution; empty for one without a solution.

        It is the one nearest to three texts together, which count alike: the query, the ticket's
        problem and its whole solution. Nearness to the query alone often finds an aside, which
        mentions the query's words but is not what the ticket is about.
        """
        candidates = [_candidates(ticket.solution[:READ]) for ticket in tickets]
        problems = [f"{ticket.subject[:READ]}\n{ticket.description[:READ]}" for ticket in tickets]
        texts = [query.text[:READ], *problems, *(each for own in candidates for each in own)]
        sums = self._sums(texts)
        asked, *told = _unit(sums[: 1 + len(tickets)])
        bounds = accumulate(map(len, candidates), initial=1 + len(tickets))
        answers = []
        for own, problem, (start, stop) in zip(candidates, told, pairwise(bounds), strict=True):
            solution = _unit(sums[start:stop].sum(0, keepdims=True))[0]
            scores = _unit(sums[start:stop]) @ (asked + problem + solution)
            answers.append(shortened(own[int(scores.argmax())], LONGEST) if own else "")
        return answers

    def _sums(self, texts: Iterable[str]) -> npt.NDArray[np.float32]:
        """Sums of the known words' embeddings, weighted by idf: [n, dims]."""
        ids = [self._known(text) for text in texts]
        distinct, columns = np.unique([id for text in ids for id in text], return_inverse=True)
        vectors, weights = self._model.word_vectors(distinct.astype(int).tolist())
        counts = csr_array(
            (weights[columns], columns, [*accumulate(map(len, ids), initial=0)]),
            shape=(len(ids), len(distinct)),
        )
        sums: npt.NDArray[np.float32] = counts @ vectors
        return sums

    def _known(self, text: str) -> list[int]:
        return [id for id in self._model.vocabulary.ids(tokenize(text)) if id != UNKNOWN]


def _unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: npt.NDArray[np.float32] = vectors / np.maximum(lengths, 1e-9)
    return unit


def _candidates(solution: str) -> list[str]:
    """The sentences of prose; all of them where there are none."""
    found = sentences(solution)
    return [sentence for sentence in found if _is_prose(sentence)] or found


def _is_prose(sentence: str) -> bool:
    plain = sum(character.isalpha() or character.isspace() for character in sentence)
    return plain >= _PROSE * len(sentence) and sentence.count(" ") >= 2
