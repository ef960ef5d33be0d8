"""The rows of the paper's tables, rankings in memory, and two bundles side by side."""

import shutil
from copy import copy
from datetime import datetime

import numpy as np
import pytest
import torch

from tests.tiny import TINY, tiny_training
from ticketing.errors import InputError
from ticketing.evaluation.bundle_diff import Change, best_ranks, change_text, changes, first_line
from ticketing.evaluation.comparison import cells, measured, relatedness_text, retrieval_text
from ticketing.evaluation.indexed_words import IndexedWords
from ticketing.evaluation.measurement import Sample
from ticketing.evaluation.metrics import DEPTHS, recall_curve
from ticketing.evaluation.runs import Ranked, in_memory, rank_labelled, rank_peer
from ticketing.experiments.cache import TrainingCache
from ticketing.experiments.gupta2018 import row_models
from ticketing.experiments.gupta2018.row_models import RowModels, measure_rows, narrowed
from ticketing.experiments.gupta2018.rows import ROWS, choose_rows
from ticketing.model.components import ticket_fields, ticket_tokens
from ticketing.model.recency import Recency
from ticketing.model.registry import Registry
from ticketing.model.settings import PLAIN, NetworkSettings
from ticketing.retrieval.encode import QueryEncoder
from ticketing.retrieval.memory import TicketsInMemory, encoded
from ticketing.retrieval.recommend import Recommender
from ticketing.stores.blocks import CodeRow
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import Filters, Grade, Label, Query

YES, REL, NO = Grade.YES, Grade.REL, Grade.NO
ONE, TWO, DEFAULT_TIME = sorted(
    (Query("one"), Query("two"), Query("three")), key=lambda query: query.id
)


@pytest.fixture
def store(tmp_path, model, archive_tickets):
    store = SQLiteStore(tmp_path)
    store.put_tickets(archive_tickets)
    yield store
    store.close()


def put_codes(store, model, tickets):
    rows = model.encode_tickets(tickets)
    store.put_codes(
        model.id,
        [CodeRow(t.id, t.version, row.tobytes()) for t, row in zip(tickets, rows, strict=True)],
    )


# what the rows are ---------------------------------------------------------------


def test_the_table_has_22_rows_of_which_the_last_eight_are_trained():
    assert [row.number for row in ROWS] == list(range(1, 23))
    assert [row.number for row in ROWS if row.trained] == list(range(15, 23))
    assert {row.channels for row in ROWS[:10]} == {("T",)}
    assert {row.channels for row in ROWS[10:14]} == {("E",)}
    whole = NetworkSettings(channels=("h", "E", "T"), **PLAIN)
    assert whole.pair_weights() == [[0.3, 0.2, 0.1], [0.2, 0.3, 0.1]]
    assert ROWS[-1].settings(NetworkSettings()) == whole
    assert ROWS[-1].settings(NetworkSettings(pooling="last")).pooling == "last"
    assert len({row.about for row in ROWS}) == 22


def test_a_row_is_a_value_of_the_networks_settings():
    settings = ROWS[8].settings(TINY)
    assert (settings.query_components, settings.ticket_components) == (
        ("SUB1+DESC1",),
        ("SUB2+DESC2+SOL2",),
    )
    assert settings.dense_channels == ("T",)
    assert ROWS[8].about == "T SUB1+DESC1–SUB2+DESC2+SOL2"
    assert ROWS[18].settings(TINY).ticket_components == ("SUB2", "DESC2")
    assert ROWS[20].about == "h+E cross-level pairs"


def test_rows_are_chosen_by_number():
    assert choose_rows("all") == list(ROWS)
    assert [row.number for row in choose_rows("22, 3-5,4")] == [3, 4, 5, 22]


@pytest.mark.parametrize("text", ["0", "23", "1-", "5-3", "x", "", "1;2", "-1"])
def test_what_names_no_row_is_refused(text):
    with pytest.raises(InputError, match=r"^ROWS "):
        choose_rows(text)


# ranking without a store ---------------------------------------------------------


def test_memory_ranks_as_the_store_does(store, model, archive_tickets):
    put_codes(store, model, archive_tickets)
    stored = Recommender(store, model)
    dates = sorted(ticket.created for ticket in archive_tickets)
    for filters in (Filters(), Filters(created_before=dates[20])):
        for ticket in archive_tickets[::8]:
            query = Query(ticket.subject, ticket.description, ticket.id)
            expected = stored.rank(query, filters, 40)
            assert in_memory(store, model).recommender().rank(query, filters, 40) == expected
            fresh = Recommender(encoded(model, archive_tickets[::-1], "x"), model)
            assert fresh.rank(query, filters, 40) == expected


