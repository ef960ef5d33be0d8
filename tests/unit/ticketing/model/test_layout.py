"""Rows of bytes: layout and presence by hand, and an error of half a step at most."""

from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.model.layout import LEVELS, CodeLayout, fit_layout, minute_of

LAYOUT = CodeLayout(components=2, dims=(2, 1), lows=(0.0, -1.0), steps=(1.0, 0.5))


def test_a_row_by_hand():
    """Component 0, then component 1, each h h E; four bytes of time, here unknown; the last byte
    has bit r for component r."""
    h = np.array([[[3.0, 4.4], [7.0, 8.0]], [[1.0, 1.0], [9.0, 9.0]]])
    E = np.array([[[0.0], [1.0]], [[0.0], [1.5]]])
    rows = LAYOUT.rows([h, E], np.array([[True, True], [False, True]]))
    assert LAYOUT.width == 11
    assert rows.dtype == np.uint8
    unknown = [0] * 4
    assert rows.tolist() == [[3, 4, 2, 7, 8, 4, *unknown, 0b11], [0, 0, 0, 9, 9, 5, *unknown, 0b10]]


def test_terms_and_minutes_by_hand():
    """Two terms a component, each two bytes of bucket and one of weight, low byte first."""
    layout = CodeLayout(2, (1,), (0.0,), (1.0,), terms=2)
    terms = np.array([[[[0x0102, 3], [200, 55]], [[0xFFFF, 0], [255, 0]]]])
    minutes = np.array([0x01020304])
    [row] = layout.rows([np.array([[[9.0], [8.0]]])], np.array([[True, True]]), terms, minutes)
    assert (layout.terms_span, layout.width) == ((2, 14), 19)
    assert row[:2].tolist() == [9, 8]
    assert row[2:14].tolist() == [0x02, 0x01, 200, 3, 0, 55, 0xFF, 0xFF, 255, 0, 0, 0]
    assert row[14:].tolist() == [4, 3, 2, 1, 0b11]


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5), st.randoms())
def test_minutes_come_back_as_they_went_in(minutes, chance):
    layout = CodeLayout(1, (2,), (0.0,), (1.0,), terms=1)
    n = len(minutes)
    terms = np.ones((n, 1, 2, 1), np.int32)
    rows = layout.rows([np.ones((n, 1, 2))], np.ones((n, 1), bool), terms, np.array(minutes))
    live = np.array(chance.sample(range(n), n))
    assert layout.minutes(rows, live).tolist() == [minutes[i] for i in live]


def test_minutes_since_1970_and_none_for_what_is_unknown_or_before():
    assert minute_of(datetime(1970, 1, 2, 0, 5, 59)) == 24 * 60 + 5
    assert minute_of(None) == minute_of(datetime(1969, 12, 31)) == 0


def test_a_row_of_terms_alone():
    layout = fit_layout([], np.array([[True]]), terms=1)
    [row] = layout.rows([], np.array([[True]]), np.array([[[[7], [255]]]]))
    assert row.tolist() == [7, 0, 255, 0, 0, 0, 0, 1]


def test_values_outside_the_range_are_clipped():
    h = np.array([[[-5.0, 400.0]]])
    E = np.array([[[1000.0]]])
    assert LAYOUT.quantise([h, E], np.array([[True]])).tolist() == [[[0, LEVELS, LEVELS]]]
    assert LAYOUT.quantise([h, E], np.array([[False]])).tolist() == [[[0, 0, 0]]]


@given(st.floats(-100, 100), st.floats(0.01, 50), st.floats(0, 1))
def test_inside_the_range_the_error_is_at_most_half_a_step(low, span, place):
    layout = CodeLayout(1, (1,), (low,), (span / LEVELS,))
    value = low + span * place
    code = int(layout.quantise([np.array([[[value]]])], np.array([[True]]))[0, 0, 0])
    assert abs(low + code * span / LEVELS - value) <= span / LEVELS / 2 + 1e-9


def test_pattern_weights_by_hand():
    """V .4 .1 over two ticket components, one query component, W 2 and 3, steps 1 and .5."""
    weights = LAYOUT.pattern_weights(np.array([[0.4, 0.1]]), np.array([2.0, 3.0]), np.array([True]))
    assert weights.dtype == np.float32
    assert weights.shape == (4, 1, 2, 2)
    no = [-1, -1]
    np.testing.assert_allclose(weights[0b00], [[no, no]])
    np.testing.assert_allclose(weights[0b01], [[[1.0, 0.75], no]], rtol=1e-6)
    np.testing.assert_allclose(weights[0b10], [[no, [1.0, 0.75]]], rtol=1e-6)
    np.testing.assert_allclose(weights[0b11], [[[0.8, 0.6], [0.2, 0.15]]], rtol=1e-6)


def test_terms_weigh_by_their_share_of_the_sum():
    """W 3 over the 255 that a text's terms add up to."""
    layout = CodeLayout(1, (1,), (0.0,), (0.5,), terms=2)
    weights = layout.pattern_weights(np.array([[2.0]]), np.array([1.0, 3.0]), np.array([True]))
    np.testing.assert_allclose(weights[1, 0, 0], [1.0, 2 * 3 / 255], rtol=1e-6)


def test_a_pair_of_no_weight_is_not_compared():
    weights = LAYOUT.pattern_weights(np.array([[0.5, 0.0]]), np.array([1.0, 1.0]), np.array([True]))
    assert (weights[0b11, 0, 1] == -1).all()
    assert (weights[0b10] == -1).all()


def test_a_query_without_components_compares_nothing():
    weights = LAYOUT.pattern_weights(
        np.array([[0.4, 0.1]]), np.array([2.0, 3.0]), np.array([False])
    )
    assert (weights == -1).all()


def test_a_fitted_layout_spans_what_present_components_use():
    h = np.array([[[0.0, 2.0], [99.0, 99.0]]])
    layout = fit_layout([h], np.array([[True, False]]))
    assert (layout.components, layout.dims) == (2, (2,))
    assert layout.lows[0] == pytest.approx(0.0, abs=1e-3)
    assert layout.steps[0] == pytest.approx(2 / LEVELS, rel=1e-3)


@pytest.mark.parametrize("present", [[[False]], np.zeros((0, 1), bool)])
def test_a_layout_of_nothing_is_a_layout_still(present):
    present = np.array(present, dtype=bool)
    layout = fit_layout([np.zeros((*present.shape, 3))], present)
    assert layout.steps[0] > 0
    assert layout.width == 8
