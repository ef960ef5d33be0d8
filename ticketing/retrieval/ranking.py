"""What a ranking is made of, step by step: tickets compared, the best of them, their chances."""

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
    """A query, the tickets it was compared with, of the `whole` that matched, and their distances
    float32 [n]: infinite for those that are not compared. Those at the places of `solved` are as
    near as a query that they solved, or solved the very query."""

    query: EncodedQuery
    whole: CodeBlock
    block: CodeBlock
    distances: npt.NDArray[np.float32]
    solved: Mapping[int, SolvedQuery] = field(default_factory=dict)

    def rows(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """The codes of tickets' texts that were nearest, by the tickets' places: uint8 [n,
        width]."""
        rows = np.array(self.block.codes[self.block.live[places]])
        for row, place in enumerate(places.tolist()):
            if place in self.solved:
                rows[row] = self.solved[place].code
        return rows


@dataclass(frozen=True)
class Best:
    """The best tickets of those compared, best first: their places in the block, what they are
    apart by distance alone, float32 [n], and how they moved from there."""

    compared: Compared
    places: npt.NDArray[np.int64]
    distances: npt.NDArray[np.float32]
    moves: Moves

    @property
    def block(self) -> CodeBlock:
        """The tickets that were compared."""
        return self.compared.block

    def solved(self, rank: int) -> Query | None:
        """The query that the ticket at a rank (from 0) solved, if that is nearer than its own
        text, or the very query."""
        found = self.compared.solved.get(int(self.places[rank]))
        return found.query if found else None

    def moved(self, rank: int, ahead: int | None) -> str:
        """See `Moves.said`. What moved a ticket that a query brought nearer is what that one says,
        not the ticket, so it is left out."""
        return self.moves.said(rank, ahead, with_why=self.solved(rank) is None)

    @cached_property
    def ids(self) -> list[str]:
        """The tickets' ids."""
        return self.ids_at(slice(None))

    def ids_at(self, ranks: slice) -> list[str]:
        """Ids of the tickets at these ranks (from 0)."""
        return ids_at(self.block.ids, self.places[ranks])

    def rank_of(self, ticket_id: str) -> int:
        """A ticket's rank, from 0; of one that is not among them how many there are."""
        return self.ids.index(ticket_id) if ticket_id in self.ids else len(self.ids)

    @property
    def run(self) -> list[tuple[str, float]]:
        """(ticket id, distance less what brings the ticket nearer), best first."""
        return list(zip(self.ids, self.moves.distances.tolist(), strict=True))


@dataclass(frozen=True)
class Nearest:
    """A query's best tickets of the `whole` that matched, what is known of them, and what that
    says."""

    query: EncodedQuery
    whole: CodeBlock
    best: Best
    evidence: Evidence
    chances: Chances

    @property
    def searched(self) -> int:
        """Among how many tickets the best were sought."""
        block = self.best.block
        return len(block.live) if block.of is None else block.of