def test_tickets_without_codes_are_encoded_to_be_measured(store, model, archive_tickets):
    put_codes(store, model, archive_tickets[:3])
    query = Query(archive_tickets[9].subject)
    assert len(Recommender(store, model).rank(query, limit=99)) == 3
    assert len(in_memory(store, model).recommender().rank(query, limit=99)) == 40


def test_places_are_ranks_among_all_tickets(model, archive_tickets, archive_labels):
    recommender = Recommender(encoded(model, archive_tickets, "x"), model)
    ranked = rank_labelled(recommender, archive_labels, "x")
    query = archive_labels[0].query
    whole = recommender.rank(query, limit=40)
    compared = recommender.compare(query)
    apart = dict(zip(compared.block.ids, compared.distances.tolist(), strict=True))
    for label in archive_labels[:3]:
        rank, distance = ranked.places[query.id][label.ticket_id]
        assert whole[rank - 1][0] == label.ticket_id
        assert distance == apart[label.ticket_id]
    assert set(ranked.places[query.id]) == {x.ticket_id for x in archive_labels[:3]}


def test_words_place_what_they_find(archive_tickets):
    query = Query(archive_tickets[5].subject)
    words = IndexedWords(TicketsInMemory(archive_tickets))
    ranked = rank_peer(words, [Label(query, archive_tickets[5].id, YES)])
    assert ranked.places[query.id][archive_tickets[5].id][0] == 1


# models of rows ------------------------------------------------------------------


def alone(store, model, channel):
    return Recommender(store, model, encode=QueryEncoder(model, store, [channel]), rescored=False)


def test_channels_alone_add_up_to_the_distance(model, archive_tickets):
    store = encoded(model, archive_tickets, "x")
    query = Query(archive_tickets[3].subject, archive_tickets[7].description)
    whole = dict(Recommender(store, model, rescored=False).rank(query, limit=40))
    parts = [
        dict(alone(store, model, channel).rank(query, limit=40))
        for channel in model.settings.channels
    ]
    for id, distance in whole.items():
        assert sum(part[id] for part in parts) == pytest.approx(distance, rel=1e-5)


def test_a_channel_alone_knows_no_time(model, archive_tickets):
    store = encoded(model, archive_tickets, "x")
    ticket = archive_tickets[3]
    query = Query(ticket.subject, ticket.description, ticket.id)
    dated = copy(model)
    dated.recency = Recency(2.0, 1.0)
    assert Recommender(store, dated).rank(query) != Recommender(store, model).rank(query)
    for one in (dated, model):
        found = alone(store, one, "L").rank(query, limit=40)
        assert found == alone(store, model, "L").rank(query, limit=40)


def test_an_untrained_network_of_the_words_themselves_needs_no_vectors(model, archive_tickets):
    """Channel L alone: what a ticket's own text finds is that ticket, at V and W times nothing."""
    settings = NetworkSettings(
        **(model.settings.model_dump() | {"channels": ("L",), "pairs": "merged"})
    )
    settings = settings.model_copy(update={"merged_ticket": ("SUB2", "DESC2")})
    narrow = narrowed(model, settings, archive_tickets)
    assert (narrow.layout.dims, narrow.layout.terms) == ((), 32)
    recommender = Recommender(encoded(narrow, archive_tickets, "x"), narrow, rescored=False)
    for ticket in archive_tickets[::8]:
        best = recommender.rank(Query(ticket.subject, ticket.description), limit=40)
        assert (ticket.id, 0.0) in best and best[0][1] == 0
        assert all(0 <= distance <= 2 * 0.2 + 1e-6 for _, distance in best)


def test_an_untrained_row_is_the_distance_of_its_channel(model, archive_tickets):
    """Row 1 orders tickets by the Manhattan distance of subjects' topic vectors."""
    narrow = narrowed(model, ROWS[0].settings(model.settings), archive_tickets)
    query = Query(archive_tickets[3].subject)
    found = Recommender(encoded(narrow, archive_tickets, "x"), narrow).rank(query, limit=40)
    texts = [ticket_tokens(ticket_fields(ticket), narrow.settings)[0] for ticket in archive_tickets]
    ids = [model.vocabulary.ids(text) for text in [texts[3], *texts]]
    documents = model.topics.words.documents(ids)
    vectors = torch.from_numpy(model.topics.model.transform(documents)).double()
    exact = dict(
        zip(
            (ticket.id for ticket in archive_tickets),
            torch.cdist(vectors[:1], vectors[1:], p=1)[0].tolist(),
            strict=True,
        )
    )
    with torch.no_grad():
        weight = float(narrow.channel_weights[0] * narrow.pair_weights[0, 0])
    steps = TINY.topics * narrow.layout.steps[0]
    for id, distance in found:
        assert distance / weight == pytest.approx(exact[id], abs=1.1 * steps)


