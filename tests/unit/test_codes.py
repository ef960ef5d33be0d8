"""Rows of bytes: layout and presence by hand, and an error of half a step at most."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.similarity.codes import LEVELS, CodeLayout, fit_layout

LAYOUT = CodeLayout(components=2, dims=(2, 1), lows=(0.0, -1.0), steps=(1.0, 0.5))


def test_a_row_by_hand():
    """Component 0, then component 1, each h h E; the last byte has bit r for component r."""
    h = np.array([[[3.0, 4.4], [7.0, 8.0]], [[1.0, 1.0], [9.0, 9.0]]])
    E = np.array([[[0.0], [1.0]], [[0.0], [1.5]]])
    rows = LAYOUT.rows([h, E], np.array([[True, True], [False, True]]))
    assert LAYOUT.width == 7
    assert rows.dtype == np.uint8
    assert rows.tolist() == [[3, 4, 2, 7, 8, 4, 0b11], [0, 0, 0, 9, 9, 5, 0b10]]


def test_values_outside_the_range_are_clipped():
    h = np.array([[[-5.0, 400.0]]])
    E = np.array([[[1000.0]]])
    assert LAYOUT.quantise([h, E]).tolist() == [[[0, LEVELS, LEVELS]]]


@given(st.floats(-100, 100), st.floats(0.01, 50), st.floats(0, 1))
def test_inside_the_range_the_error_is_at_most_half_a_step(low, span, place):
    layout = CodeLayout(1, (1,), (low,), (span / LEVELS,))
    value = low + span * place
    code = int(layout.quantise([np.array([[[value]]])])[0, 0, 0])
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
    assert layout.width == 4
