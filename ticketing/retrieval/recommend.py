"""The main flow: a query becomes codes, the scan ranks the tickets, the best ten are explained."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from ticketing.encoders.terms import term_of
from ticketing.errors import InputError
from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.retrieval.answers import Answers
from ticketing.retrieval.encode import QueryEncoder
from ticketing.retrieval.explain import parts_of, shared_topics
from ticketing.retrieval.reasons import Reasons
from ticketing.retrieval.scan import nearest, scan_distances
from ticketing.stores.protocols import CodeBlock, RankedTickets
from ticketing.text import tokenize
from ticketing.tickets import Filters, Outlook, Query, Recommendation, Recommendations

EMPTY = "The knowledge base has no ticket to search; import some first."
FILTERED = "No ticket passes these filters; widen them."
WORDLESS = "The query holds no word to compare; describe the problem in words."
UNKNOWN = (
    "None of the query's words occurs in these tickets, which were chosen by meaning and spelling "
    "alone; try other words."
)
WEAK = "No past ticket is near enough to be trusted; these are only the nearest."
NEAREST = 100
"""Tickets whose distances say what each of them means."""


class Recommender:
    """Ranks the tickets of a store under one model."""

    def __init__(
        self,
        store: RankedTickets,
        model: Model,
        threads: int = 1,
        encode: QueryEncoder | None = None,
    ):
        self.store = store
        self.model = model
        self.encode = encode or QueryEncoder(model, store)
        self.reasons = Reasons(model)
        self.answers = Answers(self.reasons.telling)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def rank(
        self, query: Query, filters: Filters = Filters(), limit: int = 10
    ) -> list[tuple[str, float]]:
        """(ticket id, distance) of the nearest tickets, nearest first, ties by id."""
        encoded = self.encode(query, filters)
        block = self.store.candidates(self.model.id, encoded, filters, limit)
        distances = self._scan(query, encoded, block)
        return [(block.ids[i], float(distances[i])) for i in nearest(distances, limit)]

    def recommend(
        self, query: Query, filters: Filters = Filters(), limit: int = 10
    ) -> Recommendations:
        """The nearest tickets with scores and reasons. Raises InputError for a blank query."""
        if not (query.subject.strip() or query.description.strip()):
            raise InputError("The query is blank: give a subject or a description.")
        encoded = self.encode(query, filters)
        block = self.store.candidates(self.model.id, encoded, filters, limit)
        distances = self._scan(query, encoded, block)
        best = nearest(distances, max(limit, NEAREST))
        chances = self.model.calibration.chances(distances[best].astype(float))
        best = best[:limit]
        tickets = self.store.get_tickets([block.ids[i] for i in best])
        query_tokens = tokenize(query.text)
        asked = self.reasons.read(query)
        items: list[Recommendation] = []
        for i, yes, related in zip(best, chances.yes, chances.related, strict=False):
            ticket = tickets.get(block.ids[i])
            # Deleted, or hidden from whoever asks, since the codes were read.
            if ticket is None or not filters.admit(ticket):
                continue
            distance = float(distances[i])
            items.append(
                Recommendation(
                    rank=len(items) + 1,
                    ticket=ticket,
                    chance=float(yes),
                    chance_related=float(related),
                    distance=distance,
                    parts=parts_of(self.model, encoded, block.codes[block.live[i]]),
                    topics=shared_topics(self.model, query_tokens, tokenize(ticket.text)),
                    reason=self.reasons.reason(asked, ticket),
                    answer=self.answers.answer(asked, ticket.solution),
                )
            )
        chance = chances.answered if items else 0.0
        outlook = self.model.calibration.outlook(chance)
        return Recommendations(
            query=query,
            bundle_id=self.model.id,
            items=tuple(items),
            outlook=outlook,
            chance=chance,
            note=self._note(encoded, items, filters) if outlook == Outlook.NOTHING else "",
            searched=len(block.live) if block.of is None else block.of,
        )

    def _scan(
        self, query: Query, encoded: EncodedQuery, block: CodeBlock
    ) -> npt.NDArray[np.float32]:
        layout = self.model.layout
        distances = scan_distances(block.codes, block.live, encoded, layout, self._pool)
        if encoded.time:
            minutes = layout.minutes(block.codes, block.live)
            distances += self.model.recency.distances(encoded.time, minutes).astype(np.float32)
        if query.ticket_id:
            own = _position(block.ids, query.ticket_id)
            if own is not None:
                distances[own] = np.inf
        return distances

    @staticmethod
    def _note(query: EncodedQuery, items: list[Recommendation], filters: Filters) -> str:
        if not query.present.any():
            return WORDLESS
        if not items:
            return EMPTY if filters == Filters() else FILTERED
        asked = terms_of(query.words)
        shared = any(asked & terms_of(tokenize(item.ticket.text)) for item in items)
        return WEAK if shared else UNKNOWN


def terms_of(words: Iterable[str]) -> set[str]:
    """The distinct terms of words, as channel L compares them."""
    return {term_of(word) for word in words} - {""}


def _position(ids: Sequence[str], ticket_id: str) -> int | None:
    """Where an id stands among ascending ids."""
    place = bisect_left(ids, ticket_id)
    return place if place < len(ids) and ids[place] == ticket_id else None
