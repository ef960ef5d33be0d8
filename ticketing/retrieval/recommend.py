"""The main flow: a query becomes codes, the scan ranks the tickets, the best ten are explained."""

from bisect import bisect_left
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

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
        best = nearest(distances, limit)
        tickets = self.store.get_tickets([block.ids[i] for i in best])
        query_tokens = tokenize(query.text)
        asked = self.reasons.read(query)
        items: list[Recommendation] = []
        for i in best:
            ticket = tickets.get(block.ids[i])
            # Deleted, or hidden from whoever asks, since the codes were read.
            if ticket is None or not filters.admit(ticket):
                continue
            distance = float(distances[i])
            items.append(
                Recommendation(
                    rank=len(items) + 1,
                    ticket=ticket,
                    score=self.model.calibration.score(distance),
                    similarity=float(np.exp(-distance)),
                    distance=distance,
                    parts=parts_of(self.model, encoded, block.codes[block.live[i]]),
                    topics=shared_topics(self.model, query_tokens, tokenize(ticket.text)),
                    reason=self.reasons.reason(asked, ticket),
                    answer=self.answers.answer(asked, ticket.solution),
                )
            )
        good = bool(items) and encoded.known and items[0].distance <= self.model.calibration.floor
        return Recommendations(
            query=query,
            bundle_id=self.model.id,
            items=tuple(items),
            good_match=good,
            note="" if good else self._note(encoded, items, filters),
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
        return WEAK if query.known else UNKNOWN


def _position(ids: Sequence[str], ticket_id: str) -> int | None:
    """Where an id stands among ascending ids."""
    place = bisect_left(ids, ticket_id)
    return place if place < len(ids) and ids[place] == ticket_id else None
