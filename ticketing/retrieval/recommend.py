"""The main flow: a query becomes codes, the scan ranks the tickets, the best ten are explained."""

from bisect import bisect_left
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ticketing.errors import InputError
from ticketing.model.inference import Model
from ticketing.model.layout import QueryCode
from ticketing.retrieval.encode import Asked, ask, clues_of
from ticketing.retrieval.explain import overlap, parts_of, shared_topics
from ticketing.retrieval.scan import nearest, scan_distances
from ticketing.stores.protocols import CodeBlock, TicketsWithCodes
from ticketing.text import tokenize
from ticketing.tickets import Filters, Query, Recommendation, Recommendations

EMPTY = "The knowledge base has no ticket to search; import some first."
FILTERED = "No ticket passes these filters; widen them."
WORDLESS = "The query holds no word to compare; describe the problem in words."
UNKNOWN = (
    "None of the query's words occurs in the knowledge base, so these tickets were chosen by "
    "spelling alone; try other words."
)
WEAK = (
    "Nothing matches well: even the best ticket lies below the score at which proposals "
    "have usually been right."
)


class Recommender:
    """Ranks the tickets of a store under one model."""

    def __init__(self, store: TicketsWithCodes, model: Model, threads: int = 1):
        self.store = store
        self.model = model
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def rank(
        self, query: Query, filters: Filters = Filters(), limit: int = 10
    ) -> list[tuple[str, float]]:
        """(ticket id, distance) of the nearest tickets, nearest first, ties by id."""
        asked = self.ask(query, filters)
        block = self._candidates(query, asked, filters, limit)
        distances = self._scan(query, asked, block)
        return [(block.ids[i], float(distances[i])) for i in nearest(distances, limit)]

    def recommend(
        self, query: Query, filters: Filters = Filters(), limit: int = 10
    ) -> Recommendations:
        """The nearest tickets with scores and reasons. Raises InputError for a blank query."""
        if not (query.subject.strip() or query.description.strip()):
            raise InputError("The query is blank: give a subject or a description.")
        asked = self.ask(query, filters)
        block = self._candidates(query, asked, filters, limit)
        distances = self._scan(query, asked, block)
        best = nearest(distances, limit)
        tickets = self.store.get_tickets([block.ids[i] for i in best])
        query_tokens = tokenize(query.text)
        items = []
        for i in best:
            ticket = tickets.get(block.ids[i])
            # Deleted, or hidden from whoever asks, since the codes were read.
            if ticket is None or not filters.admit(ticket):
                continue
            distance = float(distances[i])
            ticket_tokens = tokenize(ticket.text)
            items.append(
                Recommendation(
                    rank=len(items) + 1,
                    ticket=ticket,
                    score=float(self.model.calibration.score(distance)),
                    similarity=float(np.exp(-distance)),
                    distance=distance,
                    parts=parts_of(self.model, asked, block.codes[block.live[i]]),
                    topics=shared_topics(self.model, query_tokens, ticket_tokens),
                    overlap=overlap(self.model, query_tokens, ticket_tokens),
                )
            )
        good = (
            bool(items) and asked.code.known and items[0].distance <= self.model.calibration.floor
        )
        return Recommendations(
            query=query,
            bundle_id=self.model.id,
            items=tuple(items),
            good_match=good,
            note="" if good else self._note(asked.code, items, filters),
            searched=len(block.live) if block.of is None else block.of,
        )

    def ask(self, query: Query, filters: Filters = Filters()) -> Asked:
        """A query ready for the scan of the tickets that match."""
        return ask(self.model, self.store, query, filters)

    def candidates(self, query: Query) -> CodeBlock:
        """The codes that a query is compared with."""
        return self._candidates(query, self.ask(query), Filters(), limit=1)

    def _candidates(self, query: Query, asked: Asked, filters: Filters, limit: int) -> CodeBlock:
        clues = clues_of(self.model, query, asked)
        return self.store.candidates(self.model.id, clues, filters, limit)

    def _scan(self, query: Query, asked: Asked, block: CodeBlock) -> np.ndarray:
        layout, recency = self.model.layout, self.model.recency
        distances = scan_distances(
            block.codes, block.live, asked.code, layout, asked.weights, self._pool
        )
        if recency.weight:
            minutes = layout.minutes(block.codes, block.live)
            distances += recency.distances(asked.minute, minutes).astype(np.float32)
        if query.ticket_id:
            own = _position(block.ids, query.ticket_id)
            if own is not None:
                distances[own] = np.inf
        return distances

    @staticmethod
    def _note(code: QueryCode, items: list[Recommendation], filters: Filters) -> str:
        if not code.present.any():
            return WORDLESS
        if not items:
            return EMPTY if filters == Filters() else FILTERED
        return WEAK if code.known else UNKNOWN


def _position(ids, ticket_id: str) -> int | None:
    """Where an id stands among ascending ids."""
    place = bisect_left(ids, ticket_id)
    return place if place < len(ids) and ids[place] == ticket_id else None
