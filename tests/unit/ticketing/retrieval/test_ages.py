"""What time adds is remembered for one block and one time, and right for any."""

from datetime import datetime
from types import SimpleNamespace

import numpy as np

from ticketing.model.layout import CodeLayout
from ticketing.model.recency import Recency
from ticketing.retrieval.ages import Ages
from ticketing.stores.blocks import CodeBlock

LAYOUT = CodeLayout(1, (2,), (0.0,), (1.0,))
MODEL = SimpleNamespace(layout=LAYOUT, recency=Recency(0.5, typical=2.0))
MINUTES = np.array([0, 10_000, 1_000_000, 23_000_000])
TIMES = datetime(2013, 5, 1), datetime(1970, 1, 9)


def blocks():
    vectors, present = [np.zeros((4, 1, 2), np.float32)], np.ones((4, 1), bool)
    codes = LAYOUT.rows(vectors, present, minutes=MINUTES)
    for live in (np.arange(4), np.array([3, 1])):
        yield CodeBlock(codes, live, [str(row) for row in live])


def test_any_block_at_any_time_is_as_far_as_it_is():
    ages = Ages(MODEL)
    for _ in range(2):
        for block in blocks():
            for time in TIMES:
                expected = MODEL.recency.distances(time, MINUTES[block.live]).astype(np.float32)
                np.testing.assert_array_equal(ages.distances(block, time), expected)
                assert ages.distances(block, time) is ages.distances(block, time)


def test_no_tickets_have_no_ages():
    nothing = CodeBlock(np.zeros((0, 0), np.uint8), np.arange(0), [])
    assert len(Ages(MODEL).distances(nothing, TIMES[0])) == 0
