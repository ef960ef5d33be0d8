"""What is chosen by estimates: the one at a rank, beside a sorted list."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ticketing.retrieval.estimate import at_rank

NUMBERS = st.integers(-(1 << 31), (1 << 31) - 1)


@given(st.lists(NUMBERS | st.integers(-3, 3) | st.sampled_from([1 << 20, 1 << 8]), min_size=1))
def test_the_value_at_each_rank_is_that_of_a_sorted_list(values):
    of = np.array(values, np.int32)
    assert [at_rank(of, rank) for rank in range(len(values))] == sorted(values)
    assert of.tolist() == values
