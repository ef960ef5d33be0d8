"""What benchmarks keep is found again only for what it was made of, what counts as found, and what
is asked."""

import shutil
import sys
from contextlib import closing, nullcontext
from datetime import datetime
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.benchmarks import scaling, training
from tests.benchmarks.arguments import arguments
from tests.benchmarks.reading import bundles, peers
from tests.benchmarks.reading.aviation import read_aviation
from tests.benchmarks.reading.cases import Case, desk
from tests.benchmarks.scaling import asked_of
from tests.live.encoding_desk import BUNDLE, DigestDesk
from ticketing.jobs import JobState
from ticketing.tickets import Grade, Label, Query, Ticket
from worker.jobs import start_reindex

FOLDER = Path(scaling.__file__).parent

PROGRAMS = sorted(
    path for path in FOLDER.rglob("*.py") if '__name__ == "__main__"' in path.read_text()
)

TICKETS = [Ticket("a", "pump"), Ticket("b", "valve"), Ticket("c", "valve stem")]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_benchmark_says_how_it_is_used(path, monkeypatch, capsys):
    """Most took --help for a number of tickets, or a folder, and ended in a traceback."""
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    with pytest.raises(SystemExit) as ended:
        run_path(str(path), run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out.lower().startswith("usage: ")


def test_arguments_are_as_they_are_said_or_as_usual(monkeypatch):
    def given(*words, **named):
        monkeypatch.setattr(sys, "argv", ["benchmark", *words])
        return vars(arguments("About.", **named))

    assert given(tickets=10, seconds=2.5) == {"tickets": 10, "seconds": 2.5}
    assert given("7", "3", tickets=10, seconds=2.5) == {"tickets": 7, "seconds": 3.0}
    assert given("f", "1", "2", folder=Path, sizes=(5, 6)) == {"folder": Path("f"), "sizes": [1, 2]}
    assert given("f", folder=Path, sizes=(5, 6)) == {"folder": Path("f"), "sizes": (5, 6)}
    assert given("3", "x=1", tickets=0, settings=()) == {"tickets": 3, "settings": ["x=1"]}
    with pytest.raises(SystemExit):
        given(folder=Path)


@pytest.mark.parametrize(("phase", "owner", "name"), training.PHASES)
def test_the_phases_of_a_training_that_are_timed_exist(phase, owner, name):
    """One had moved to another module, and the benchmark ended in a traceback."""
    assert callable(getattr(owner, name, None)), phase


def test_a_bundle_is_found_again_by_its_settings_and_its_teachers_weights(
    tmp_path, trained, archive_tickets, encoder, monkeypatch
):
    shutil.copytree(trained[0], tmp_path / "models")
    trainings = []

    def train(*given):
        trainings.append(given)
        return trained[1]

    monkeypatch.setattr(bundles, "train", train)
    case = Case("small", archive_tickets, [], archive_tickets)

    def find(*overrides):
        kept = bundles.Bundles(tmp_path, (f"training.teacher={encoder}", *overrides))
        assert kept.rankers(case, "small", "taught").model.id == trained[1]
        return len(trainings)

    assert [find(), find(), find("training.seed=3")] == [1, 1, 2]
    (encoder / "model.safetensors").write_bytes(b"tuned anew")
    assert [find(), find()] == [3, 3]


@pytest.mark.parametrize("package", ["networks", "retrieval", "training"])
def test_other_code_of_what_makes_a_bundle_makes_another(package, tmp_path, monkeypatch):
    core = SimpleNamespace(__file__=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(bundles, "ticketing", core)
    (tmp_path / package).mkdir()
    names = []
    for text in ("one = 1", "one = 1", "one = 2"):
        Path(tmp_path, package, "module.py").write_text(text)
        bundles.code_digest.cache_clear()
        names.append(bundles.code_digest())
    bundles.code_digest.cache_clear()
    assert names[0] == names[1] != names[2]


def case(query: str, *right: str, among=()) -> Case:
    """One query among TICKETS, or some of them."""
    asked = Query(query)
    answers = [Label(asked, id, Grade.YES) for id in right]
    return Case("", TICKETS, answers, TICKETS, among={asked.id: among} if among else {})


@pytest.mark.parametrize(("scores", "found"), [((1, 2, 3), 1), ((-np.inf, 2, 3), 0)])
def test_a_ticket_without_a_score_is_not_found(scores, found):
    assert case("tripped", "a").measure(np.array([scores]))["Acc@10"] == [found]


def test_words_find_no_ticket_that_has_none_of_them(tmp_path, counting_encoder, monkeypatch):
    """In ascending order of id the first would be right; what words find is the second alone."""
    monkeypatch.setattr(peers, "needed_folder", lambda _: counting_encoder)
    asked = case("valve", "a", "b")
    found = peers.peers(asked, tmp_path)
    assert asked.measure(found[peers.WORDS])["Recall@100"] == [1 / 2]
    assert asked.measure(found[peers.MIXED])["Recall@100"] == [1]


def test_words_read_solutions_in_rows_of_their_own(tmp_path, counting_encoder, monkeypatch):
    monkeypatch.setattr(peers, "needed_folder", lambda _: counting_encoder)
    asked, tickets = Query("seal"), [Ticket("a", "pump", solution="new seal"), Ticket("b", "valve")]
    answers = [Label(asked, "a", Grade.YES)]
    found = peers.peers(Case("", tickets, answers, tickets), tmp_path)
    [plain], [solved] = found[peers.WORDS], found[peers.WORDS + peers.SOLVED]
    assert np.isneginf(plain).all() and np.isfinite(solved).tolist() == [True, False]
    mixed, also = found[peers.MIXED], found[peers.MIXED + peers.SOLVED]
    assert (also - mixed)[0, 0] > 0 > (also - mixed)[0, 1]


def test_among_some_tickets_all_of_them_are_ranked(tmp_path, counting_encoder, monkeypatch):
    """The one that has the word is first, that before the others in the order of ids the second."""
    monkeypatch.setattr(peers, "needed_folder", lambda _: counting_encoder)
    asked = case("stem", "a", among=("a", "c"))
    assert asked.measure(peers.peers(asked, tmp_path)[peers.WORDS])["MAP@10"] == [1 / 2]


def test_queries_of_one_text_are_one_with_the_answers_of_all():
    one, other = (Query("valve leaks", ticket_id=id) for id in ("x", "y"))
    tickets = [*TICKETS, Ticket("x", "valve leaks"), Ticket("y", "valve leaks")]
    asked, hidden = {one: {"a"}, other: {"b"}}, {one: {"c"}, other: {"d"}}
    found = desk("desk", tickets, asked, hidden, seed=0, queries=2)
    [query] = found.queries
    assert {label.ticket_id for label in found.answers} == {"a", "b"}
    assert set(found.hidden[query.id]) == {"c", "d"}


def test_problems_of_which_the_same_words_are_kept_are_one_query(tmp_path):
    """Of six words three are kept, often "oil" alone; each record answers a query."""
    ends = ["cap", "leak", "line", "low", "pan", "seal", "sump", "tank"]
    rows = ["IDENT,PROBLEM,ACTION", *(f"{end},{'oil ' * 5}{end},mended" for end in ends)]
    (tmp_path / "aircraft_maintenance_logs.csv").write_text("\n".join(rows))
    [found] = read_aviation(tmp_path, "part", datetime.max)
    assert len(found.queries) < len(ends)
    assert sorted(label.ticket_id for label in found.answers) == ends


def test_what_is_learned_lacks_the_actions_of_records_that_ask(tmp_path):
    """Whoever had read them would know which records were mended alike."""
    rows = ["IDENT,PROBLEM,ACTION", "a,oil leaks,mended", "b,oil drips,mended", "c,dent,filled"]
    (tmp_path / "aircraft_maintenance_logs.csv").write_text("\n".join(rows))
    [found] = read_aviation(tmp_path, "action", datetime.max)
    assert {query.ticket_id for query in found.queries} == {"a", "b"}
    assert [ticket.solution for ticket in found.learned] == ["", "", "filled"]
    assert [ticket.solution for ticket in found.tickets] == ["mended", "mended", "filled"]


@pytest.mark.parametrize(("tickets", "asked"), [(1, 1), (199, 199), (6000, 200)])
def test_searches_are_spread_over_many_tickets_and_ask_for_each_of_few(tickets, asked):
    queries = asked_of([Ticket(f"{i}", f"subject {i}") for i in range(tickets)])
    assert len(queries) == asked and queries[0].subject == "subject 0"
    assert queries[-1].subject == f"subject {tickets - tickets // asked}"


def test_nobody_waits_for_a_job_that_failed(tmp_path, monkeypatch):
    with closing(DigestDesk(tmp_path)) as desk:
        desk.store.put_tickets(TICKETS)

        def start(*given):
            job = start_reindex(*given)
            desk.store.update_job(job.id, state=JobState.FAILED, message="no room")
            return job

        monkeypatch.setattr(scaling, "processes", lambda *_: nullcontext([]))
        monkeypatch.setattr(scaling, "start_reindex", start)
        with pytest.raises(SystemExit, match=r"ended as failed: no room\."):
            scaling.encode(desk, BUNDLE, 1)
