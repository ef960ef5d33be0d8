"""A soak ends well only where something happened, and nothing that nobody had asked for."""

import os
import random
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.benchmarks import load
from tests.live.encoding_desk import BUNDLE, DigestDesk, wait_until
from tests.soak.comparison import Comparison
from tests.soak.faults import Chaos
from tests.soak.ledger import ANSWERED, Ledger
from tests.soak.programs import Program, Routine
from tests.soak.supervised import Supervised
from ticketing.jobs import JobKind

QUIET = {"web1": {"ended": 0, "tracebacks": 0}}


@pytest.fixture
def desk(tmp_path):
    with closing(DigestDesk(tmp_path)) as desk:
        yield desk


@pytest.fixture
def ledger():
    """Of people who were all answered."""
    ledger = Ledger()
    for kind in ("ask", "judge"):
        ledger.outcome(kind, ANSWERED, 0.1)
    return ledger


def said_of_answers(desk, ledger: Ledger) -> list[str]:
    compared = Comparison(desk, ledger)
    compared.answers(("ask", "judge"))
    return compared.wrong


def said_of_faults(desk, *given) -> list[str]:
    compared = Comparison(desk, Ledger())
    compared.faults(*given)
    return compared.wrong


def test_where_all_were_answered_nothing_is_wrong(desk, ledger):
    ledger.outcome("ask", "503", 0.1)
    ledger.outcome("ask", "timeout", 0.1)
    ledger.outcome("retry a job", "409", 0.1)
    assert said_of_answers(desk, ledger) == []


def test_where_nobody_was_answered_all_is_wrong(desk):
    ledger = Ledger()
    ledger.outcome("ask", "503", 0.1)
    assert said_of_answers(desk, ledger) == ["2 kinds of request were never answered: ask, judge"]


def test_a_defect_of_the_program_is_no_refusal(desk, ledger):
    ledger.outcome("ask", "500", 0.1)
    assert said_of_answers(desk, ledger) == ["1 kinds of answer tell of a defect: ask 500"]


class Breaks(Routine):
    def act(self) -> None:
        raise KeyError("items")


def test_a_person_who_breaks_off_is_named(desk, ledger):
    person = Breaks(Program([], "", ledger, random.Random(1)), 0.001)
    with pytest.raises(KeyError):
        person.live()
    assert said_of_answers(desk, ledger) == [
        "1 people or programs broke off: Breaks by KeyError('items')"
    ]


def test_faults_that_break_off_are_named(desk, ledger):
    nobody = SimpleNamespace(processes={}, disks={})
    with pytest.raises(Exception) as raised:
        Chaos(nobody, 1, print, ledger).run()
    assert said_of_answers(desk, ledger) == [
        f"1 people or programs broke off: the faults by {raised.value!r}"
    ]


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ((1, True, QUIET), []),
        ((0, True, QUIET), ["no fault was met"]),
        ((1, False, QUIET), ["not all is well again"]),
        (
            (1, True, QUIET | {"web2": {"ended": 0, "tracebacks": 3}}),
            [
                "1 processes of the desk ended unasked or wrote tracebacks:"
                " web2 (ended 0, tracebacks 3)"
            ],
        ),
    ],
)
def test_what_faults_left_is_judged(desk, given, wrong):
    assert said_of_faults(desk, *given) == wrong


def test_a_load_of_errors_alone_is_wrong(desk):
    ledger = Ledger()
    ledger.outcome("ask", "ConnectionRefusedError", 0.1)
    job = desk.store.create_job(JobKind.REINDEX, BUNDLE, 1)
    assert load.compare(desk, ledger, job) == [
        "2 kinds of request were never answered: ask, judge",
        "the reindexing is queued with 0 tickets done",
    ]


class Last(random.Random):
    def choice(self, some):
        return some[-1]


def test_a_killed_child_does_not_hide_the_end_of_its_process(tmp_path: Path):
    """It has a child, and ends with 7 when that one does."""
    code = "import subprocess, sys; subprocess.call(['sleep', '60']); sys.exit(7)"
    process = Supervised("x", [sys.executable, "-c", code], os.environ, tmp_path / "log")
    try:
        wait_until(lambda: len(process.pids()) == 2)
        process.kill(Last())
        wait_until(lambda: process.unasked, 20)
        assert process.unasked == [7]
    finally:
        process.stop()


def test_the_kill_of_a_process_is_no_end_of_its_own(tmp_path: Path):
    process = Supervised("x", ["sleep", "60"], os.environ, tmp_path / "log")
    try:
        [before] = process.pids()
        process.kill(Last())
        wait_until(lambda: process.pids() != [before], 20)
        assert process.unasked == []
    finally:
        process.stop()
