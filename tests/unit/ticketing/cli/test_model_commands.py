"""The commands around models and measuring: what they print, one sentence an error."""

import json
import shutil
import sys
from datetime import datetime

import pytest
from click.testing import CliRunner

from tests.commands import TINY_OPTIONS, judge, link, refused, run
from tests.tiny import other_bundle
from ticketing.cli import evaluate, main, models, recommend
from ticketing.cli.model_settings import read_settings
from ticketing.desk import open_desk
from ticketing.errors import InputError, NotFound, NotReady, StoreError, TicketingError
from ticketing.labels import is_test
from ticketing.model.settings import NetworkSettings
from ticketing.settings import load_settings
from ticketing.tickets import Grade, Judgment, ModelKind, Query, Ticket
from ticketing.training.settings import TrainingSettings
from worker.cli import train


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def desk(home, trained, archive_tickets):
    """A desk of the home, filled and served by the tiny bundle."""
    home.mkdir()
    shutil.copytree(trained[0], home / "models")
    desk = open_desk(load_settings())
    desk.store.set_serving(trained[1])
    desk.put_tickets(archive_tickets)
    yield desk
    desk.close()


# settings ------------------------------------------------------------------------


def test_settings_come_from_toml_with_options_on_top(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('[network]\nhidden = 7\nchannels = ["h", "E"]\n[training]\nepochs = 9\n')
    overrides = ("network.hidden=8", "network.pairs=merged", 'training.optimizer="adadelta"')
    network, training = read_settings(file, overrides)
    assert (network.hidden, network.channels, network.pairs) == (8, ("h", "E"), "merged")
    assert (training.epochs, training.optimizer) == (9, "adadelta")
    assert read_settings(None) == (NetworkSettings(), TrainingSettings())


def test_the_loss_of_the_paper_brings_its_other_settings():
    assert read_settings(None, ("training.loss=mse",))[1] == TrainingSettings.for_loss(loss="mse")


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("network.hidden=-1", "network.hidden=-1"),
        ("network.hidden.x=1", "network.hidden={'x': 1}"),
        ("network.hidden=many", "network.hidden='many'"),
        ("training.optimizer=sgd", "training.optimizer='sgd'"),
        ("network.depth=2", "network.depth=2"),
        ("network.channels=[]", "network.channels"),
        ('network.channels=["h", "Q"]', "network.channels.1='Q'"),
        ('network.merged_query=["SOL2"]', "network.merged_query.0='SOL2'"),
        ("epochs=2", "--set epochs=2: write it as"),
        ("training.epochs", "--set training.epochs: write it as"),
        ("serving.threads=2", "--set serving.threads=2: write it as"),
    ],
)
def test_a_wrong_setting_is_named(override, sentence):
    assert sentence in refused(InputError, train.command, "--set", override)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[netwrok]\nhidden = 3\n", "netwrok is neither"),
        ("hidden = 3\n", "hidden is neither"),
        ("network = 3\n", "network is neither"),
        ("[network\n", "is not TOML"),
        ("[training]\nepochs = -2\n", "training.epochs=-2"),
    ],
)
def test_a_wrong_settings_file_is_named(tmp_path, text, sentence):
    file = tmp_path / "settings.toml"
    file.write_text(text)
    assert sentence in refused(InputError, train.command, "--settings", str(file))
    assert refused(InputError, train.command, "--settings", str(file), "--set=network.hidden=3")


def test_a_settings_file_that_is_missing_or_no_text_is_named(tmp_path):
    assert "nowhere.toml cannot be read" in refused(
        InputError, train.command, "--settings", str(tmp_path / "nowhere.toml")
    )
    (tmp_path / "settings.toml").write_bytes(b"\xff\xfe\x00")
    assert "settings.toml is not TOML" in refused(
        InputError, train.command, "--settings", str(tmp_path / "settings.toml")
    )


# train ---------------------------------------------------------------------------


def test_training_needs_tickets(home):
    assert "no tickets" in refused(InputError, train.command)


def test_a_trained_bundle_is_encoded_and_serves(desk, trained):
    told = run(train.command, *TINY_OPTIONS)
    [new] = set(desk.models.ids()) - {trained[1]}
    assert f"Bundle {new} serves now" in told
    assert desk.store.serving() == new
    assert desk.store.count_codes(new) == 40


def test_an_experiments_bundle_does_not_serve(desk, trained):
    told = run(train.command, "--no-promote", *TINY_OPTIONS)
    [new] = set(desk.models.ids()) - {trained[1]}
    assert f"Bundle {new} is trained" in told
    assert desk.store.serving() == trained[1]
    data = desk.models.manifest(new)["data"]
    assert data["tickets"] == 40


def test_a_date_that_is_none_is_refused():
    result = CliRunner().invoke(train.command, ["--before", "soon"])
    assert result.exit_code == 2
    assert "'soon' is no date" in result.output


# models --------------------------------------------------------------------------


def test_no_bundles_are_said_to_be_none(home):
    assert "no bundles yet" in run(models.command, "list")


def test_the_list_marks_what_serves_and_says_what_it_learned_from(desk, trained):
    [line] = run(models.command, "list").splitlines()
    assert line.startswith(f"* {trained[1]}")
    assert "40 tickets, 72 labels, loss in-batch, cross-level, h+E+T" in line


