"""`ticketing evaluate`."""

from datetime import datetime

import pytest

from tests.commands import TINY_OPTIONS, judge, link, refused, run
from ticketing.cli import measuring
from ticketing.cli.model_settings import read_settings
from ticketing.errors import InputError, NotFound, NotReady
from ticketing.experiments.gupta2018.commands import labels, rows
from ticketing.labels import is_test
from ticketing.tickets import Grade, Judgment, Query
from worker.cli import evaluate

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize("option", ["", "--run", "--report"])
def test_nothing_to_measure_is_a_failure_and_writes_no_file(desk, tmp_path, option):
    file = [option, str(tmp_path / "out")] if option else []
    said = refused(NotReady, evaluate.command, *file)
    assert said.startswith("Nothing can be measured: no test query is judged.")
    assert not (tmp_path / "out").exists()


def test_labels_of_another_knowledge_base_are_not_measured(desk):
    sentence = "none of the judged tickets is in this knowledge base"
    judge(desk)
    desk.delete_tickets([ticket.id for ticket in desk.store.iter_tickets()])
    assert sentence in refused(NotReady, evaluate.command)


def test_test_queries_are_measured_beside_bm25(desk, trained, tmp_path):
    held = [query for query in judge(desk) if is_test(query.id)]
    assert held
    lines = run(evaluate.command, "--run", str(tmp_path / "run.txt")).splitlines()
    assert lines[0] == f"{len(held)} queries ({len(held)} with a YES), {len(held)} labels"
    assert ["Acc@1", "Acc@5"] in [line.split()[:2] for line in lines]
    names = [line.split()[0] for line in lines if "bundle " in line[:7] or line[:4] == "BM25"]
    assert names[:2] == ["bundle", "BM25"]
    [words] = [line for line in lines if line.startswith("BM25")]
    assert words.split()[3] == "1.000"  # BM25 finds a ticket by its own words
    written = (tmp_path / "run.txt").read_text().splitlines()
    assert {line.split()[0] for line in written} == {query.id for query in held}
    assert all(line.split()[5] == trained[1] for line in written)


def test_run_and_report_are_written_before_a_closed_pipe_ends_the_command(
    desk, trained, tmp_path, monkeypatch
):
    def closed(line):
        raise BrokenPipeError

    judge(desk)
    monkeypatch.setattr(measuring, "say", closed)
    files = [tmp_path / "run.txt", tmp_path / "report.html"]
    options = ["--run", str(files[0]), "--report", str(files[1])]
    refused(BrokenPipeError, evaluate.command, *options)
    assert all(file.stat().st_size for file in files)


@pytest.mark.parametrize("option", ["--run", "--report"])
def test_a_file_that_cannot_be_written_is_refused_before_the_work(desk, option):
    assert "is no plain file" in refused(InputError, evaluate.command, option, ".")


def test_dates_choose_queries_that_are_tickets(desk):
    tickets = sorted(desk.store.iter_tickets(), key=lambda ticket: ticket.created)
    query = Query(tickets[30].subject, ticket_id=tickets[30].id)
    judge(desk)
    desk.store.add_judgments(
        [Judgment("e", query, tickets[3].id, Grade.YES, "ann", datetime(2020, 1, 1))]
    )
    since = tickets[30].created.isoformat()
    lines = run(evaluate.command, "--since", since).splitlines()
    assert "1 query (1 with a YES), 1 label" in lines
    assert "Nothing can be measured" in refused(NotReady, evaluate.command, "--before", since)


@pytest.mark.parametrize(
    ("dates", "period"),
    [
        (["--since", "2999-01-01"], "from 2999-01-01 on"),
        (["--before", "1999-01-01"], "before 1999-01-01"),
        (
            ["--since", "1998-01-01", "--before", "1999-01-01T08:30"],
            "from 1998-01-01 on and before 1999-01-01 08:30:00",
        ),
    ],
)
def test_a_period_without_judged_queries_is_named(desk, dates, period):
    judge(desk)
    assert refused(NotReady, evaluate.command, *dates) == (
        f"Nothing can be measured: no judged query is a ticket created {period}; name another"
        " period, or import labels with `ticketing labels import`."
    )


@pytest.mark.parametrize("detach", [[], ["--detach"]])
def test_dates_that_exclude_each_other_are_refused(desk, detach):
    dates = ("--since", "2014-01-01", "--before", "2013-01-01")
    assert refused(InputError, evaluate.command, *dates, *detach) == (
        "--since 2014-01-01 and --before 2013-01-01 exclude each other; give an earlier --since."
    )


def test_an_unknown_bundle_to_measure_is_not_found(desk):
    judge(desk)
    assert "no bundle 'nowhere'" in refused(NotFound, evaluate.command, "--bundle", "nowhere")


def test_options_that_leave_one_another_nothing_to_choose_are_refused(desk, trained):
    judge(desk)
    both = ("--bundle", trained[1], "--compare", trained[1], trained[1])
    assert "leave out --bundle" in refused(InputError, evaluate.command, *both)
    dated = ("--demo", "--before", "2020-01-01")
    assert "leave out --since and --before" in refused(InputError, evaluate.command, *dated)
    for command in (evaluate.command, labels.command, rows.command):
        dated = ("--demo", "--since", "2020-01-01")
        assert "leave out --since and --before" in refused(InputError, command, *dated)


def test_two_bundles_are_compared_and_the_page_is_written(desk, trained, tmp_path):
    judge(desk)
    other = desk.train(*read_settings(None, tuple(o[6:] for o in TINY_OPTIONS)))
    page = tmp_path / "report.html"
    text = run(evaluate.command, "--compare", trained[1], other, "--report", str(page))
    assert " gained, " in text and " unchanged" in text
    lines = [line for line in text.splitlines() if line.startswith("bundle ")]
    assert [line.split()[1] for line in lines[:2]] == [trained[1], other]
    assert f"bundle {trained[1]} → bundle {other}" in page.read_text()


def test_a_bundle_that_has_seen_the_evaluated_period_is_named(desk, trained):
    judge(desk)
    tickets = sorted(desk.store.iter_tickets(), key=lambda ticket: ticket.created)
    since = tickets[30].created.isoformat()
    link(desk, tickets[30], tickets[3])
    seen = f"Bundle {trained[1]} has learned from tickets until {tickets[-1].created:%Y-%m-%d}"
    assert seen in run(evaluate.command, "--since", since)
    assert "has learned from tickets until" not in run(evaluate.command)
    settings = read_settings(None, tuple(o[6:] for o in TINY_OPTIONS))
    older = desk.train(*settings, before=tickets[30].created)
    assert "has learned" not in run(evaluate.command, "--since", since, "--bundle", older)