@pytest.fixture
def rows(tmp_path, archive_tickets, archive_labels):
    """RowModels over the small archive, with all that it said and trained."""
    from ticketing.training.train import train

    said, trained = [], []

    def learn(network, training):
        trained.append((network, training))
        models = Registry(tmp_path / "models")
        return train(
            archive_tickets, archive_labels, network, training, models, tmp_path / "checkpoints"
        )

    def make(**changes):
        arguments = {
            "trainings": TrainingCache(tmp_path, len(archive_tickets), said.append),
            "tickets": archive_tickets,
            "labels": archive_labels,
            "learned": "all",
            "network": TINY,
            "training": tiny_training(),
            "train": learn,
            "threads": 1,
        }
        return RowModels(**(arguments | changes))

    return make, said, trained


def test_untrained_rows_share_one_model_that_saw_no_example(rows):
    make, said, trained = rows
    models = make(training=tiny_training(teacher="installed"))
    assert models.ranked(ROWS[0]).run and models.ranked(ROWS[12]).run
    [(network, training)] = trained
    assert (network.channels, training.epochs, training.teacher) == (("E", "T"), 0, "")
    assert said == ["Training word vectors and topics."]


def test_what_is_ranked_once_is_read_again(rows, archive_labels):
    make, said, trained = rows
    first = make().ranked(ROWS[14], left=2)
    [sentence] = said
    assert sentence.startswith("Training #15 h SUB1–SUB2, the first of 2 on 40 tickets; ")
    assert make().ranked(ROWS[14]).run.keys() == first.run.keys()
    again = make().ranked(ROWS[14])
    assert len(trained) == 1
    assert again.places == {
        query: {id: list(place) for id, place in found.items()}
        for query, found in first.places.items()
    }
    lines = [measured("#15", "", found, archive_labels, []) for found in (first, again)]
    assert lines[0].values == lines[1].values and lines[0].related == lines[1].related


def test_other_queries_are_ranked_by_the_same_training(rows, archive_labels):
    make, _, trained = rows
    make().ranked(ROWS[14])
    make(labels=archive_labels[:3]).ranked(ROWS[14])
    assert len(trained) == 1
    make(learned="before 2013").ranked(ROWS[14])
    assert len(trained) == 2


def test_other_weights_in_the_teachers_folder_are_learned_from_and_ranked_anew(
    rows, encoder, tmp_path, trained, monkeypatch
):
    make, _, _ = rows
    shutil.copytree(trained[0], tmp_path / "models")
    trainings, rankings = [], []
    monkeypatch.setattr(row_models, "rank_labelled", lambda *_: rankings.append(1) or place({}))

    def learn(*settings):
        trainings.append(settings)
        return trained[1]

    def rank():
        make(training=tiny_training(teacher=str(encoder)), train=learn).ranked(ROWS[14])
        return len(trainings), len(rankings)

    assert [rank(), rank()] == [(1, 1), (1, 1)]
    (encoder / "model.safetensors").write_bytes(b"tuned anew")
    assert rank() == (2, 2)


def test_the_papers_rows_know_neither_time_nor_the_words_themselves(
    rows, monkeypatch, archive_tickets
):
    make, _, trained = rows
    labels = [Label(Query(t.subject, t.description, t.id), "", YES) for t in archive_tickets[9:12]]
    plain = make(labels=labels, learned="as if nothing had a date").ranked(ROWS[21])
    assert trained[0][0].channels == ("h", "E", "T")
    read = TrainingCache.model

    def dated(trainings, bundle):
        model = read(trainings, bundle)
        model.recency = Recency(2.0, 1.0)
        return model

    monkeypatch.setattr(TrainingCache, "model", dated)
    without, timed = (make(labels=labels).ranked(ROWS[21], time=time) for time in (False, True))
    assert without.run == plain.run != timed.run
    assert len(trained) == 2  # none for time alone


