"""`ticketing recommend`."""

from datetime import datetime

import pytest

from tests.commands import refused, run
from ticketing.cli import recommend
from ticketing.errors import InputError, NotReady
from ticketing.tickets import Ticket

pytestmark = pytest.mark.usefixtures("home")


def test_tickets_are_listed_with_score_and_solution(desk):
    desk.put_tickets([Ticket("A-1", "Pawl stuck", "", "Grease\nthe pawl.")])
    lines = run(recommend.command, "Pawl stuck", "--limit", "2").splitlines()
    assert any(" of 5  A-1  Pawl stuck" in line for line in lines)
    assert "       Grease the pawl." in lines
    assert sum(" of 5  " in line for line in lines) == 2


def test_newest_first_lists_the_same_tickets_by_date(desk):
    for id, year in (("A-1", 2011), ("A-2", 2013), ("A-3", 2012), ("A-4", None)):
        desk.put_tickets([Ticket(id, "Pawl stuck", created=year and datetime(year, 1, 1))])
    asked = ("Pawl stuck", "--limit", "4")
    best = run(recommend.command, *asked).splitlines()
    newest = run(recommend.command, *asked, "--newest-first").splitlines()
    assert sorted(best) == sorted(newest)
    ids = [line.split()[4] for line in newest if " of 5  " in line]
    assert ids == ["A-2", "A-3", "A-1", "A-4"]


def test_a_blank_query_and_a_desk_without_model_are_refused(desk):
    assert "blank" in refused(InputError, recommend.command)


def test_asking_before_training_says_what_to_do(home):
    assert "ticketing train" in refused(NotReady, recommend.command, "Pawl stuck")
