"""Results of the steps of a ranking: compared tickets, the best of them, and their chances."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ticketing.model.calibration import Chances, Evidence
from ticketing.queries import EncodedQuery
from ticketing.retrieval.rescoring import Moves
from ticketing.retrieval.solved import SolvedQuery
from ticketing.stores.blocks import CodeBlock, ids_at
from ticketing.tickets import Query


@dataclass(frozen=True)
class Compared:
    """A query, the tickets compared with it, and their distances float32 [n] (infinite for those
    that cannot be compared). `whole` are all tickets that match the filters. `solved` holds, by
    index, an earlier query that the ticket solved and that is nearer than the ticket, or the
    present query if the ticket solved it."""

    query: EncodedQuery
    whole: CodeBlock
    block: CodeBlock
    distances: npt.NDArray[np.float32]
    solved: Mapping[int, SolvedQuery] = field(default_factory=dict)

    def rows(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """The codes of the nearest text of each ticket (its own, or that of a solved query), by the
        tickets' indices: uint8 [n, width]."""
        rows = np.array(self.block.codes[self.block.live[places]])
        for row, place in enumerate(places.tolist()):
            if place in self.solved:
                rows[row] = self.solved[place].code
        return rows


@dataclass(frozen=True)
class Best:
    """The best of the compared tickets, best first: their indices in the block, their distances
    float32 [n], and how rescoring moved them."""

    compared: Compared
    places: npt.NDArray[np.int64]
    distances: npt.NDArray[np.float32]
    moves: Moves

    @property
    def block(self) -> CodeBlock:
        """The compared tickets."""
        return self.compared.block

    def solved(self, rank: int) -> Query | None:
        """The query that the ticket at a rank (from 0) solved, if it is nearer than the ticket's
        own text or is the present query."""
        found = self.compared.solved.get(int(self.places[rank]))
        return found.query if found else None

    def moved(self, rank: int, ahead: int | None) -> str:
        """See `Moves.said`. If a solved query brought the ticket nearer, the reasons are about that
        query's text and not the ticket's, so they are left out."""
        return self.moves.said(rank, ahead, with_why=self.solved(rank) is None)

    @cached_property
    def ids(self) -> list[str]:
        """Ids of the tickets."""
        return self.ids_at(slice(None))

    def ids_at(self, ranks: slice) -> list[str]:
        """Ids of the tickets at these ranks (from 0)."""
        return ids_at(self.block.ids, self.places[ranks])

    def rank_of(self, ticket_id: str) -> int:
        """A ticket's rank (from 0), or the number of tickets if it is not among them."""
        return self.ids.index(ticket_id) if ticket_id in self.ids else len(self.ids)

    @property
    def run(self) -> list[tuple[str, float]]:
        """(ticket id, distance after rescoring), best first."""
        return list(zip(self.ids, self.moves.distances.tolist(), strict=True))


@dataclass(frozen=True)
class Nearest:
    """The best tickets for a query, out of the `whole` that matched, with the evidence and the
    chances derived from it."""

    query: EncodedQuery
    whole: CodeBlock
    best: Best
    evidence: Evidence
    chances: Chances

    @property
    def searched(self) -> int:
        """Number of tickets searched."""
        block = self.best.block
        return len(block.live) if block.of is None else block.of