def test_a_row_with_time_stands_beside_the_papers(rows, archive_labels):
    make, _, _ = rows
    sample = Sample(archive_labels, [])
    lines = measure_rows([ROWS[0], ROWS[14]], make(), sample, time=True)
    assert [line.name for line in lines] == ["#1", "#15", "#15 with time"]
    assert [line.about.split(", ")[-1] for line in lines] == [
        "without time",
        "without time",
        "with time",
    ]
    fixed = make(training=tiny_training(weights="fixed"))
    assert [line.name for line in measure_rows([ROWS[14]], fixed, sample, time=True)] == ["#15"]


# lines ---------------------------------------------------------------------------


def place(run):
    return Ranked(run, {q: {id: (i, d) for i, (id, d) in enumerate(x, 1)} for q, x in run.items()})


def test_a_line_by_hand():
    """Of eight queries one ranker finds all first and the other none: p is 2 in 2 ** 8."""
    queries = [Query(f"q{i}") for i in range(8)]
    labels = [Label(query, "A", YES) for query in queries]
    good = measured("good", "h", place({q.id: [("A", 1.0)] for q in queries}), labels, [])
    poor = measured("poor", "E", place({q.id: [("B", 1.0)] for q in queries}), labels, [])
    best, worst = cells([good, poor], good)
    assert best["Acc@1"] == (1, 1, 1, 1)
    assert worst["Acc@1"][:3] == (0, 0, 0)
    assert worst["Acc@1"].p == pytest.approx(2 / 2**8, abs=0.005)
    text = retrieval_text([good, poor], [best, worst])
    assert text[0].split()[0] == "Acc@1"
    assert text[1].split()[:2] == ["good", "1.000"]
    assert text[3].split()[:2] == ["poor", "0.000*"]
    assert text[4].split()[:2] == ["E", "±0.000"]
    assert "Not measured (–): all labelled pairs have one grade" in relatedness_text([good])


def test_recall_by_hand():
    """Two YES at ranks 1 and 3 of four: a quarter is found first, half from the third on."""
    labels = [Label(ONE, id, YES) for id in "ABCD"]
    curve = recall_curve(labels, {ONE.id: [("A", 0.0), ("x", 0.0), ("B", 0.0)]})
    assert curve == pytest.approx([0.25, 0.25, *[0.5] * (len(DEPTHS) - 2)])


# two bundles ---------------------------------------------------------------------


def test_changes_by_hand():
    """ONE rises from 12 to 2, TWO falls from 1 to not found, THREE moves within the ten."""
    labels = [Label(query, "A", YES) for query in (ONE, TWO, DEFAULT_TIME)] + [Label(ONE, "B", REL)]
    one = Ranked({}, {ONE.id: {"A": (12, 1), "B": (1, 0)}, TWO.id: {"A": (1, 1)}} | third(4))
    other = Ranked({}, {ONE.id: {"A": (2, 1)}} | third(3))
    assert best_ranks(labels, one) == {ONE.id: 12, TWO.id: 1, DEFAULT_TIME.id: 4}
    found = changes(labels, one, other)
    assert found == [Change(ONE, 12, 2), Change(TWO, 1, None), Change(DEFAULT_TIME, 4, 3)]
    assert [change.kind for change in found] == ["gained", "lost", "unchanged"]
    text = change_text(found)
    assert text[0] == "1 gained, 1 lost, 1 unchanged"
    assert text[1].split() == ["gained", "12", "→", "2", ONE.subject]
    assert text[2].split() == ["lost", "1", "→", "–", TWO.subject]


def third(rank):
    return {DEFAULT_TIME.id: {"A": (rank, 1.0)}}


def test_the_best_of_several_right_tickets_counts():
    labels = [Label(ONE, "A", YES), Label(ONE, "B", YES), Label(ONE, "C", NO)]
    assert best_ranks(labels, Ranked({}, {ONE.id: {"A": (9, 1), "B": (4, 1), "C": (1, 1)}})) == {
        ONE.id: 4
    }


def test_a_query_is_named_by_one_line():
    assert first_line(Query("  pump\ntrips ")) == "pump trips"
    assert first_line(Query("", "no subject")) == "no subject"
    assert first_line(Query("x" * 99)) == "x" * 69 + "…"


def test_created_before_leaves_out_the_same_moment_and_the_undated(model, archive_tickets):
    from dataclasses import replace

    moment = datetime(2012, 5, 5)
    dated = [
        replace(archive_tickets[0], created=None),
        replace(archive_tickets[1], created=moment),
        replace(archive_tickets[2], created=datetime(2012, 5, 4)),
    ]
    block = encoded(model, dated, "x").codes(model.id, Filters(created_before=moment))
    assert list(block.ids) == [archive_tickets[2].id]
    assert block.live.dtype == np.int64
