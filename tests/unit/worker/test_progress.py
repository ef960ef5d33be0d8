"""Since when nobody works on a job, how fast it is, what is said of it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.fake_records import jobs
from ticketing.jobs import JobKind, JobState, Step
from ticketing.times import utc_now
from worker.long_work import said_of
from worker.progress import SINCE, rate, seconds_left, silent_for, summary


@pytest.mark.parametrize(("hours", "silent"), [(0, False), (-33, True), (33, True)])
def test_a_heartbeat_of_a_wrong_clock_is_no_sign_of_life(hours, silent):
    """A worker whose clock was 33 hours ahead was killed: its job was left for 33 hours."""
    job = replace(jobs()[0], heartbeat=utc_now() + timedelta(hours=hours))
    assert (silent_for(job) > 60) == silent


def test_an_import_warns_of_dates_to_come():
    result = {"added": 3, "changed": 0, "unchanged": 0, "rejected": 0, "to_come": 0}
    said = said_of(replace(jobs()[0], kind=JobKind.IMPORT), result)
    assert said == "3 tickets added, 0 changed, 0 unchanged, 0 rows rejected."
    said = said_of(replace(jobs()[0], kind=JobKind.IMPORT), result | {"to_come": 2})
    assert "rejected. 2 tickets dated after tomorrow; mend the dates and import again." in said
    check = replace(jobs()[0], kind=JobKind.IMPORT, arguments={"check_only": True}, attempts=2)
    assert said_of(check, result | {"rejected": 1}) == (
        "3 tickets would be added, 0 changed, 0 unchanged, 1 row rejected."
        " Nothing is stored: this was a check only."
    )


@pytest.mark.parametrize(("seconds", "speed"), [(0.001, 0), (2, 500)])
def test_what_was_done_before_makes_no_rate(seconds, speed):
    begun = utc_now()
    job = replace(
        jobs()[0],
        done=1000,
        started=begun,
        heartbeat=begun,
        finished=begun + timedelta(seconds=seconds),
    )
    assert rate(job) == speed


def test_the_pace_is_of_what_was_done_since_a_job_was_last_published():
    """Half was done before, and the job then lay for eight hours."""
    begun = utc_now()
    since = {"done": 500, "time": (begun + timedelta(hours=8)).isoformat()}
    job = replace(
        jobs()[0],
        total=1000,
        done=700,
        errors={},
        started=begun,
        heartbeat=begun + timedelta(hours=8, seconds=4),
        finished=None,
        result={SINCE: since},
    )
    assert rate(job) == 50
    assert seconds_left(job) == 6


def test_no_time_is_foretold_of_a_job_that_waits_for_a_yes():
    begun = utc_now() - timedelta(seconds=10)
    job = replace(jobs()[0], state=JobState.WAITING, done=949, errors={}, started=begun)
    job = replace(job, heartbeat=utc_now())
    assert seconds_left(job) == 0 and "s left" not in summary(job)
    assert "s left" in summary(replace(job, state=JobState.RUNNING))


@pytest.mark.parametrize("step", [Step.COMPARING, Step.PROMOTING])
def test_a_comparison_has_no_pace_and_no_time_left(step):
    """All tickets were encoded: it said "0 s left" for minutes, and each of its seconds lowered the
    pace at which they seemed to have been encoded."""
    beat = utc_now()
    begun = beat - timedelta(seconds=8)
    job = replace(jobs()[0], errors={}, total=40, done=40, started=begun, heartbeat=beat)
    assert (rate(job), seconds_left(job)) == (5, 0)
    compared = replace(job, step=step)
    assert (rate(compared), seconds_left(compared)) == (0, None)
    assert "a second" not in summary(replace(compared, state=JobState.DONE, finished=beat))


def test_the_time_left_of_a_training_is_that_of_its_step():
    """A training has two steps of the same name; four seconds before the end of the first it was
    said to need four more, and then took half a minute."""
    beat = utc_now()
    begun = beat - timedelta(seconds=8)
    job = replace(jobs()[0], errors={}, total=60, done=40, started=begun, heartbeat=beat)
    assert "5 a second, 4 s left" in summary(job)
    training = replace(job, kind=JobKind.TRAINING)
    assert "5 a second, 4 s left of this step" in summary(training)
