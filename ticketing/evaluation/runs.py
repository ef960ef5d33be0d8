"""Rankings (runs) of labelled queries, by a model and by baselines."""

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from tqdm import tqdm

from ticketing.evaluation.metrics import Run
from ticketing.evaluation.peers import Peer
from ticketing.model.inference import Model
from ticketing.retrieval.encode import QueryEncoder
from ticketing.retrieval.memory import EncodedTickets, encoded, searchable
from ticketing.retrieval.ranking import Best, Compared
from ticketing.retrieval.recommend import Recommender
from ticketing.retrieval.scan import nearest
from ticketing.retrieval.solved import nothing_solved, solved_of
from ticketing.stores.protocols import TicketsWithCodes
from ticketing.tickets import Label, Query, grades_of, queries_of

DEPTH = 100


@dataclass(frozen=True)
class Ranked:
    """The rankings of labelled queries by one ranker.

    `run` holds the DEPTH nearest tickets. `places` holds, by query id and ticket id, rank (from 1,
    among all tickets) and distance of the labelled tickets that were found.
    """

    run: Run
    places: Mapping[str, Mapping[str, tuple[int, float]]]


def run_queries(recommender: Recommender, queries: Sequence[Query], depth: int = DEPTH) -> Run:
    """Rank each query with a model."""
    filters = searchable(recommender.store, queries)
    return {query.id: recommender.rank(query, filters[query.id], depth) for query in queries}


def run_peer(peer: Peer, queries: Sequence[Query], name: str = "BM25") -> Run:
    """Rank each query with a baseline. A distance is a negative score; `name` is shown beside the
    progress."""
    filters = searchable(peer.tickets, queries)
    run = {}
    for query in tqdm(queries, desc=name, unit="query", leave=False):
        ids, scores = peer.scores(query, filters[query.id])
        distances = np.where(scores > peer.least, -scores, np.inf)
        run[query.id] = [(ids[i], float(distances[i])) for i in nearest(distances, DEPTH)]
    return run


def rank_labelled(recommender: Recommender, labels: Sequence[Label], name: str) -> Ranked:
    """Rank all tickets for each labelled query; `name` is shown beside the progress."""
    queries, judged = queries_of(labels), grades_of(labels)
    filters = searchable(recommender.store, queries)
    run, places = {}, {}
    for query in tqdm(queries, desc=name, unit="query", leave=False):
        compared = recommender.compare(query, filters[query.id])
        best = recommender.best(compared, DEPTH)
        run[query.id] = best.run
        places[query.id] = placed(compared, best, judged[query.id])
    return Ranked(run, places)


def rank_peer(peer: Peer, labels: Sequence[Label], name: str = "BM25") -> Ranked:
    """The same with a baseline, to DEPTH."""
    run = run_peer(peer, queries_of(labels), name)
    judged = grades_of(labels)
    return Ranked(run, {id: places_of(found, judged[id]) for id, found in run.items()})


def places_of(
    found: Sequence[tuple[str, float]], judged: Container[str]
) -> dict[str, tuple[int, float]]:
    """Rank (from 1) and distance of the judged tickets among those found."""
    return {id: (rank, distance) for rank, (id, distance) in enumerate(found, 1) if id in judged}


def placed(compared: Compared, best: Best, judged: Collection[str]) -> dict[str, tuple[int, float]]:
    """Rank (from 1, among all tickets) and distance of the judged tickets, except those that cannot
    be compared. The `best` have their ranks after rescoring, others those by distance alone."""
    distances, places = compared.distances, {}
    for id in judged:
        own = compared.block.place(id)
        if own is not None and np.isfinite(distances[own]):
            distance = distances[own]
            nearer = (distances < distance).sum() + (distances[:own] == distance).sum()
            places[id] = (1 + int(nearer), float(distance))
    return places | places_of(list(zip(best.ids, best.distances.tolist(), strict=True)), judged)


class Rankers:
    """A model's rankers over one state of a store, so that all use the same tickets. A query is
    encoded once for all rankers. The queries of `solved` labels count as further texts of tickets;
    they must not include queries that are asked."""

    def __init__(self, model: Model, store: EncodedTickets, solved: Sequence[Label] = ()):
        self.model, self.store = model, store
        self._solved = solved_of(model, solved)
        self._read = cache(model.encode_query)

    def recommender(
        self, channels: Collection[str] | None = None, rescored: bool = True
    ) -> Recommender:
        """A recommender that ranks as the model does, or by some of its channels alone. In the
        latter case, time and solved queries are left out. With `rescored` False it ranks by
        distance alone."""
        encode = QueryEncoder(self.model, self.store, channels, self._read)
        whole = channels is None or {*channels} == {*self.model.settings.channels}
        solved = (lambda: self._solved) if whole else nothing_solved
        return Recommender(self.store, self.model, encode=encode, rescored=rescored, solved=solved)


def in_memory(store: TicketsWithCodes, model: Model, solved: Sequence[Label] = ()) -> Rankers:
    """The rankers of a model over an in-memory copy of a store; tickets without codes are encoded.
    A ticket added meanwhile is left out."""
    return Rankers(model, _with_codes(store, model), solved)


def _with_codes(store: TicketsWithCodes, model: Model) -> EncodedTickets:
    """A store's tickets with their codes; tickets without fresh codes are encoded."""
    tickets, stale = list(store.iter_tickets()), set(store.stale_ids(model.id))
    block = store.codes(model.id)
    coded = zip(block.ids, block.live.tolist(), strict=True)
    known = {id: row for id, row in coded if id not in stale}
    fresh = [ticket for ticket in tickets if ticket.id in known]
    lacking = [ticket for ticket in tickets if ticket.id not in known]
    rows = np.array([known[ticket.id] for ticket in fresh], np.int64)
    if not lacking:
        return EncodedTickets(fresh, block.codes, rows=rows)
    now = encoded(model, lacking, model.id)
    if not fresh:
        return now
    new = now.codes(model.id)
    return EncodedTickets(
        [*fresh, *lacking], np.concatenate([block.codes[rows], new.codes[new.live]])
    )
