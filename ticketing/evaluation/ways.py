"""Ranks by one bundle in several ways (with and without time, by each channel alone), with one pass
over the codes per query."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from tqdm import tqdm

from ticketing.evaluation.runs import DEPTH, Ranked, Rankers, placed
from ticketing.model.inference import Model
from ticketing.retrieval.memory import searchable
from ticketing.retrieval.ranking import Compared
from ticketing.retrieval.recommend import Recommender
from ticketing.retrieval.scan import scan_distances
from ticketing.tickets import Filters, Label, Query, grades_of, queries_of

A = TypeVar("A")
B = TypeVar("B")

WITH_TIME, WITHOUT_TIME = "with time", "without time"
ALONE = "alone"


@dataclass(frozen=True)
class Way:
    """A named way to rank by a bundle: by all channels or by one `channel`, with or without time,
    rescored or by distance alone."""

    name: str
    about: str
    channel: str = ""
    timed: bool = False
    rescored: bool = False


def whole_ways(model: Model) -> list[Way]:
    """The bundle itself, and without time if time counts."""
    about = f"{'+'.join(model.settings.channels)} {model.settings.pairs} pairs"
    whole = f"bundle {model.id}"
    if not model.recency.weight:
        return [Way(whole, f"{about}, {WITHOUT_TIME}", rescored=True)]
    return [
        Way(whole, f"{about}, {WITH_TIME}", timed=True, rescored=True),
        Way(f"{whole} {WITHOUT_TIME}", about, rescored=True),
    ]


def part_ways(model: Model) -> list[Way]:
    """The bundle by distance alone, with (if time counts) and without time, and by each channel
    alone if there are several. A channel alone is without time."""
    name, about = f"distance {ALONE}", f"of bundle {model.id}"
    channels = model.settings.channels
    timed = [Way(name, f"{about}, {WITH_TIME}", timed=True)] if model.recency.weight else []
    return [
        *timed,
        Way(f"{name} {WITHOUT_TIME}", f"{about}, {WITHOUT_TIME}"),
        *(
            Way(f"{channel} {ALONE}", f"{about}, {WITHOUT_TIME}", channel)
            for channel in (channels if len(channels) > 1 else ())
        ),
    ]


def rank_ways(
    rankers: Rankers,
    ways: Sequence[Way],
    labels: Sequence[Label],
    seen: Callable[[], None] = lambda: None,
) -> list[Ranked]:
    """Rank all tickets for each labelled query in each way, with exactly the results of
    `runs.rank_labelled` with `rankers.recommender`. `seen` is called after each query."""
    queries, judged = queries_of(labels), grades_of(labels)
    filters = searchable(rankers.store, queries)
    by = {rescored: rankers.recommender(rescored=rescored) for rescored in (False, True)}
    runs: list[dict[str, list[tuple[str, float]]]] = [{} for _ in ways]
    places: list[dict[str, dict[str, tuple[int, float]]]] = [{} for _ in ways]
    compared_with = ahead(lambda query: _compare(by[True], query, filters[query.id], ways), queries)
    bar = tqdm(queries, desc=f"bundle {rankers.model.id}", unit="query", leave=False)
    for query, beside in zip(bar, compared_with, strict=True):
        for way, compared, run, found in zip(ways, beside, runs, places, strict=True):
            best = by[way.rescored].best(compared, DEPTH)
            run[query.id] = best.run
            found[query.id] = placed(compared, best, judged[query.id])
        seen()
    return [Ranked(run, found) for run, found in zip(runs, places, strict=True)]


def ahead(work: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
    """Map `work` over items; a second thread computes the next result while one is used."""
    with ThreadPoolExecutor(1) as thread:
        coming: Future[B] | None = None
        for item in items:
            done, coming = coming, thread.submit(work, item)
            if done:
                yield done.result()
        if coming:
            yield coming.result()


def _compare(
    recommender: Recommender, query: Query, filters: Filters, ways: Sequence[Way]
) -> list[Compared]:
    """Compare a query with all matching tickets, in each way."""
    model = recommender.model
    channels = model.settings.channels  # the sparse one is last
    encoded, block = recommender.encode(query, filters), recommender.store.codes(model.id, filters)
    alone = np.zeros((len(block.live), len(channels)), np.float32)
    apart = scan_distances(block.codes, block.live, encoded, model.layout, channels=alone)
    alone[np.isinf(apart)] = np.inf
    solved = recommender.solved().nearest(encoded, model.layout)
    untimed = replace(encoded, time=None)

    def of_way(way: Way) -> Compared:
        by = alone[:, channels.index(way.channel)] if way.channel else apart
        compared = Compared(encoded if way.timed else untimed, block, block, by.copy())
        return recommender.completed(query, compared, () if way.channel else solved)

    return [of_way(way) for way in ways]
