"""Why a right ticket ranked low: the part of its distance that differs most from that of the top
ticket."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ticketing.evaluation.bundle_diff import best_ranks
from ticketing.evaluation.runs import Ranked
from ticketing.reasons import Part
from ticketing.retrieval.memory import searchable
from ticketing.retrieval.parts import parts_of
from ticketing.retrieval.recommend import Recommender
from ticketing.tickets import Filters, Grade, Label, Query, Ticket, grades_of, queries_of

WORST = 20
RANKED_FIRST = "ranked first"


@dataclass(frozen=True)
class Push:
    """A part of the distance (pair and channel), and how much larger it is than that of the top
    ticket."""

    channel: str
    query_component: str
    ticket_component: str
    more: float


@dataclass(frozen=True)
class Miss:
    """A query whose right ticket was not first; rank and push are None if it was not found.

    `apart` is the difference of the right and the top ticket's distances, before rescoring, which
    is the sum over their parts.
    """

    query: Query
    right: Ticket
    rank: int | None
    top: Ticket | None
    push: Push | None
    apart: float = 0.0


def worst_queries(recommender: Recommender, labels: Sequence[Label], ranked: Ranked) -> list[Miss]:
    """The WORST queries whose best YES ranks lowest, those not found at all first."""
    ranks = best_ranks(labels, ranked)
    missed = [query for query in queries_of(labels) if ranks.get(query.id, 1) != 1]
    missed = sorted(missed, key=lambda query: (-(ranks[query.id] or np.inf), query.id))[:WORST]
    judged = grades_of(labels)
    filters = searchable(recommender.store, missed)
    found = []
    for query in missed:
        places = ranked.places.get(query.id, {})
        yes = [id for id, grade in judged[query.id].items() if grade == Grade.YES]
        right = min(yes, key=lambda id: places.get(id, (np.inf, np.inf)))
        top = ranked.run[query.id][0][0] if ranked.run.get(query.id) else ""
        tickets = recommender.store.get_tickets([right, top])
        if right in tickets:
            push, apart = None, 0.0
            if ranks[query.id]:
                by_ticket = parts_by_ticket(recommender, query, filters[query.id], [right, top])
                push = largest_push(by_ticket[right], by_ticket[top])
                apart = distance_of(by_ticket[right]) - distance_of(by_ticket[top])
            rank = ranks[query.id]
            found.append(Miss(query, tickets[right], rank, tickets.get(top), push, apart))
    return found


def parts_by_ticket(
    recommender: Recommender, query: Query, filters: Filters, ids: Sequence[str]
) -> dict[str, tuple[Part, ...]]:
    """All parts of the distances of tickets that can be found, for the nearest text of each: its
    own, or a query that it solved."""
    compared = recommender.compare(query, filters)
    places = [bisect_left(compared.block.ids, id) for id in ids]
    codes = compared.rows(np.array(places, np.int64))
    return dict(zip(ids, parts_of(recommender.model, compared.query, codes), strict=True))


def distance_of(parts: Sequence[Part]) -> float:
    """The distance: the sum of its parts."""
    return sum(part.distance for part in parts)


def largest_push(right: Sequence[Part], top: Sequence[Part]) -> Push:
    """The part of the right ticket that exceeds the same part of the top ticket most; a missing
    pair counts as 0."""
    more: defaultdict[tuple[str, str, str], float] = defaultdict(float)
    for parts, sign in ((right, 1), (top, -1)):
        for part in parts:
            more[part.channel, part.query_component, part.ticket_component] += sign * part.distance
    name = max(sorted(more), key=lambda name: more[name])
    return Push(*name, more[name])


def channel_means(
    recommender: Recommender, labels: Sequence[Label], ranked: Ranked
) -> dict[str, dict[str, float]]:
    """Mean distance by channel of the labelled pairs of each grade, and of the tickets ranked
    first; kinds without pairs are absent."""
    queries, judged = queries_of(labels), grades_of(labels)
    filters = searchable(recommender.store, queries)
    sums: defaultdict[str, list[defaultdict[str, float]]] = defaultdict(list)
    for query in queries:
        kinds = [(judged[query.id][id].name, id) for id in ranked.places.get(query.id, {})]
        kinds += [(RANKED_FIRST, id) for id, _ in ranked.run.get(query.id, ())[:1]]
        tickets = [id for _, id in kinds]
        by_ticket = parts_by_ticket(recommender, query, filters[query.id], tickets)
        for kind, id in kinds:
            by_channel: defaultdict[str, float] = defaultdict(float)
            for part in by_ticket[id]:
                by_channel[part.channel] += part.distance
            sums[kind].append(by_channel)
    channels = list(dict.fromkeys(name for some in sums.values() for x in some for name in x))
    return {
        kind: {name: float(np.mean([x[name] for x in sums[kind]])) for name in channels}
        for kind in (RANKED_FIRST, *(grade.name for grade in reversed(Grade)))
        if sums[kind]
    }
