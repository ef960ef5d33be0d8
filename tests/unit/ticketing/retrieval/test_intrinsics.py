"""What a processor sums, beside plain numpy: by the instruction that it has, and without one."""

from itertools import product

import numpy as np
import pytest
from numba import njit
from numba.core import config

from ticketing.retrieval.intrinsics import SUMMING, blocks_difference, summing

SIZE, BLOCKS = 64, 3


def known_features():
    """Those of SUMMING that this processor has, and none."""
    best = summing()
    names = list(SUMMING)
    return ["", *(names[names.index(best) :] if best else [])]


@pytest.mark.parametrize("queries", [1, 2])
@pytest.mark.parametrize("feature", known_features())
def test_differences_of_blocks_are_those_of_numpy(feature, queries):
    difference = blocks_difference(SIZE, feature, queries)

    @njit
    def compiled(row, starts, query, masks):
        return difference(row, 5, starts, 1, 3, query, SIZE, 2 * SIZE, masks)

    chance = np.random.default_rng(3)
    row, query, masks = (chance.integers(0, 256, n, np.uint8) for n in (205, 384, 192))
    starts = np.array([0, 64, 136])
    expected = [0, 0]
    for block, number in product((1, 2), range(queries)):
        own = row[5 + starts[block] :][:SIZE] & masks[block * SIZE :][:SIZE]
        asked = query[(1 + 2 * number + block) * SIZE :][:SIZE]
        expected[number] += int(np.abs(own.astype(int) - asked).sum())
    found = compiled(row, starts, query, masks)
    assert [found & 0xFFFFFFFF, found >> 32] == expected
    row[:], query[:], masks[:] = 255, 0, 255  # the largest
    assert compiled(row, starts, query, masks) == 2 * SIZE * 255 * (1 + (queries - 1 << 32))


@pytest.mark.parametrize(
    ("name", "value"), [("CPU_NAME", "generic"), ("CPU_FEATURES", "+sse2"), ("ENABLE_AVX", 0)]
)
def test_no_instruction_is_taken_that_numba_is_told_to_do_without(monkeypatch, name, value):
    monkeypatch.setattr(config, name, value)
    assert summing() == ""
