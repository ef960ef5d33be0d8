"""A desk that judges its proposals: what training may see, what is promoted, what is measured."""

import shutil
from dataclasses import replace
from datetime import datetime

import pytest

from tests.tiny import TINY, tiny_training
from ticketing.evaluation.promotion import Comparison
from ticketing.experiments.cache import TrainingCache
from ticketing.experiments.gupta2018 import feedback
from ticketing.experiments.gupta2018.curves import feedback_page, feedback_text, month_rows
from ticketing.experiments.gupta2018.feedback import (
    FeedbackSimulation,
    Month,
    judge_shown,
    pooled_lines,
    whole_months,
)
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import Grade, Label, Query

YES, REL, NO = Grade.YES, Grade.REL, Grade.NO
JANUARY = Month(datetime(2012, 1, 1), datetime(2012, 2, 1))
FEBRUARY = Month(datetime(2012, 2, 1), datetime(2012, 3, 1))


def test_months_are_whole():
    assert whole_months(datetime(2011, 12, 2), datetime(2012, 3, 1)) == [JANUARY, FEBRUARY]
    assert whole_months(datetime(2011, 12, 1), datetime(2012, 1, 31)) == [
        Month(datetime(2011, 12, 1), datetime(2012, 1, 1))
    ]
    assert whole_months(datetime(2012, 1, 2), datetime(2012, 2, 28)) == []


def test_only_what_is_shown_is_judged_and_what_has_no_link_is_a_no():
    query = Query("pump")
    run = {query.id: [(f"T{i}", float(i)) for i in range(12)]}
    judged = judge_shown(query, run, {"T1": YES, "T9": REL, "T10": YES, "T99": YES})
    assert [label.ticket_id for label in judged] == [f"T{i}" for i in range(10)]
    assert {x.ticket_id: x.grade for x in judged if x.grade} == {"T1": YES, "T9": REL}


@pytest.fixture
def dated(archive_tickets):
    """Ten tickets of 2011, then ten in each of three months of 2012."""
    return [
        replace(ticket, created=datetime(2011 + (i >= 10), max(i // 10, 1), 1 + i % 10))
        for i, ticket in enumerate(archive_tickets)
    ]


@pytest.fixture
def links(dated):
    """Each ticket of 2012 is a duplicate of the one ten before it."""
    return [
        Label(Query(new.subject, new.description, new.id), old.id, YES)
        for old, new in zip(dated, dated[10:], strict=False)
    ]


@pytest.fixture
def simulate(tmp_path, trained, dated, links):
    """Runs the simulation with trainings that are recorded and all give the tiny bundle."""
    shutil.copytree(trained[0], tmp_path / "evaluation" / "models")
    store = SQLiteStore(tmp_path)
    store.put_tickets(dated)
    trainings = []

    def train(network, training, before, labels):
        trainings.append((before, labels))
        return trained[1]

    def run(
        months=(JANUARY, FEBRUARY), queries=8, test=lambda id: int(id, 16) % 2 == 0, **settings
    ):
        simulation = FeedbackSimulation(
            TrainingCache(tmp_path / "evaluation", len(dated), lambda sentence: None),
            store,
            links,
            TINY,
            tiny_training(**settings),
            train,
            test,
            queries,
        )
        return simulation.run(months)

    yield run, trainings
    store.close()


def test_training_sees_the_judgments_so_far_and_the_text_of_its_time(simulate, dated):
    run, trainings = simulate
    january, february = run()
    first, *rest = trainings
    assert first == (JANUARY.start, [])
    assert [before for before, _ in rest] == [JANUARY.end, JANUARY.end, FEBRUARY.end, FEBRUARY.end]
    learned = [label for label in january.judged if int(label.query.id, 16) % 2]
    assert rest[0][1] == learned and rest[1][1] == []
    assert rest[2][1][: len(learned)] == learned and rest[3][1] == []
    assert 0 < len(learned) < len(january.judged)
    created = {ticket.id: ticket.created for ticket in dated}
    for month in (january, february):
        assert len({label.query.id for label in month.judged}) == 8
        assert all(
            month.month.start <= created[x.query.ticket_id] < month.month.end
            and created[x.ticket_id] < created[x.query.ticket_id]
            for x in month.judged
        )


def test_a_link_that_was_not_shown_is_never_learned(simulate, links, monkeypatch):
    """Of right tickets the desk is shown none: all that it learns are NOs."""
    right = {(label.query.id, label.ticket_id) for label in links}
    whole = feedback.run_queries

    def hide(recommender, queries, depth=100):
        found = whole(recommender, queries, depth)
        return {q: [x for x in run if (q, x[0]) not in right] for q, run in found.items()}

    monkeypatch.setattr(feedback, "run_queries", hide)
    run, trainings = simulate
    run()
    assert any(labels for _, labels in trainings)
    assert all(label.grade == NO for _, labels in trainings for label in labels)


def test_the_next_months_queries_are_measured_by_all(simulate, dated):
    run, _ = simulate
    january, february = run()
    march = {ticket.id for ticket in dated[30:]}
    assert {label.query.ticket_id for label in february.measured} == march
    assert set(january.runs) == {"desk", "served", "candidate", "no feedback", "BM25"}
    for found in february.runs.values():
        assert set(found) == {label.query.id for label in february.measured}
    assert [line.name for line in pooled_lines([january, february])] == list(january.runs)
    assert len(pooled_lines([january, february])[0].values["Acc@10"]) == 20


def test_what_is_worse_on_test_judgments_does_not_serve(simulate, monkeypatch):
    asked = []

    def worse(new, serving, test):
        asked.append([label.query.id for label in test])
        return Comparison(5, {"Acc@10": 0.0, "MAP@10": 0.0}, {"Acc@10": 1.0, "MAP@10": 1.0}, 0.06)

    monkeypatch.setattr(feedback, "compare", worse)
    run, _ = simulate
    january, february = run()
    assert not january.promoted and not february.promoted
    assert january.why.startswith("on 5 test queries Acc@10 0.000 against 1.000")
    assert all(int(id, 16) % 2 == 0 for ids in asked for id in ids)
    assert set(asked[0]) < set(asked[1])


def test_a_simulation_broken_off_goes_on_where_it_stopped(simulate):
    run, trainings = simulate
    [first] = run([JANUARY])
    assert len(trainings) == 3
    january, _ = run()
    assert january == first
    assert len(trainings) == 5
    run()
    assert len(trainings) == 5


def test_a_month_learns_from_the_weights_that_its_teacher_has_now(simulate, encoder):
    run, trainings = simulate
    run([JANUARY], teacher=str(encoder))
    run([JANUARY], teacher=str(encoder))
    assert len(trainings) == 3
    (encoder / "model.safetensors").write_bytes(b"tuned anew")
    run([JANUARY], teacher=str(encoder))
    assert len(trainings) == 6


def test_months_are_printed_and_drawn(simulate):
    run, _ = simulate
    months = run()
    head, january, _ = month_rows(months)
    row = dict(zip(head, january, strict=True))
    assert (row["month"], row["queries"], row["promoted"]) == ("2012-01", "10", "yes")
    assert sum(int(row[grade]) for grade in ("YES", "REL", "NO")) == len(months[0].judged)
    assert float(row["desk"]) == pytest.approx(months[0].accuracy("candidate"), abs=5e-4)
    text = feedback_text(months)
    assert text[1].split()[0] == "2012-01"
    assert any(line.startswith("20 queries with a YES") for line in text)
    page = feedback_page(months)
    assert "2012-02" in page and "All months together" in page and page.count("<svg") == 1
