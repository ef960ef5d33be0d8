"""Baselines other than BM25: a sentence encoder alone and mixed with BM25."""

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ticketing.retrieval.memory import TicketsInMemory
from ticketing.retrieval.rescoring import standard
from ticketing.tickets import Filters, Query, Ticket

MOST_OF_DESCRIPTION = 160
"""Number of words of a description that are encoded, from its beginning."""

SUBJECT = 0.5
"""Weight of the similarity of subjects, relative to that of whole texts."""

SHARE = 0.7
"""Weight of the encoder in a mixture of standard scores."""


class Peer(Protocol):
    """A baseline ranker: scores tickets for a query; greater is nearer."""

    tickets: TicketsInMemory
    least: float
    """Only tickets with a greater score are found."""

    def scores(
        self, query: Query, filters: Filters = Filters()
    ) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
        """Ids of all matching tickets except the query's own, ascending, and their scores, float64
        [n]."""


class Reads(Protocol):
    """A sentence encoder."""

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors, float32 [n, dims]."""


class EncodedTexts:
    """A sentence encoder's cosines of whole texts, plus half of those of subjects if both texts
    have one. A whole text is "subject. description"."""

    least = -np.inf

    def __init__(self, tickets: TicketsInMemory, encoder: Reads):
        self.tickets, self._encoder = tickets, encoder

    @cached_property
    def _vectors(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Vectors of the tickets' whole texts and subjects, each [n, dims]."""
        return self._read([*self.tickets])

    def _read(
        self, texts: Sequence[Query | Ticket]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Vectors of whole texts and subjects, each [n, dims]; 0 for a missing subject."""
        wholes, subjects = zip(*((whole_of(x), x.subject) for x in texts), strict=True)
        there = np.array([[bool(subject)] for subject in subjects])
        vectors = self._encoder([*wholes, *subjects])
        return vectors[: len(texts)], vectors[len(texts) :] * there

    def likeness(self, query: Query) -> npt.NDArray[np.float64]:
        """Scores of all tickets, float64 [n]."""
        if not len(self.tickets.id_array):
            return np.empty(0)
        (wholes, subjects), (whole, subject) = self._vectors, self._read([query])
        found: npt.NDArray[np.float64] = wholes @ whole[0] + SUBJECT * (subjects @ subject[0])
        return found

    def scores(
        self, query: Query, filters: Filters = Filters()
    ) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
        """See Peer."""
        live = self.tickets.live(filters, query.ticket_id)
        return self.tickets.id_array[live], self.likeness(query)[live]


class Mixed:
    """A mixture of two peers' standard scores: SHARE of the first, the rest of the other."""

    least = -np.inf

    def __init__(self, first: Peer, other: Peer):
        self.tickets = first.tickets
        self._first, self._other = first, other

    def scores(
        self, query: Query, filters: Filters = Filters()
    ) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
        """See Peer."""
        ids, first = self._first.scores(query, filters)
        other = self._other.scores(query, filters)[1]
        return ids, SHARE * standard(first) + (1 - SHARE) * standard(other)


def whole_of(text: Query | Ticket) -> str:
    """A subject and the first MOST_OF_DESCRIPTION words of its description, as one text."""
    description = " ".join(text.description.split()[:MOST_OF_DESCRIPTION])
    return f"{text.subject}. {description}" if text.subject else description
