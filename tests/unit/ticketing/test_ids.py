"""Very many ids, one after the other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ticketing.ids import Ids

NAMES = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), unique=True)


@given(NAMES)
def test_ids_in_any_order_ascend_and_where_each_stood_is_known(names):
    ids, order = Ids.of(names).in_order()
    assert list(ids) == sorted(names) == [names[place] for place in order]


@given(NAMES, st.text("abc"))
def test_each_is_found_where_it_stands(names, other):
    ids, _ = Ids.of(names).in_order()
    assert [ids.place(id) for id in ids] == list(range(len(names)))
    assert ids.at(np.arange(len(names))[::-1]) == sorted(names)[::-1]
    assert ids.place(other) == (sorted(names).index(other) if other in names else None)
