"""Quality by week and bundle, worked out by hand."""

from datetime import date, datetime, timedelta

from ticketing.evaluation.quality import outcomes, quality, switches, weekly
from ticketing.history import Asking
from ticketing.jobs import Job, JobKind, JobState
from ticketing.recommendations import Outlook
from ticketing.tickets import Filters, Grade, Label, Query, grades_of

MONDAY = datetime(2024, 3, 4, 9)
A, B, C = (Query(text) for text in ("a", "b", "c"))
LABELS = [Label(A, "1", Grade.YES), Label(A, "3", Grade.NO), Label(B, "2", Grade.YES)]
GRADES = grades_of(LABELS)


def asking(query, days, bundle="b1", outlook=Outlook.LIKELY, shown=("1", "2", "3", "4")):
    time = MONDAY + timedelta(days=days)
    return Asking(f"{query.id}{days}", "ann", time, query, Filters(), bundle, outlook, 0.5, shown)


ASKED = [
    asking(A, 0),  # YES at rank 1, 2 of 4 judged
    asking(B, 6),  # Sunday: YES at rank 2, 1 of 4 judged
    asking(C, 1, outlook=Outlook.NOTHING),  # nobody judged it
    asking(A, 7, "b2", shown=("3", "4")),  # next week: no YES, 1 of 2 judged
]


def became(askings):
    return list(outcomes(askings, GRADES))


def promotion(days, bundle, message="serves now"):
    time = MONDAY + timedelta(days=days)
    said = f"Bundle {bundle} {message}."
    return Job(f"p{days}", JobKind.PROMOTION, bundle, JobState.DONE, 0, 0, time, message=said)


def test_weeks_are_from_monday_and_each_bundle_has_its_own_row():
    first, second = weekly(became(ASKED))
    assert (first.week, first.bundle_id) == (date(2024, 3, 4), "b1")
    assert (second.week, second.bundle_id) == (date(2024, 3, 11), "b2")
    found = first.quality
    assert (found.asked, found.judged) == (3, 2)
    assert (found.yes_at_1, found.yes_in_ten) == (0.5, 1.0)
    assert found.judged_at_10 == (2 / 4 + 1 / 4) / 2
    assert found.no_match == 1 / 3
    assert (second.quality.yes_in_ten, second.quality.judged_at_10) == (0.0, 0.5)


def test_a_week_with_two_bundles_has_two_rows_in_the_order_of_use():
    both = [asking(A, 2, "b0"), asking(B, 1, "b9")]
    assert [row.bundle_id for row in weekly(became(both))] == ["b9", "b0"]


def test_of_nothing_there_is_no_share():
    assert weekly([]) == []
    nothing = quality([])
    assert (nothing.asked, nothing.yes_at_1, nothing.no_match) == (0, None, None)
    empty = quality(became([asking(C, 0, shown=())]))
    assert (empty.judged, empty.judged_at_10, empty.no_match) == (0, None, 0.0)


def test_only_the_first_ten_count():
    shown = tuple(str(i) for i in range(10, 20))
    assert quality(became([asking(A, 0, shown=(*shown, "1"))])).judged == 0


def test_a_switch_is_compared_with_what_was_before_it():
    jobs = [promotion(-9, "b1"), promotion(6.5, "b2"), promotion(3, "b3", "was not promoted")]
    last, first = switches(jobs, became(ASKED))
    assert (last.bundle_id, last.before.asked, last.after.asked) == ("b2", 3, 1)
    assert (last.before.yes_in_ten, last.after.yes_in_ten) == (1.0, 0.0)
    assert (first.bundle_id, first.before.asked, first.after.asked) == ("b1", 0, 3)
