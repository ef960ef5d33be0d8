"""`ticketing recommend`."""

import re
from datetime import datetime

import pytest

from tests.commands import refused, run
from ticketing.cli import recommend
from ticketing.errors import InputError, NotReady
from ticketing.model.recency import Recency
from ticketing.tickets import Ticket

pytestmark = pytest.mark.usefixtures("home")


def test_tickets_are_listed_with_score_and_solution(desk):
    desk.put_tickets([Ticket("A-1", "Pawl stuck", "", "Grease\nthe pawl.")])
    lines = run(recommend.command, "Pawl stuck", "--limit", "2").splitlines()
    assert any(re.match(r"  1\. +[\d.]+\xa0% likely  A-1  Pawl stuck", line) for line in lines)
    assert "       Grease the pawl." in lines
    assert sum(" likely  " in line for line in lines) == 2


def test_what_a_terminal_would_obey_is_shown(desk):
    desk.put_tickets([Ticket("A-1", "Pawl \x1b[2Jstuck", "", "Grease \x9bA it \u202egpj.exe")])
    said = run(recommend.command, "Pawl stuck")
    assert r"Pawl \x1b[2Jstuck" in said
    assert r"Grease \x9bA it \u202egpj.exe" in said


def test_near_copies_are_named_below_the_best_of_them(desk):
    desk.put_tickets([Ticket(id, "Pawl stuck") for id in ("A-1", "A-2", "A-3")])
    lines = run(recommend.command, "Pawl stuck", "--limit", "1").splitlines()
    assert lines[-2:] == [
        "       Both say “stuck” and “Pawl”.",
        "       And 2 near-copies: A-2, A-3.",
    ]


def test_no_chance_is_said_of_what_an_id_finds_or_nothing_matches(desk):
    desk.put_tickets([Ticket("A-1", "Pawl stuck"), Ticket("A-2", "Pawl stuck")])
    by_id = run(recommend.command, "a-1").splitlines()
    assert by_id[0] == "The ticket with this id." and not any("A-2" in line for line in by_id)
    named = run(recommend.command, "A-1", "Pawl stuck").splitlines()
    assert any(re.match(r"  1\. A-1  ", line) for line in named)
    desk.put_tickets([Ticket("A-3", "Fan loud", "shows E98765")])
    by_code = run(recommend.command, "E98765").splitlines()
    assert by_code[0] == "Tickets that name “E98765”."
    assert [line for line in by_code if "Fan" in line] == ["  1. A-3  Fan loud"]
    nothing = run(recommend.command, "x")
    assert nothing.splitlines()[0] == "Nothing matches well." and "%" not in nothing
    assert "% that one solves this)." in run(recommend.command, "Pawl stuck")


def test_a_slip_is_asked_about(desk):
    assert "Did you mean 'rotor' by 'Rotro'?" in run(recommend.command, "Rotro vibration")


def test_newest_first_lists_the_same_tickets_by_date(desk):
    for part, id, year in (
        ("gear", "A-1", 2011),
        ("rotor", "A-2", 2013),
        ("valve", "A-3", 2012),
        ("pump", "A-4", None),
    ):
        dated = year and datetime(year, 1, 1)
        desk.put_tickets([Ticket(id, f"Pawl stuck, {part}", "Stuck pawl", created=dated)])
    asked = ("Pawl stuck", "--limit", "4")
    best = run(recommend.command, *asked).splitlines()
    newest = run(recommend.command, *asked, "--order", "newest").splitlines()
    assert sorted(best) == sorted(newest)
    ids = [line.split()[4] for line in newest if " likely  " in line]
    assert ids == ["A-2", "A-3", "A-1", "A-4"]


def test_by_text_an_old_ticket_that_matches_comes_first(desk, monkeypatch):
    said = "The pawl of the barring drive is stuck"
    desk.put_tickets(
        [
            Ticket("OLD", said, "It is stuck.", created=datetime(2001, 1, 1)),
            Ticket("NEW", f"{said} again, rotor hot", "It is stuck.", created=datetime(2026, 1, 1)),
        ]
    )
    desk.recommender().model.recency = Recency(weight=9.0)
    monkeypatch.setattr(recommend, "open_desk", lambda settings: desk)
    first = {}
    for order in ("best", "newest", "text"):
        lines = run(recommend.command, said, "--limit", "1", "--order", order).splitlines()
        first[order] = next(line.split()[4] for line in lines if line.startswith("  1."))
    assert first == {"best": "NEW", "newest": "NEW", "text": "OLD"}


def test_a_blank_query_and_a_desk_without_model_are_refused(desk):
    assert "blank" in refused(InputError, recommend.command)


def test_asking_before_training_says_what_to_do(home):
    assert "ticketing train" in refused(NotReady, recommend.command, "Pawl stuck")
