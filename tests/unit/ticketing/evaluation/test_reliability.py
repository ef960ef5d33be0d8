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


def foretold(answers: list[float], answered: list[bool]) -> Foretold:
    """The chance of each query that a YES is among its ten, and whether one is."""
    nothing, queries = np.zeros(0), len(answers)
    return Foretold(
        nothing,
        nothing,
        nothing > 0,
        np.zeros(queries),
        np.array(answers),
        np.array(answered),
        [Outlook.NOTHING] * queries,
    )


def test_coverage_by_hand():
    """The likeliest is right, the next not, the third is: 1, 1/2, 2/3."""
    found = foretold([0.2, 0.9, 0.5], [True, True, False])
    expected = ((1 / 3, 1), (2 / 3, 1 / 2), (1, 2 / 3))
    np.testing.assert_allclose(coverage(found), expected)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]])
def test_queries_of_one_chance_are_covered_together_in_whatever_order_they_come(order):
    """Of the three at or above .5 two are right, and of all four as well."""
    answers, answered = [0.9, 0.5, 0.5, 0.2], [True, True, False, False]
    found = foretold([answers[i] for i in order], [answered[i] for i in order])
    expected = ((1 / 4, 1), (3 / 4, 2 / 3), (1, 1 / 2))
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


def test_a_quarter_is_printed_by_the_share_of_queries_and_not_by_the_number_of_points():
    points = ((0.25, 1.0), (0.3, 0.9), (0.4, 0.8), (0.9, 0.7), (1.0, 0.6))
    *_, quarter, half, most, whole = trust_text(Trust(20, (), (), points))
    assert [line.split()[0] for line in (quarter, half, most, whole)] == [
        "0.25",
        "0.90",
        "0.90",
        "1.00",
    ]
    assert half.split()[-1] == most.split()[-1] == "0.700"


def test_text_names_what_could_not_be_measured():
    ways = (Reliability("learned", 0.0123, 0.04567, None, ()),)
    text = trust_text(Trust(4, ways, (Said(Outlook.NOTHING, 0.0, None),), ()))
    assert text[0].startswith("Chances of 4 queries")
    assert "learned  0.012  0.0457      –" in text
    assert any(line.split() == ["nothing", "0.000", "–"] for line in text)
    assert any(" share of queries  with a YES among ten" in line for line in text)
