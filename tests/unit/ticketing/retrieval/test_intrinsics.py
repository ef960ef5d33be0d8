"""What a processor sums, beside plain numpy: by the instruction that it has, and without one."""

from itertools import product

import numpy as np
import pytest
from numba import njit
from numba.core import config

from ticketing.retrieval.intrinsics import SUMMING, summing, weighted_difference

SIZE, BLOCKS = 64, 3


def known_features():
    """Those of SUMMING that this processor has, and none."""
    best = summing()
    names = list(SUMMING)
    return ["", *(names[names.index(best) :] if best else [])]


@pytest.mark.parametrize("feature", known_features())
def test_weighted_differences_of_blocks_are_those_of_numpy(feature):
    difference = weighted_difference(SIZE, feature)

    @njit
    def compiled(row, starts, queries, masks, weights):
        return difference(row, 5, starts, 1, 3, queries, masks, weights, 4)

    chance = np.random.default_rng(3)
    row, queries, masks = (chance.integers(0, 256, n, np.uint8) for n in (205, 384, 192))
    starts, weights = np.array([0, 64, 136]), chance.integers(0, 1 << 32, 10)
    expected = 0
    for block, number in product((1, 2), (0, 1)):
        own = row[5 + starts[block] :][:SIZE] & masks[block * SIZE :][:SIZE]
        asked = queries[(2 * block + number) * SIZE :][:SIZE]
        apart = int(np.abs(own.astype(int) - asked).sum())
        expected += apart * int(weights[4 + 2 * block + number])
    assert compiled(row, starts, queries, masks, weights) == expected
    row[:], queries[:], masks[:], weights[:] = 255, 0, 255, (1 << 32) - 1  # the largest
    largest = 4 * SIZE * 255 * ((1 << 32) - 1)
    assert compiled(row, starts, queries, masks, weights) == largest


@pytest.mark.parametrize(
    ("name", "value"), [("CPU_NAME", "generic"), ("CPU_FEATURES", "+sse2"), ("ENABLE_AVX", 0)]
)
def test_no_instruction_is_taken_that_numba_is_told_to_do_without(monkeypatch, name, value):
    monkeypatch.setattr(config, name, value)
    assert summing() == ""
