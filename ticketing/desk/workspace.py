"""Rounds of judging: which queries and tickets to judge next, and the agreement of judges."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING

from ticketing.desk.asking import Asks
from ticketing.desk.judging import Judging, standing
from ticketing.errors import InputError, NotFound, NotReady
from ticketing.history import Asking
from ticketing.recommendations import Outlook
from ticketing.text import tokenize
from ticketing.tickets import Filters, Judgment, Query

if TYPE_CHECKING:
    from ticketing.evaluation.agreement import Agreement

SHOWN = 10
DRAWN = 60
"""Number of random queries from which the uncertain ones, or those where two bundles differ, are
chosen."""

MOST_POOLS = 1000
"""Number of queries whose ten best tickets are kept in memory, so that they stay the same during a
round."""


class Sampling(StrEnum):
    """How queries are chosen for judging: `random`: any queries; `uncertain`: those whose chance of
    an answer is nearest to one half; `different`: those whose ten best tickets differ most between
    two bundles."""

    RANDOM = "random"
    UNCERTAIN = "uncertain"
    DIFFERENT = "different"


@dataclass(frozen=True)
class Round:
    """Queries to judge, and the bundles whose ten best tickets are judged; `seed` shuffles the
    tickets."""

    queries: tuple[str, ...]
    bundles: tuple[str, ...]
    seed: int = 0


@dataclass(frozen=True)
class Pair:
    """A ticket to judge for a query, and this judge's present judgment."""

    query: Query
    ticket_id: str
    judged: Judgment | None


class Workspace(Asks, Judging):
    """Rounds of judging, and the agreement of judges."""

    def choose_round(
        self, sampling: Sampling, judge: str, size: int, seed: int, other: str = ""
    ) -> Round:
        """Choose queries of which this judge has not judged all tickets yet. A query without words
        is left out: one that is only a ticket's id, only numbers and codes, or only signs. The
        model does not read these.

        Chosen are random queries; those whose chance of an answer is nearest to one half (queries
        that nothing matches well come last); or those whose ten best tickets differ most between
        the serving bundle and `other`. Raises InputError if there are none or `other` is missing,
        NotFound, NotReady.
        """
        serving = self.recommender().model.id
        if sampling == Sampling.DIFFERENT and not other:
            raise InputError("Name the bundle to compare the serving one with.")
        bundles = (serving, other) if sampling == Sampling.DIFFERENT else (serving,)
        drawn = sorted(self.store.queries(), key=lambda query: _order(seed, query.id))
        tried = drawn if sampling == Sampling.RANDOM else drawn[:DRAWN]
        left: Iterable[Query] = (query for query in tried if self._is_left(query, bundles, judge))
        if sampling == Sampling.UNCERTAIN:
            left = self._most_uncertain_first(left, serving)
        elif sampling == Sampling.DIFFERENT:
            left = self._most_different_first(left, bundles)
        chosen = tuple(query.id for query in islice(left, size))
        if not chosen:
            raise InputError(
                "Of the queries drawn none is left to judge that way; begin again, choose another"
                " way, or ask something new."
            )
        return Round(chosen, bundles, seed)

    def _is_left(self, query: Query, bundles: tuple[str, ...], judge: str) -> bool:
        """Whether a query has tickets that a judge has not judged."""
        if not self._has_words(query):
            return False
        pairs = self._pairs(query, Round((query.id,), bundles), judge)
        return any(pair.judged is None for pair in pairs)

    def _has_words(self, query: Query) -> bool:
        """Whether a query consists of more than a ticket's id, numbers and codes, or signs."""
        from ticketing.retrieval.naming import is_an_id, names_in
        from ticketing.retrieval.verbatim import codes_alone
        from ticketing.text.telling import TellingWords

        by_id = is_an_id(query) and bool(self.store.get_tickets(names_in(query)))
        telling = TellingWords(self.recommender().model.vocabulary)
        return bool(tokenize(query.text)) and not (by_id or codes_alone(query, telling))

    def _most_uncertain_first(self, queries: Iterable[Query], serving: str) -> list[Query]:
        """Queries by the distance of their chance of an answer from one half; then those that
        nothing matches well."""
        answered = {
            asking.query.id: (asking.chance, asking.outlook)
            for asking in self.store.events(Asking)
            if asking.chance is not None
            and (asking.bundle_id, asking.filters, asking.groups)
            == (serving, Filters(), self.groups)
        }

        def place(query: Query) -> tuple[bool, float]:
            chance, outlook = answered.get(query.id) or self._expected(query)
            return outlook == Outlook.NOTHING, abs(chance - 0.5)

        return sorted(queries, key=place)

    def _most_different_first(
        self, queries: Iterable[Query], bundles: Sequence[str]
    ) -> list[Query]:
        """Queries by the overlap (Jaccard) of two bundles' ten best tickets; those with the same
        tickets are left out."""
        overlaps = {}
        for query in queries:
            one, other = (set(self.best_of(query, bundle)) for bundle in bundles)
            overlaps[query] = len(one & other) / max(len(one | other), 1)
        return sorted(
            (query for query in overlaps if overlaps[query] < 1), key=overlaps.__getitem__
        )

    def pairs(self, round_: Round, judge: str) -> list[Pair]:
        """All tickets to judge in a round, query by query, in shuffled order within a query.

        Raises NotFound for a query or bundle that is missing, NotReady for a bundle without codes,
        InputError for one that does not rank.
        """
        found = []
        for query_id in round_.queries:
            query = self.store.get_query(query_id)
            if query is None:
                raise NotFound(f"There is no query {query_id}; choose a new round.")
            found += self._pairs(query, round_, judge)
        return found

    def _pairs(self, query: Query, round_: Round, judge: str) -> list[Pair]:
        """The tickets to judge for one query of a round."""
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
        """Agreement of every two judges on the tickets that both judged."""
        from ticketing.evaluation.agreement import agreements

        return agreements(standing(self.store.judgments()))

    def _expected(self, query: Query) -> tuple[float, Outlook]:
        """The chance that a query is answered, and its outlook."""
        recommender = self.recommender()
        chance = recommender.nearest(query).chances.answered
        return chance, recommender.model.calibration.outlook(chance)

    def _pool(self, query: Query, bundles: Sequence[str]) -> list[str]:
        """The union of the ten best tickets of each bundle, as far as they still exist."""
        found: dict[str, None] = {}
        for bundle in bundles:
            found.update(dict.fromkeys(self.best_of(query, bundle)))
        return list(self.store.get_tickets(list(found)))

    def best_of(self, query: Query, bundle: str) -> tuple[str, ...]:
        """Ids of a bundle's ten best tickets for a query, best first. They are cached until one of
        them is deleted or hidden. Raises NotReady for a bundle without codes."""
        key = query.id, bundle, self.groups
        kept = self._pools.get(key)
        if not kept or len(self.store.matching_ids(kept)) < len(kept):
            recommender = self.recommender(bundle)
            if bundle not in {self.whole.serving(), *self.whole.bundles()}:
                raise NotReady(
                    f"No ticket is encoded with bundle {bundle}, or it was deleted; begin a round"
                    " with another one."
                )
            ranked = recommender.rank(query, limit=SHOWN)
            if len(self._pools) >= MOST_POOLS:
                self._pools.clear()
            kept = self._pools[key] = tuple(ticket_id for ticket_id, _ in ranked)
        return kept


def _order(seed: int, *names: str) -> bytes:
    """Sort key for a pseudo-random order that depends only on the seed."""
    return hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
