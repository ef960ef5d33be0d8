"""Figures that add up, marks, openings, and progress: values worked out by hand."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.tickets import Job, Part
from web.marks import mark, opening
from web.parts import Bar, parts_table, round_to_sum
from web.progress import in_words, progress

DISTANCES = st.lists(st.floats(0, 50), min_size=1, max_size=18)

LABELS = {"h": "Sentence", "E": "Meaning", "T": "Topics", "L": "Same words"}


def table_of(parts):
    return parts_table(parts, LABELS)


def test_the_largest_remainders_go_up():
    # thousandths 0.4 + 0.4 + 0.4 = 1.2, rounded 1; the first of equals goes up
    assert round_to_sum([0.0004, 0.0004, 0.0004]) == [1, 0, 0]
    assert round_to_sum([0.0016, 0.0027, 0.0017]) == [1, 3, 2]


@given(DISTANCES)
def test_rounding_keeps_the_sum_and_moves_no_value_by_a_whole_unit(values):
    rounded = round_to_sum(values)
    assert sum(rounded) == round(sum(value * 1000 for value in values))
    assert all(abs(unit - value * 1000) < 1 for unit, value in zip(rounded, values, strict=True))


def test_pairs_run_down_and_channels_across():
    table = table_of(
        [
            Part("h", "SUB1", "SUB2", 0.1),
            Part("E", "SUB1", "SUB2", 0.3),
            Part("h", "DESC1", "SOL2", 0.2),
        ]
    )
    assert table.channels == ("Sentence", "Meaning")
    first, second = table.rows
    assert first.name == "subject – subject"
    assert (first.cells, first.total) == (("0.100", "0.300"), "0.400")
    assert second.name == "description – solution"
    assert (second.cells, second.total) == (("0.200", "–"), "0.200")
    assert (table.totals, table.total) == (("0.300", "0.300"), "0.600")
    assert first.bars == (Bar("h", 0, 25), Bar("E", 25, 75))
    assert second.bars == (Bar("h", 0, 50), Bar("E", 50, 0))


def test_merged_components_are_named_in_words():
    (row,) = table_of([Part("h", "SUB1+DESC1", "SUB2+DESC2+SOL2", 0.5)]).rows
    assert row.name == "subject + description – subject + description + solution"


def test_two_parts_of_one_pair_and_channel_are_one_cell():
    """A merged network compares a query with the whole ticket, which words do in two ways."""
    whole = "SUB2+DESC2+SOL2"
    (row,) = table_of([Part("L", "SUB1", whole, 0.5), Part("L", "SUB1", whole, 0.25)]).rows
    assert (row.cells, row.total) == (("0.750",), "0.750")


def test_time_apart_is_a_row_of_its_own_and_no_channel():
    table = table_of(
        [
            Part("h", "SUB1", "SUB2", 0.1),
            Part("L", "SUB1", "SUB2", 0.2),
            Part("age", "", "", 0.15),
        ]
    )
    assert table.channels == ("Sentence", "Same words")
    pair, age = table.rows
    assert (age.name, age.cells, age.total) == ("time apart", ("–", "–"), "0.150")
    assert age.bars == (Bar("h", 0, 0), Bar("L", 0, 0), Bar("age", 0, 50))
    assert pair.bars == (Bar("h", 0, 33.33), Bar("L", 33.33, 66.67), Bar("age", 100, 0))
    assert (table.totals, table.total) == (("0.100", "0.200"), "0.450")


PARTS = st.lists(
    st.tuples(st.sampled_from("hETL"), st.sampled_from(["SUB1", "DESC1"])), unique=True
)


@given(PARTS, st.data())
def test_printed_figures_add_up_whatever_the_parts_are(pairs, data):
    figures = data.draw(st.lists(st.floats(0, 9), min_size=len(pairs) + 1, max_size=len(pairs) + 1))
    parts = [Part(c, p, "SUB2", x) for (c, p), x in zip(pairs, figures[1:], strict=True)]
    table = table_of([*parts, Part("age", "", "", figures[0])])
    thousandths = [round(1000 * float(row.total)) for row in table.rows]
    assert sum(thousandths) == round(1000 * float(table.total)) == round(1000 * sum(figures))
    for row in table.rows[:-1]:
        shown = [float(cell) for cell in row.cells if cell != "–"]
        assert round(1000 * sum(shown)) == round(1000 * float(row.total))
    by_channel = sum(map(float, table.totals)) + float(table.rows[-1].total)
    assert by_channel == pytest.approx(float(table.total))


def test_no_parts_make_an_empty_table():
    table = table_of([])
    assert (table.rows, table.total) == ((), "0.000")


def test_an_identical_ticket_has_bars_of_no_length():
    (row,) = table_of([Part("h", "SUB1", "SUB2", 0.0)]).rows
    assert row.bars == (Bar("h", 0, 0),)


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


def test_an_opening_ends_at_a_word():
    assert opening("one two three four", 9) == "one two …"


def test_a_text_little_longer_than_its_opening_is_not_folded():
    assert opening("one two three", 11) == ""


def test_one_endless_word_is_cut_all_the_same():
    assert opening("x" * 100, 10) == "x" * 10 + " …"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"), (5400, "1 h 30 min")],
)
def test_durations_in_words(seconds, words):
    assert in_words(seconds) == words


def job(**changes) -> Job:
    at = datetime(2014, 9, 1)
    given = {"state": "running", "total": 100, "done": 0, "created": at, **changes}
    return Job(id="1", kind="reindex", bundle_id="b", **given)


def test_a_job_that_has_not_begun_has_no_rate():
    at = progress(job(state="queued"))
    assert (at.percent, at.rate, at.seconds_left) == (0, 0, None)


def test_rate_and_estimate_of_a_running_job():
    start, beat = datetime(2014, 9, 1, 8, 0, 0), datetime(2014, 9, 1, 8, 0, 10)
    at = progress(job(done=20, started=start, heartbeat=beat))
    assert (at.percent, at.rate, at.seconds_left) == (20, 2, 40)


def test_an_empty_job_is_complete_only_when_done():
    assert progress(job(total=0)).percent == 0
    assert progress(job(total=0, state="done")).percent == 100


def test_a_finished_job_has_no_time_left_and_waits_for_nobody():
    start, end = datetime(2014, 9, 1, 8, 0, 0), datetime(2014, 9, 1, 8, 0, 50)
    at = progress(job(state="done", done=100, started=start, heartbeat=end, finished=end))
    assert (at.rate, at.seconds_left, at.stalled) == (2, None, False)


def test_a_job_nobody_works_on_is_stalled():
    assert progress(job()).stalled
