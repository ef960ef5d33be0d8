"""Ranking against the number of labels: nested subsets, each trained once, one curve."""

import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import TINY, tiny_training
from ticketing.errors import InputError
from ticketing.evaluation.comparison import measured
from ticketing.evaluation.metrics import with_answers
from ticketing.evaluation.runs import Ranked
from ticketing.experiments.cache import TrainingCache
from ticketing.experiments.gupta2018.curves import label_page, label_text
from ticketing.experiments.gupta2018.label_curve import LabelCurve, read_counts, some_labels
from ticketing.tickets import Grade, Label, Query, queries_of

LABELS = [Label(Query(f"q{i % 7}"), f"T{i}", Grade.YES) for i in range(30)]


@given(st.permutations(LABELS), st.integers(0, 30), st.integers(0, 30), st.integers(0, 3))
def test_fewer_labels_are_among_more_ones_whatever_their_order(labels, one, other, seed):
    few, many = sorted((one, other))
    drawn = some_labels(labels, many, seed)
    assert len(drawn) == len(set(drawn)) == many
    assert drawn[:few] == some_labels(LABELS, few, seed)


def test_another_seed_draws_others():
    assert some_labels(LABELS, 10, seed=0) != some_labels(LABELS, 10, seed=1)


def test_counts_are_read_in_ascending_order_and_no_more_than_there_are():
    assert read_counts("0, 50,100,all", available=70) == [0, 50, 70]
    assert read_counts("all,0", available=0) == [0]


@pytest.mark.parametrize(
    "text", ["", "1,,2", "-1", "many", "1.5", pytest.param("9" * 5000, id="long")]
)
def test_what_is_no_number_of_labels_is_refused(text):
    with pytest.raises(InputError, match="--labels"):
        read_counts(text, 100)


@pytest.fixture
def curve(tmp_path, trained, archive_tickets, archive_labels):
    """Makes curves of one folder; every training gives the tiny bundle and is recorded."""
    shutil.copytree(trained[0], tmp_path / "models")
    said, trainings = [], []

    def train(network, training, labels):
        trainings.append((training.loss, training.epochs, len(labels)))
        return trained[1]

    def make(measured=archive_labels[:9], split="all", **settings):
        return LabelCurve(
            TrainingCache(tmp_path, len(archive_tickets), said.append),
            archive_tickets,
            measured,
            archive_labels[9:],
            split,
            {loss: (TINY, tiny_training(loss=loss, **settings)) for loss in ("mse", "in-batch")},
            train,
        )

    return make, trainings, said


def test_each_point_learns_from_so_many_labels(curve):
    """The paper's loss learns nothing without labels: its network is left untrained there."""
    make, trainings, said = curve
    points = make().points([0, 5, 63])
    assert [(point.loss, point.labels) for point in points] == [
        (loss, count) for loss in ("mse", "in-batch") for count in (0, 5, 63)
    ]
    assert trainings == [
        ("in-batch", 0, 0),
        ("mse", 1, 5),
        ("mse", 1, 63),
        ("in-batch", 1, 0),
        ("in-batch", 1, 5),
        ("in-batch", 1, 63),
    ]
    assert said[0].startswith("Training paper's loss, 0 labels, the first of 6 on 40 tickets")
    assert points[0].line.name == "paper's loss, 0 labels"


def test_a_curve_broken_off_goes_on_where_it_stopped(curve):
    make, trainings, _ = curve
    first = make().points([0, 5])
    assert len(trainings) == 4
    assert make().points([0, 5]) == first
    assert len(trainings) == 4
    make().points([0, 5, 10])
    assert trainings[4:] == [("mse", 1, 10), ("in-batch", 1, 10)]


def test_other_queries_are_ranked_by_the_same_trainings_and_another_split_by_others(
    curve, archive_labels
):
    make, trainings, _ = curve
    make().points([5])
    make(measured=archive_labels[:3]).points([5])
    assert len(trainings) == 2
    make(split="before 2013").points([5])
    assert len(trainings) == 4


def test_the_loss_that_imitates_a_teacher_learns_from_its_weights_as_they_are(curve, encoder):
    make, trainings, _ = curve
    mse, in_batch = ("mse", 1, 5), ("in-batch", 1, 5)
    make(teacher=str(encoder)).points([5])
    make(teacher=str(encoder)).points([5])
    assert trainings == [mse, in_batch]
    (encoder / "model.safetensors").write_bytes(b"tuned anew")
    make(teacher=str(encoder)).points([5])
    assert trainings == [mse, in_batch, in_batch]


def test_a_point_says_its_loss_and_whether_time_counts(curve):
    """Not how often the examples are passed over, which a teacher and few examples change."""
    make, _, _ = curve
    assert [point.line.about for point in make().points([5])] == [
        "mse, without time",
        "in-batch, with time",
    ]


def test_the_curve_is_printed_and_drawn_beside_bm25(curve, archive_labels):
    make, _, _ = curve
    labels = with_answers(archive_labels[:9])
    points = make().points([0, 5])
    nothing = Ranked({query.id: [] for query in queries_of(labels)}, {})
    words = measured("BM25", "words", nothing, labels)
    text = label_text(points, words)
    assert text[0].startswith("3 queries with a YES") and "differs from BM25" in text[0]
    assert text[2].startswith("paper's loss, 0 labels ")
    assert [line.split()[1] for line in text if line.startswith("BM25")] == ["0.000"]
    page = label_page(points, words, "Generated <data>.")
    assert "Generated &lt;data&gt;." in page and "few-label loss, 5 labels" in page
    assert page.count("<svg") == 1 and "http" not in page.split("<svg")[1]
    assert 'id="curves-' in page and "{{" not in page
