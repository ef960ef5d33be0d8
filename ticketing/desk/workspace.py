"""Judging as work: which queries to judge next, which tickets of them, and how judges agree."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ticketing.desk.asking import Asks
from ticketing.desk.judging import Judging, standing
from ticketing.errors import InputError, NotFound
from ticketing.history import Asking
from ticketing.recommendations import Outlook
from ticketing.tickets import Filters, Judgment, Query

if TYPE_CHECKING:
    from ticketing.evaluation.agreement import Agreement

SHOWN = 10
DRAWN = 60
"""Queries looked at, at random, to find the uncertain ones or those where two bundles differ."""

MOST_POOLS = 1000
"""Kept in memory, so that the ten best of a round stay the same from ticket to ticket."""


class Sampling(StrEnum):
    """How queries are chosen to be judged."""

    RANDOM = "random"
    UNCERTAIN = "uncertain"
    DIFFERENT = "different"


@dataclass(frozen=True)
class Round:
    """Queries to judge and the bundles whose ten best are judged; `seed` shuffles the tickets."""

    queries: tuple[str, ...]
    bundles: tuple[str, ...]
    seed: int = 0


@dataclass(frozen=True)
class Pair:
    """A ticket to judge for a query, and what this judge thinks of it so far."""

    query: Query
    ticket_id: str
    judged: Judgment | None


class Workspace(Asks, Judging):
    """Rounds of judging, and the agreement of judges."""

    def choose_round(
        self, sampling: Sampling, judge: str, size: int, seed: int, other: str = ""
    ) -> Round:
        """Queries of which this judge has not judged all tickets yet; none that is a ticket's id,
        which asks for that ticket alone.

        Random ones, those whose chance of an answer is nearest to one half (last, those that
        nothing matches well), or those whose ten best differ most between the serving bundle and
        `other`. Raises InputError where there is none or `other` is missing, NotFound, NotReady.
        """
        serving = self.recommender().model.id
        if sampling == Sampling.DIFFERENT and not other:
            raise InputError("Name the bundle to compare the serving one with.")
        bundles = (serving, other) if sampling == Sampling.DIFFERENT else (serving,)
        drawn = sorted(self.store.queries(), key=lambda query: _order(seed, query.id))
        remembered = {
            asking.query.id: (asking.chance, asking.outlook)
            for asking in self.store.events(Asking)
            if asking.chance is not None
            and (asking.bundle_id, asking.filters, asking.groups)
            == (serving, Filters(), self.groups)
        }
        chosen: list[tuple[float, Query]] = []
        for query in drawn if sampling == Sampling.RANDOM else drawn[:DRAWN]:
            if sampling == Sampling.RANDOM and len(chosen) == size:
                break
            found = Round((query.id,), bundles, seed)
            if self._asks_by_id(query):
                continue
            if any(pair.judged is None for pair in self._pairs(query, found, judge)):
                worth = self._worth(query, sampling, bundles, remembered)
                if worth < 1:
                    chosen.append((worth, query))
        if not chosen:
            raise InputError(
                "Of the queries drawn none is left to judge that way; begin again, choose another"
                " way, or ask something new."
            )
        chosen.sort(key=lambda item: item[0])  # random ones are alike and stay as drawn
        return Round(tuple(query.id for _, query in chosen[:size]), bundles, seed)

    def pairs(self, round_: Round, judge: str) -> list[Pair]:
        """Everything to judge in a round, query by query, a query's tickets shuffled.

        Raises NotFound for a query or a bundle that is not here, InputError for one that does not
        rank.
        """
        found = []
        for query_id in round_.queries:
            query = self.store.get_query(query_id)
            if query is None:
                raise NotFound(f"There is no query {query_id}; choose a new round.")
            found += self._pairs(query, round_, judge)
        return found

    def _pairs(self, query: Query, round_: Round, judge: str) -> list[Pair]:
        """What there is to judge for one query of a round."""
        given = {
            ticket_id: judgment
            for ticket_id, judgments in self.judgments_of(query.id).items()
            for judgment in judgments
            if judgment.judge == judge
        }
        pool = self._pool(query, round_.bundles)
        pool = sorted(pool, key=lambda ticket_id: _order(round_.seed, query.id, ticket_id))
        return [Pair(query, ticket_id, given.get(ticket_id)) for ticket_id in pool]

    def agreements(self) -> list[Agreement]:
        """How far every two judges agree on what both judged."""
        from ticketing.evaluation.agreement import agreements

        return agreements(standing(self.store.judgments()))

    def _worth(
        self,
        query: Query,
        sampling: Sampling,
        bundles: Sequence[str],
        remembered: Mapping[str, tuple[float, Outlook]],
    ) -> float:
        """The less the sooner: how far the chance is from one half, and 1/2 more where nothing
        matches well; or the share of the ten best that two bundles have in common. It is 1 where
        nothing is to be learned. `remembered` are chances and outlooks by query id."""
        if sampling == Sampling.UNCERTAIN:
            chance, outlook = remembered.get(query.id) or self._expected(query)
            return abs(chance - 0.5) / 2 + (outlook == Outlook.NOTHING) / 2
        if sampling == Sampling.DIFFERENT:
            one, two = (set(self.best_of(query, bundle)) for bundle in bundles)
            return len(one & two) / max(len(one | two), 1)
        return 0.0

    def _asks_by_id(self, query: Query) -> bool:
        """Whether a query is nothing but the id of a ticket."""
        from ticketing.retrieval.naming import is_an_id, names_in

        return is_an_id(query) and bool(self.store.get_tickets(names_in(query)))

    def _expected(self, query: Query) -> tuple[float, Outlook]:
        """The chance of an answer, and what follows from it."""
        recommender = self.recommender()
        chance = recommender.nearest(query).chances.answered
        return chance, recommender.model.calibration.outlook(chance)

    def _pool(self, query: Query, bundles: Sequence[str]) -> list[str]:
        """The ten best tickets of each bundle together, those that are still there."""
        found: dict[str, None] = {}
        for bundle in bundles:
            found.update(dict.fromkeys(self.best_of(query, bundle)))
        return list(self.store.get_tickets(list(found)))

    def best_of(self, query: Query, bundle: str) -> tuple[str, ...]:
        """Ids of the ten best tickets for a query under a bundle, best first; kept until one of
        them goes or may no longer be seen."""
        key = query.id, bundle, self.groups
        kept = self._pools.get(key)
        if not kept or len(self.store.matching_ids(kept)) < len(kept):
            ranked = self.recommender(bundle).rank(query, limit=SHOWN)
            if len(self._pools) >= MOST_POOLS:
                self._pools.clear()
            kept = self._pools[key] = tuple(ticket_id for ticket_id, _ in ranked)
        return kept


def _order(seed: int, *names: str) -> bytes:
    """Where something comes in an order that depends on the seed alone."""
    return hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
