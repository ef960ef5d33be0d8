"""The main flow: encode a query, rank tickets by a scan of their codes, explain the ten best."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ticketing.errors import InputError
from ticketing.model.calibration import NEAREST, Evidence
from ticketing.model.inference import Model
from ticketing.queries import EncodedQuery
from ticketing.recommendations import Outlook, Recommendations
from ticketing.retrieval.ages import Ages
from ticketing.retrieval.encode import QueryEncoder
from ticketing.retrieval.explain import Explainer
from ticketing.retrieval.folding import Folder, Row
from ticketing.retrieval.index import Index
from ticketing.retrieval.notes import at_best, named, note, unnamed
from ticketing.retrieval.parts import typical_parts
from ticketing.retrieval.ranking import Best, Compared, Nearest
from ticketing.retrieval.rescoring import Rescorer, unmoved
from ticketing.retrieval.rows import AnswerRows
from ticketing.retrieval.scan import NO_SUMS, nearest, scan_distances
from ticketing.retrieval.solved import (
    SolvedNow,
    SolvedQuery,
    bring_nearer,
    nothing_solved,
    tickets_of,
)
from ticketing.retrieval.spelling import Corrector
from ticketing.retrieval.threads import Threads
from ticketing.retrieval.verbatim import named_somewhere
from ticketing.retrieval.wording import asked_terms, wording_of
from ticketing.stores.blocks import CodeBlock
from ticketing.stores.protocols import RankedTickets
from ticketing.text.telling import TellingWords
from ticketing.tickets import Filters, Query

FARTHEST = 10 * NEAREST
"""How many tickets are ranked if near-copies among the nearest leave too few rows."""


class Recommender:
    """Ranks the tickets of a store under one model."""

    def __init__(
        self,
        store: RankedTickets,
        model: Model,
        threads: int = 1,
        encode: QueryEncoder | None = None,
        rescored: bool = True,
        solved: SolvedNow = nothing_solved,
    ):
        """With `rescored` false, tickets are ranked by distance alone. `solved` returns the solved
        queries, which count as further texts of the tickets that solved them."""
        self.store = store
        self.model = model
        self.encode = encode or QueryEncoder(model, store)
        telling = TellingWords(model.vocabulary)
        self.solved = solved
        self._rescorer = Rescorer(model) if rescored else None
        self._telling = telling
        self._folder = Folder(telling)
        self._explainer = Explainer(model, telling)
        self._corrector = Corrector(model.vocabulary)
        self._index = Index(model)
        self._ages = Ages(model)
        self._anchors = CodeBlock(model.anchors, np.arange(len(model.anchors)), ())
        self._anchor_ages = Ages(model)
        self._threads = Threads(threads)

    def over(self, store: RankedTickets, solved: SolvedNow | None = None) -> "Recommender":
        """The same recommender over the tickets of another store, and with other solved queries if
        given. Nothing is loaded again."""
        other = copy(self)
        other.store, other.solved = store, solved or self.solved
        other.encode = QueryEncoder(self.model, store)
        return other

    def by_text(self) -> "Recommender":
        """The same recommender, but the time between query and ticket does not count."""
        other = copy(self)
        other.encode = QueryEncoder(self.model, self.store, timed=False)
        return other

    def derive(self) -> None:
        """Complete the index for codes that it does not cover yet, instead of at the next query."""
        self._index.complete(self.store.codes(self.model.id))

    def damaged_index(self) -> list[Path]:
        """Files of the index that cannot be used with the tickets' codes."""
        return self._index.damaged(self.store.codes(self.model.id))

    def rank(
        self, query: Query, filters: Filters = Filters(), limit: int = 10
    ) -> list[tuple[str, float]]:
        """The best tickets as (id, distance), see `Best.run`; ties are broken by id."""
        return self.best(self.compare(query, filters, max(limit, NEAREST), True), limit).run

    def compare(
        self,
        query: Query,
        filters: Filters = Filters(),
        limit: int | None = None,
        exhaustive: bool = False,
    ) -> Compared:
        """The distances from a query to all matching tickets. With a `limit`, a store may return
        only candidates for the nearest `limit`, and in a large archive an index selects the
        tickets that are compared, unless `exhaustive`."""
        encoded = self.encode(query, filters)
        solved = self.solved().nearest(encoded, self.model.layout)
        also = tickets_of(solved)
        if limit is None:
            whole = self.store.codes(self.model.id, filters)
        else:
            whole = self.store.candidates(self.model.id, encoded, filters, limit, also)
        block = whole
        if limit is not None and not exhaustive:
            block = self._index.near(whole, encoded, limit, self._threads, also)
        shared = self._index.shared(block, encoded, self._threads)
        compared = Compared(encoded, whole, block, self._scan(encoded, block, shared))
        return self.completed(query, compared, solved)

    def completed(
        self, query: Query, compared: Compared, solved: Iterable[SolvedQuery]
    ) -> Compared:
        """Completes distances by text, in place: adds the part of time, sets the ticket that asks
        to infinity, and brings tickets as near as the queries they `solved` (nearest first)."""
        encoded, block, distances = compared.query, compared.block, compared.distances
        if encoded.time:
            distances += self._ages.distances(block, encoded.time)
        own = block.place(query.ticket_id) if query.ticket_id else None
        if own is not None:
            distances[own] = np.inf
        nearer = bring_nearer(self.model, encoded, block, distances, solved, query.id)
        return replace(compared, solved=nearer)

    def best(self, compared: Compared, limit: int) -> Best:
        """The `limit` best of the tickets compared. A larger limit only appends tickets."""
        distances = compared.distances
        places = nearest(distances, max(limit, NEAREST))
        apart = distances[places]
        moves = unmoved(apart)
        if self._rescorer and len(places):
            rows = compared.rows(places[:NEAREST])
            moves = self._rescorer(compared.query, rows, apart)
        moves = moves.first(limit)
        return Best(compared, places[moves.order], apart[moves.order], moves)

    def nearest(
        self,
        query: Query,
        filters: Filters = Filters(),
        limit: int = NEAREST,
        exhaustive: bool = False,
    ) -> Nearest:
        """The `limit` best tickets for a query, with their chances; `limit` must be at least
        NEAREST. See `compare` for `exhaustive`."""
        compared = self.compare(query, filters, limit, exhaustive)
        encoded, best = compared.query, self.best(compared, limit)
        rows = compared.rows(best.places[:NEAREST])
        wording = wording_of(asked_terms(encoded), rows, self.model.layout, self.model.term_counts)
        typical = self._typical(encoded, best.distances)
        apart = best.distances.astype(np.float64)
        evidence = Evidence(best.moves.distances, apart, typical, wording)
        most = at_best(query, encoded, self._telling, wording)
        chances = self.model.calibration.chances(evidence, most)
        return Nearest(encoded, compared.whole, best, evidence, chances)

    def _typical(self, encoded: EncodedQuery, found: npt.NDArray[np.float32]) -> float:
        """The median distance from a query to the model's sample of the archive (its anchors). If
        it has none: the distance of the farthest ticket found."""
        distances = self._scan(encoded, self._anchors)
        if encoded.time:
            distances += self._anchor_ages.distances(self._anchors, encoded.time)
        known = np.sort(distances[np.isfinite(distances)])
        if len(known):
            middle = known[(len(known) - 1) // 2 : len(known) // 2 + 1]
            return float(middle.mean())  # np.median, in less time for so few
        return float(found.max()) if len(found) else 0.0

    def recommend(
        self,
        query: Query,
        filters: Filters = Filters(),
        limit: int = 10,
        exhaustive: bool = False,
    ) -> Recommendations:
        """The best tickets with scores and reasons, near-copies folded into `limit` rows.

        A ticket whose id is the query's subject comes first; if the query has no description, it is
        the only row. Such a ticket, or one judged YES for this very query, sets the chance of the
        answer to 1. A query of numbers and codes only is answered by the tickets that name them.
        See `compare` for `exhaustive`. Raises InputError for a blank query.
        """
        if not (query.subject.strip() or query.description.strip()):
            raise InputError("The query is blank: give a subject or a description.")
        near = max(2 * limit, NEAREST)
        found = self.nearest(query, filters, near, exhaustive)
        over = self.store, self.model, self._folder
        answer = AnswerRows(*over, query, filters, self._telling, self.solved)
        rows = answer.first(found, limit)
        by_name = answer.by_id or bool(answer.codes)
        if not by_name and len(rows) < limit and len(found.best.places) == near < FARTHEST:
            found = self.nearest(query, filters, FARTHEST, exhaustive)
            rows = answer.first(found, limit)
        every = [one for row in rows for one in (row.best, *row.like)]
        shown = {one.ticket.id for one in every}
        chance = found.chances.answered if rows else 0.0
        if any(one.by_id or one.settles(query) for one in every):
            chance = 1.0
        outlook = self.model.calibration.outlook(chance)
        if rows and answer.codes and outlook == Outlook.NOTHING:
            outlook = Outlook.POSSIBLE
        why_nothing = ""
        if outlook == Outlook.NOTHING:
            why_nothing = self._note(query, found, rows, answer.codes, filters)
        meant: dict[str, str] = {}
        if not (query.ticket_id or by_name):
            meant = self._corrector.meant(query.text, found.query.words)
        return Recommendations(
            query=query,
            bundle_id=self.model.id,
            items=self._explainer.explain(query, found.query, rows),
            outlook=outlook,
            chance=chance,
            note=why_nothing,
            named=tuple(answer.codes) if rows and not answer.by_id else (),
            searched=found.searched,
            meant=meant,
            typical=typical_parts(self.model, found.query, self._sample(found.whole)),
            outdated=answer.outdated,
            mentioned=tuple(id for id in answer.mentioned if id not in shown),
        )

    def _note(
        self,
        query: Query,
        found: Nearest,
        rows: Sequence[Row],
        codes: Sequence[str],
        filters: Filters,
    ) -> str:
        if codes and found.searched:
            return unnamed(codes)
        said = note(query, found, self._telling, rows, filters)
        somewhere = named_somewhere(self.store, query, filters)
        return f"{said} {named(somewhere)}" if somewhere else said

    def _sample(self, whole: CodeBlock) -> CodeBlock:
        """A sample of the matching tickets, to compare with: all of them, or the model's anchors if
        `whole` holds only near candidates."""
        return whole if whole.of is None else self._anchors

    def _scan(
        self,
        encoded: EncodedQuery,
        block: CodeBlock,
        shared: npt.NDArray[np.uint64] = NO_SUMS,
    ) -> npt.NDArray[np.float32]:
        """Distances by text from a query to a block's tickets: float32 [n]."""
        of_rows = block.codes, block.live
        return scan_distances(*of_rows, encoded, self.model.layout, self._threads, shared)