@pytest.mark.parametrize("command", ["compare", "promote", "delete"])
def test_an_unknown_bundle_is_not_found(desk, command):
    assert "no bundle 'nowhere'" in refused(NotFound, models.command, command, "nowhere")


def test_comparing_needs_something_to_compare_with(home):
    assert "name the other" in refused(InputError, models.command, "compare", "nowhere")


def test_nothing_to_compare_on_is_said(desk, trained):
    told = run(models.command, "compare", trained[1])
    assert "no test query has a YES" in told


def test_the_serving_bundle_is_neither_promoted_again_nor_deleted(desk, trained):
    assert "serves already" in run(models.command, "promote", trained[1])
    assert "serves" in refused(StoreError, models.command, "delete", trained[1])
    assert desk.models.ids() == [trained[1]]


def test_a_bundle_that_does_not_serve_is_deleted_with_its_codes(desk, trained, home):
    desk.store.set_serving("another")
    assert "is deleted" in run(models.command, "delete", trained[1])
    assert desk.models.ids() == [] and desk.store.count_codes(trained[1]) == 0


def test_there_is_nothing_to_roll_back_to(desk):
    assert "nothing to go back to" in refused(NotReady, models.command, "rollback")


# recommend -----------------------------------------------------------------------


def test_tickets_are_listed_with_score_and_solution(desk):
    desk.put_tickets([Ticket("A-1", "Pawl stuck", "", "Grease\nthe pawl.")])
    lines = run(recommend.command, "Pawl stuck", "--limit", "2").splitlines()
    assert any(" of 5  A-1  Pawl stuck" in line for line in lines)
    assert "       Grease the pawl." in lines
    assert sum(" of 5  " in line for line in lines) == 2


def test_a_blank_query_and_a_desk_without_model_are_refused(desk):
    assert "blank" in refused(InputError, recommend.command)


def test_asking_before_training_says_what_to_do(home):
    assert "ticketing train" in refused(NotReady, recommend.command, "Pawl stuck")


# evaluate ------------------------------------------------------------------------


def test_nothing_to_measure_is_said(desk):
    assert "Nothing can be measured" in run(evaluate.command)


def test_labels_of_another_knowledge_base_are_not_measured(desk):
    sentence = "none of the judged tickets is in this knowledge base"
    judge(desk)
    desk.delete_tickets([ticket.id for ticket in desk.store.iter_tickets()])
    assert sentence in run(evaluate.command)


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


def test_dates_choose_queries_that_are_tickets(desk):
    tickets = sorted(desk.store.iter_tickets(), key=lambda ticket: ticket.created)
    query = Query(tickets[30].subject, ticket_id=tickets[30].id)
    judge(desk)
    desk.store.add_judgments(
        [Judgment("e", query, tickets[3].id, Grade.YES, "ann", datetime(2020, 1, 1))]
    )
    since = tickets[30].created.isoformat()
    lines = run(evaluate.command, "--since", since).splitlines()
    assert "1 queries (1 with a YES), 1 labels" in lines
    assert "Nothing can be measured" in run(evaluate.command, "--before", since)


def test_an_unknown_bundle_to_measure_is_not_found(desk):
    judge(desk)
    assert "no bundle 'nowhere'" in refused(NotFound, evaluate.command, "--bundle", "nowhere")


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


# the whole program ---------------------------------------------------------------


def test_the_program_prints_one_sentence_and_ends_with_1(home, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ticketing", "models", "rollback"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("ticketing: No other bundle has served before")
    assert issubclass(NotReady, TicketingError)


# bundles of another version or kind ---------------------------------------------------


def grow_old(folder, bundle_id: str) -> str:
    """Make a bundle one of format 3, as an earlier version wrote them; returns its id."""
    path = folder / bundle_id / "manifest.json"
    manifest = {**json.loads(path.read_text()), "version": 3}
    del manifest["kind"]
    path.write_text(json.dumps(manifest))
    return bundle_id


def test_an_old_bundle_is_listed_with_what_to_do_among_the_others(desk, trained):
    facts = {"data": {"titles": 24, "categories": 2}, "network": {}}
    new = desk.models.save(facts, {}, {}, ModelKind.CATEGORIES)
    desk.store.set_serving(new, ModelKind.CATEGORIES)
    old = grow_old(desk.models.folder, trained[1])
    first, second = run(models.command, "list").splitlines()
    assert first.endswith(
        f"Bundle {old} has format 3, written by an earlier version; train again with `ticketing"
        f" train` and delete it with `ticketing models delete {old}`."
    )
    assert second.startswith(f"* {new}") and second.endswith("24 titles in 2 categories")


def test_an_old_bundle_that_serves_gives_way_to_a_new_one_and_can_be_deleted(desk, trained):
    old = other_bundle(desk, trained[1])
    desk.store.set_serving(old)
    grow_old(desk.models.folder, old)
    told = run(models.command, "promote", trained[1])
    assert f"Bundle {trained[1]} serves now, uncompared: Bundle {old} has format 3" in told
    assert "is deleted" in run(models.command, "delete", old)
    assert desk.models.ids() == [trained[1]]
