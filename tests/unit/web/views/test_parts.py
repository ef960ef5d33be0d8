"""Bars, marks, links, openings, and progress: values worked out by hand."""

from datetime import datetime, timedelta

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from ticketing.jobs import Job, JobKind, JobState
from ticketing.reasons import Part
from ticketing.times import utc_now
from web.views.marks import linked, mark, opening
from web.views.parts import Bar, bars
from web.views.progress import in_words, progress

LABELS = {"h": "Sentence", "E": "Meaning", "L": "Same words"}


def test_a_bar_a_channel_what_brings_nearest_first():
    parts = [
        Part("h", "SUB1", "SUB2", 0.3),
        Part("L", "SUB1", "SUB2", 0.1),
        Part("L", "SUB1", "DESC2", 0.1),
        Part("E", "SUB1", "SUB2", 0.5),
        Part("age", "", "", 0.35),
    ]
    # saved: L 0.8, age 0.1, h 0, E -0.4; the longest bar is half the width
    assert bars(parts, {"h": 0.3, "L": 1.0, "E": 0.1, "age": 0.45}, LABELS) == (
        Bar("Same words", "much nearer than usual", 50, 50, "0.20 of 1.00"),
        Bar("Time apart", "nearer than usual", 50, 6.25, "0.35 of 0.45"),
        Bar("Sentence", "as usual", 50, 0, "0.30 of 0.30"),
        Bar("Meaning", "further apart than usual", 25, 25, "0.50 of 0.10"),
    )


def test_without_anything_to_compare_with_nothing_is_nearer():
    [bar] = bars([Part("h", "SUB1", "SUB2", 0.3)], {}, LABELS)
    assert (bar.nearer, bar.says) == (False, "further apart than usual")
    assert bars([], {"h": 1.0}, LABELS) == ()


def test_an_identical_ticket_of_an_archive_of_copies_has_a_bar_of_no_length():
    [bar] = bars([Part("h", "SUB1", "SUB2", 0.0)], {"h": 0.0}, LABELS)
    assert (bar.length, bar.says) == (0, "as usual")


def test_the_longest_bar_is_half_the_width_however_little_it_is_of():
    [bar] = bars([Part("h", "SUB1", "SUB2", 0.0)], {"h": 1e-309}, LABELS)
    assert (bar.start, bar.length) == (50, 50)


@given(st.dictionaries(st.sampled_from("hEL"), st.tuples(st.floats(0, 9), st.floats(0, 9))))
def test_bars_stay_inside_and_the_nearer_are_first(channels):
    parts = [Part(channel, "SUB1", "SUB2", own) for channel, (own, _) in channels.items()]
    drawn = bars(parts, {channel: usual for channel, (_, usual) in channels.items()}, LABELS)
    assert len(drawn) == len(channels)
    assert all(0 <= bar.start <= 50 and bar.start + bar.length <= 100.01 for bar in drawn)
    sides = [bar.nearer for bar in drawn]
    assert sides == sorted(sides, reverse=True)


def test_marks_keep_the_case_and_the_text_between():
    assert mark("Fuel, fuel-gas & air", {"fuel"}) == (
        "<mark>Fuel</mark>, <mark>fuel</mark>-gas &amp; air"
    )


def test_marked_text_is_escaped():
    assert mark("<fuel>", {"fuel"}) == "&lt;<mark>fuel</mark>&gt;"


@given(st.text(), st.sets(st.sampled_from(["a", "b", "mark", "lt", "amp"])))
def test_without_its_marks_the_text_is_whole(text, words):
    from markupsafe import escape

    assert str(mark(text, words)).replace("<mark>", "").replace("</mark>", "") == str(escape(text))


