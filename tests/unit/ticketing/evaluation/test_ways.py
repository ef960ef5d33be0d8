"""Ways to rank by one bundle: one pass over the codes says what a pass for each would."""

import queue
from dataclasses import replace
from datetime import datetime

import pytest

from ticketing.evaluation.runs import Rankers, rank_labelled
from ticketing.evaluation.ways import ahead, part_ways, rank_ways, whole_ways
from ticketing.model.recency import Recency
from ticketing.retrieval.memory import encoded
from ticketing.tickets import Grade, Label, Query


@pytest.fixture(scope="module")
def rankers(model, archive_tickets):
    """Of a bundle with time, over the archive and a ticket without a word."""
    model.recency = Recency(0.5, 3.0)
    wordless = replace(archive_tickets[0], id="zero", subject="-", description="", solution="")
    return Rankers(model, encoded(model, [*archive_tickets, wordless], "x"))


@pytest.fixture(scope="module")
def labels(archive_labels, archive_tickets):
    """The labels; a ticket, its own query; a query and a ticket that cannot be compared."""
    own = replace(archive_tickets[7], created=datetime(2099, 1, 1))
    asked = Query(own.subject, own.description, own.id)
    return [
        *archive_labels,
        Label(asked, own.id, Grade.YES),
        Label(asked, archive_tickets[2].id, Grade.YES),
        Label(Query("pump"), "zero", Grade.NO),
        Label(Query("-"), archive_tickets[3].id, Grade.REL),
    ]


def test_one_pass_ranks_as_one_for_each_way(rankers, labels):
    model = rankers.model
    ways = whole_ways(model) + part_ways(model)
    assert len(ways) == 4 + len(model.settings.channels)
    for way, ranked in zip(ways, rank_ways(rankers, ways, labels), strict=True):
        channels = [way.channel] if way.channel else model.settings.channels
        recommender = rankers.recommender(None if way.timed else channels, way.rescored)
        assert ranked == rank_labelled(recommender, labels, way.name), way


def test_what_other_queries_solved_counts_in_each_way_of_the_whole(rankers, labels):
    model, asked = rankers.model, labels[0].query
    typed = Label(Query(asked.subject), rankers.store.ids[5], Grade.YES)
    knowing = Rankers(model, rankers.store, [typed])
    ways = whole_ways(model) + part_ways(model)
    own = rank_ways(rankers, ways, labels)
    for way, ranked, before in zip(ways, rank_ways(knowing, ways, labels), own, strict=True):
        channels = [way.channel] if way.channel else model.settings.channels
        recommender = knowing.recommender(None if way.timed else channels, way.rescored)
        assert ranked == rank_labelled(recommender, labels, way.name), way
        assert (ranked == before) == bool(way.channel)


def test_a_bundle_that_knows_no_time_has_no_way_without(rankers, monkeypatch):
    monkeypatch.setattr(rankers.model, "recency", Recency())
    names = [way.name for way in whole_ways(rankers.model) + part_ways(rankers.model)]
    channels = [f"{channel} alone" for channel in rankers.model.settings.channels]
    bundle = f"bundle {rankers.model.id}"
    assert names == [bundle, "distance alone without time", *channels]


def test_the_next_is_worked_on_while_one_is_used_and_no_further_one():
    begun: queue.Queue[int] = queue.Queue()

    def work(item: int) -> int:
        begun.put(item)
        return 10 // item

    results = ahead(work, [5, 2, 1, 0])
    assert next(results) == 2
    assert [begun.get(timeout=9), begun.get(timeout=9)] == [5, 2]
    assert begun.empty()
    assert [next(results), next(results)] == [5, 10]
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert list(ahead(work, [])) == []
