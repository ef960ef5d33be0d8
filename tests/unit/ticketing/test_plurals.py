"""Numbers with the thing they count, and shares."""

import pytest

from ticketing.plurals import counted, percent


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [
        (0, "ticket", "0 tickets"),
        (1, "row", "1 row"),
        (12345, "judgment", "12,345 judgments"),
        (1, "query", "1 query"),
        (2, "query", "2 queries"),
        (2, "category", "2 categories"),
        (2, "day", "2 days"),
        (2, "match", "2 matches"),
        (30, "epoch", "30 epochs"),
    ],
)
def test_a_noun_agrees_with_its_number(number, noun, words):
    assert counted(number, noun) == words


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0, "0\u00a0%"),
        (1, "100\u00a0%"),
        (0.123, "12\u00a0%"),
        (0.05, "5\u00a0%"),
        (0.014, "1.4\u00a0%"),
        (3e-4, "0.03\u00a0%"),
        (0.994, "99\u00a0%"),
        (0.9999, "99.9\u00a0%"),
    ],
)
def test_shares_are_written_short(share, said):
    assert percent(share) == said
