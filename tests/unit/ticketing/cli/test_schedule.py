"""`ticketing schedule`: what it says, sets and ends."""

from datetime import time

import pytest

from tests.commands import refused, run
from ticketing.cli import schedule
from ticketing.errors import InputError
from ticketing.history import AuditEntry
from ticketing.jobs import Promotion
from ticketing.schedule import Weekday

pytestmark = pytest.mark.usefixtures("home")


def test_at_first_nothing_is_scheduled(desk):
    assert "Nothing is scheduled" in run(schedule.command, "show")


def test_a_schedule_is_set_shown_audited_and_ended(desk):
    said = run(
        schedule.command,
        *("set", "--weekly", "sunday", "--at", "04:30", "--judgments", "50", "--ask"),
    )
    found = desk.store.schedule()
    assert (found.weekday, found.at) == (Weekday.SUNDAY, time(4, 30))
    assert (found.judgments, found.promotion) == (50, Promotion.ASK)
    assert "due on Sunday" in said and "04:30 UTC" in said
    assert "after 50 new judgments; 0 came so far" in said and "waits for an admin" in said
    assert run(schedule.command, "show") == said
    [entry] = desk.store.events(AuditEntry)
    assert (entry.deed, entry.person[:4]) == ("scheduled", "cli:")
    assert "Nothing is scheduled" in run(schedule.command, "set")


def test_what_is_not_named_ends_and_is_said(desk):
    weekly, judged = "The weekly training on Sunday is", "The training after 50 new judgments is"
    assert "no longer" not in run(schedule.command, "set", "--weekly", "sunday")
    said = run(schedule.command, "set", "--judgments", "50").splitlines()
    assert said[0] == f"{weekly} no longer scheduled."
    assert desk.store.schedule().weekday is None
    said = run(schedule.command, "set", "--weekly", "sunday").splitlines()
    assert said[0] == f"{judged} no longer scheduled."
    run(schedule.command, "set", "--weekly", "sunday", "--judgments", "50")
    said = run(schedule.command, "set").splitlines()
    assert said[:2] == [f"{weekly} no longer scheduled.", f"{judged} no longer scheduled."]
    help = " ".join(run(schedule.command, "set", "--help").split())
    assert "Without --weekly and --judgments, scheduled training is switched off." in help


def test_the_settings_are_named_that_the_trainings_go_on_with(desk, monkeypatch):
    asked = {"network": {"channels": ["E", "S"]}, "training": {"teacher": "/srv/encoder"}}
    monkeypatch.setattr(type(desk), "usual_settings", lambda self: asked)
    said = run(schedule.command, "set", "--weekly", "sunday").splitlines()[-1]
    assert said.endswith(
        'serving bundle: network.channels=["E", "S"], training.teacher=/srv/encoder.'
    )


def test_a_setting_that_is_empty_is_named_as_the_guide_writes_it(desk, monkeypatch):
    """No teacher was “training.teacher=.”, which is the folder that one is in."""
    monkeypatch.setattr(type(desk), "usual_settings", lambda self: {"training": {"teacher": ""}})
    said = run(schedule.command, "show").splitlines()[-1]
    assert said.endswith('serving bundle: training.teacher="".')


def test_a_time_without_a_day_is_refused_and_ends_nothing(desk):
    run(schedule.command, "set", "--weekly", "sunday")
    assert desk.store.schedule().at == time(3)
    assert "name its day with --weekly" in refused(
        InputError, schedule.command, "set", "--at", "04:00"
    )
    assert desk.store.schedule().weekday == Weekday.SUNDAY


def test_asking_without_a_training_to_ask_about_is_refused_and_ends_nothing(desk):
    run(schedule.command, "set", "--judgments", "50")
    assert refused(InputError, schedule.command, "set", "--ask") == (
        "--ask is about a scheduled training; say when it is with --weekly or --judgments."
    )
    assert desk.store.schedule().judgments == 50
    run(schedule.command, "set", "--judgments", "60", "--ask")
    assert desk.store.schedule().promotion == Promotion.ASK