LINK = '<a href="{0}" rel="noopener noreferrer">{0}</a>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("see https://a.example/x?a=1.", f"see {LINK.format('https://a.example/x?a=1')}."),
        ("(HTTP://a.example/b_(c))", f"({LINK.format('HTTP://a.example/b_(c)')})"),
        ("see „http://a.example/b“.", f"see „{LINK.format('http://a.example/b')}“."),
        ("“http://a.example/b”", f"“{LINK.format('http://a.example/b')}”"),
        ("http://a.example/?a=1&b=2", LINK.format("http://a.example/?a=1&amp;b=2")),
    ],
)
def test_addresses_are_links_that_tell_the_other_side_nothing(text, html):
    assert linked(text) == html


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "data:text/html,hi",
        "vbscript:x ftp://a.example/b mailto:a@a.example",
        "//evil.example www.evil.example a@evil.example",
        "http:// https://",
    ],
)
def test_other_protocols_and_guesses_are_no_links(text):
    assert linked(text) == text


@pytest.mark.parametrize(
    "text",
    [
        'https://a.example/"><script>alert(1)</script>',
        "https://a.example/'onmouseover='alert(1)",
        'https://a.example/" onmouseover="alert(1)',
        '<a href="https://a.example">x</a>',
        "https://a.example/<img src=x onerror=alert(1)>",
        'https://a.example/\x00"onclick=',
    ],
)
def test_a_hostile_text_makes_no_tag_and_no_attribute(text):
    page = BeautifulSoup(str(linked(text, {"alert", "script"})), "html.parser")
    assert {tag.name for tag in page.find_all()} <= {"a", "mark"}
    assert all(set(tag.attrs) == {"href", "rel"} for tag in page.find_all("a"))
    assert all(tag["href"].startswith("https://a.example") for tag in page.find_all("a"))
    assert page.get_text().replace("\ufffd", "\x00") == text


def test_words_are_marked_beside_a_link_and_not_in_it():
    assert linked("Pump http://pump.example pump", {"pump"}) == (
        f"<mark>Pump</mark> {LINK.format('http://pump.example')} <mark>pump</mark>"
    )


def test_an_opening_ends_at_a_word():
    assert opening("one two three four", 9) == "one two …"


def test_a_text_little_longer_than_its_opening_is_not_folded():
    assert opening("one two three", 11) == ""


def test_one_endless_word_is_cut_all_the_same():
    assert opening("x" * 100, 10) == "x" * 10 + " …"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "1 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"), (5400, "1 h 30 min")],
)
def test_durations_in_words(seconds, words):
    assert in_words(seconds) == words


def job(**changes) -> Job:
    at = datetime(2014, 9, 1)
    given = {"state": JobState.RUNNING, "total": 100, "done": 0, "created": at, **changes}
    return Job(id="1", kind=JobKind.REINDEX, bundle_id="b", **given)


@pytest.fixture(autouse=True)
def no_worker(monkeypatch):
    """No worker lives."""
    monkeypatch.setattr("web.views.progress.worker_lives", lambda queue: False)


def test_a_job_that_has_not_begun_has_no_rate():
    at = progress(job(state=JobState.QUEUED))
    assert (at.percent, at.rate, at.seconds_left) == (0, 0, None)


def test_rate_and_estimate_of_a_running_job():
    beat = utc_now()
    at = progress(job(done=20, started=beat - timedelta(seconds=10), heartbeat=beat))
    assert (at.percent, at.rate, at.seconds_left) == (20, 2, 40)


def test_an_empty_job_is_complete_only_when_done():
    assert progress(job(total=0)).percent == 0
    assert progress(job(total=0, state=JobState.DONE)).percent == 100


def test_a_finished_job_has_no_time_left_and_waits_for_nobody():
    start, end = datetime(2014, 9, 1, 8, 0, 0), datetime(2014, 9, 1, 8, 0, 50)
    at = progress(job(state=JobState.DONE, done=100, started=start, heartbeat=end, finished=end))
    assert (at.rate, at.seconds_left, at.stalled) == (2, None, False)


def test_a_job_nobody_works_on_is_stalled_and_has_no_estimate():
    start, beat = datetime(2014, 9, 1, 8, 0, 0), datetime(2014, 9, 1, 8, 0, 10)
    at = progress(job(done=20, started=start, heartbeat=beat))
    assert (at.percent, at.rate, at.seconds_left, at.stalled) == (20, 2, None, True)
