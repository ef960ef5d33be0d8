"""`ticketing experiments gupta2018`: trained once, then only printed; what is lacking is said."""

import json
import shutil
from datetime import datetime
from itertools import pairwise

import pytest
from click.testing import CliRunner

from tests.commands import TINY_OPTIONS, judge, link, refused, run
from ticketing.desk import open_desk
from ticketing.errors import InputError
from ticketing.experiments.gupta2018.commands import feedback, labels, rows
from ticketing.settings import load_settings
from ticketing.tickets import Grade, Judgment, Query


@pytest.fixture
def desk(tmp_path, monkeypatch, trained, archive_tickets):
    """A desk filled and served by the tiny bundle."""
    home = tmp_path / "home"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TICKETING_HOME", str(home))
    home.mkdir()
    shutil.copytree(trained[0], home / "models")
    desk = open_desk(load_settings())
    desk.store.set_serving(trained[1])
    desk.put_tickets(archive_tickets)
    yield desk
    desk.close()


# rows ----------------------------------------------------------------------------


def test_rows_of_the_paper_are_trained_once_and_then_only_printed(desk):
    """A second run reads what the first has left, and prints the same."""
    judge(desk)
    lines = run(rows.command, "1,15,22", *TINY_OPTIONS).splitlines()
    said = [line for line in lines if line.startswith("Training ")]
    assert [line.split()[1] for line in said] == ["word", "#15", "#22"]
    assert any(line.endswith("* differs from #22 (p < 0.05)") for line in lines)
    assert "  h SUB1–SUB2; in-batch, without time" in [line[:37] for line in lines]
    assert run(rows.command, "1,15,22", *TINY_OPTIONS).splitlines() == [
        line for line in lines if line not in said
    ]
    assert len(desk.models.ids()) == 1  # the rows' bundles are none of the desk's


def test_rows_are_trained_on_nothing_that_is_measured(desk):
    judge(desk)
    since = sorted(ticket.created for ticket in desk.store.iter_tickets())[30].isoformat()
    query = Query("x", ticket_id=next(desk.store.iter_tickets()).id)
    time = datetime(2020, 1, 1)
    desk.store.add_judgments([Judgment("e", query, query.ticket_id, Grade.YES, "ann", time)])
    sentence = refused(InputError, rows.command, "15", "--before", since)
    assert "--since" in sentence
    assert "names no rows" in refused(InputError, rows.command, "23")


def test_the_label_curve_is_trained_once_and_then_only_printed(desk, tmp_path):
    judge(desk)
    page = tmp_path / "curve.html"
    arguments = ("--labels", "0,5", "--loss", "in-batch", *TINY_OPTIONS)
    lines = run(labels.command, *arguments, "--page", str(page)).splitlines()
    said = [line for line in lines if line.startswith("Training ")]
    assert [line.split(", ")[1] for line in said] == ["0 labels", "5 labels; 1 to go"]
    assert "<svg" in page.read_text()
    assert run(labels.command, *arguments).splitlines() == lines[2:-1]
    assert len(desk.models.ids()) == 1  # what is simulated never serves


def test_the_curves_figures_are_written_as_json(desk, tmp_path):
    judge(desk)
    file = tmp_path / "labels.json"
    arguments = ("--labels", "0,5", "--loss", "in-batch", *TINY_OPTIONS)
    printed = run(labels.command, *arguments, "--json", str(file))
    figures = json.loads(file.read_text())
    assert [(x["name"], x["labels"]) for x in figures] == [
        ("few-label loss", 0),
        ("few-label loss", 5),
        ("BM25", None),
    ]
    for found in figures:
        assert set(found) == {"name", "labels", "Acc@10", "MAP@10", "low", "high"}
        assert found["low"] <= found["Acc@10"] <= found["high"]
    [words] = [line for line in printed.splitlines() if line.startswith("BM25")]
    assert f"{figures[-1]['MAP@10']:.3f}" in words


def test_what_a_simulation_lacks_is_said(desk):
    assert "no test query is judged" in run(labels.command)
    assert "--since" in refused(InputError, labels.command, "--before", "2013-01-01")
    dates = ("--since", "2012-01-05", "--before", "2012-01-20")
    assert "no whole month" in refused(InputError, feedback.command, *dates)
    dates = ("--since", "2012-01-01", "--before", "2012-03-01")
    assert "import links" in refused(InputError, feedback.command, *dates)


def test_feedback_is_simulated_month_by_month(desk, tmp_path):
    tickets = sorted(desk.store.iter_tickets(), key=lambda ticket: ticket.created)
    for old, new in pairwise(tickets):
        link(desk, new, old)
    months = sorted({f"{ticket.created:%Y-%m}" for ticket in tickets})
    dates = ("--since", f"{months[1]}-01", "--before", f"{months[-1]}-01")
    arguments = (*dates, "--queries", "3", *TINY_OPTIONS)
    lines = run(feedback.command, *arguments).splitlines()
    rows = [line.split() for line in lines if line[:7] in months]
    assert [row[0] for row in rows[:1]] == months[1:2]
    assert all(sum(map(int, row[1:4])) <= 30 for row in rows)
    trained = sum(line.startswith("Training ") for line in lines)
    assert trained == 1 + 2 * len(rows)
    file = tmp_path / "feedback.json"
    again = run(feedback.command, *arguments, "--json", str(file)).splitlines()
    assert again[:-1] == lines[trained:]
    figures = json.loads(file.read_text())
    assert [x["month"] for x in figures] == [row[0] for row in rows for _ in range(5)]
    first = [x["Acc@10"] for x in figures if x["month"] == months[1]]
    assert ["–" if x is None else f"{x:.3f}" for x in first] == [
        rows[0][i] for i in (6, 4, 5, 7, 8)
    ]


@pytest.mark.parametrize("queries", ["0", "-5"])
def test_a_month_of_no_queries_is_refused_before_anything_is_trained(queries):
    dates = ["--since", "2012-01-01", "--before", "2012-03-01"]
    asked = CliRunner().invoke(feedback.command, [*dates, "--queries", queries])
    assert asked.exit_code == 2 and "--queries" in asked.stderr


def test_months_without_a_right_answer_after_them_are_refused(desk):
    tickets = sorted(desk.store.iter_tickets(), key=lambda ticket: ticket.created)
    link(desk, tickets[-1], tickets[0])
    last = f"{tickets[-1].created:%Y-%m}-01"
    following = datetime.fromisoformat(last).replace(year=tickets[-1].created.year + 1)
    dates = ("--since", last, "--before", following.isoformat())
    assert "with a YES" in refused(InputError, feedback.command, *dates)
