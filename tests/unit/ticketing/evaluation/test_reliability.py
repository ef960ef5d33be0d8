"""How far chances can be taken at their word: by hand."""

import numpy as np
import pytest

from ticketing.evaluation.reliability import (
    Foretold,
    Reliability,
    Said,
    Trust,
    coverage,
    expected_error,
    trust_text,
)
from ticketing.recommendations import Outlook


def test_expected_error_by_hand():
    """Two of .2 and two of .9: one of the first is right and both of the others.

    |.2 - .5| / 2 + |.9 - 1| / 2 = .2
    """
    chances = np.array([0.2, 0.2, 0.9, 0.9])
    assert expected_error(chances, np.array([True, False, True, True])) == pytest.approx(0.2)


def test_a_chance_of_one_lies_in_the_last_bin():
    assert expected_error(np.array([1.0]), np.array([True])) == 0


def test_coverage_by_hand():
    """The likeliest is right, the next not, the third is: 1, 1/2, 2/3."""
    nothing = np.zeros(0)
    found = Foretold(
        nothing,
        nothing,
        nothing > 0,
        np.zeros(3),
        np.array([0.2, 0.9, 0.5]),
        np.array([True, True, False]),
        [Outlook.NOTHING] * 3,
    )
    expected = ((1 / 3, 1), (2 / 3, 1 / 2), (1, 2 / 3))
    np.testing.assert_allclose(coverage(found), expected)


def test_coverage_is_printed_by_quarters():
    """Of five queries the first two are the first point at or beyond a quarter."""
    points = ((0.2, 1.0), (0.4, 0.9), (0.6, 0.8), (0.8, 0.7), (1.0, 0.6))
    *_, quarter, half, most, whole = trust_text(Trust(5, (), (), points))
    assert [line.split()[0] for line in (quarter, half, most, whole)] == [
        "0.40",
        "0.60",
        "0.80",
        "1.00",
    ]
    assert quarter.split()[-1] == "0.900"


def test_text_names_what_could_not_be_measured():
    ways = (Reliability("learned", 0.0123, 0.04567, None, ()),)
    text = trust_text(Trust(4, ways, (Said(Outlook.NOTHING, 0.0, None),), ()))
    assert text[0].startswith("Chances of 4 queries")
    assert "learned  0.012  0.0457      –" in text
    assert any(line.split() == ["nothing", "0.000", "–"] for line in text)
    assert any(" share of queries  with a YES among ten" in line for line in text)
