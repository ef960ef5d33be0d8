"""The steps of a ranking, by hand."""

from types import SimpleNamespace

import numpy as np

from ticketing.retrieval.ranking import Best
from ticketing.retrieval.rescoring import unmoved
from ticketing.stores.blocks import CodeBlock


def test_a_ticket_that_is_not_among_the_best_ranks_behind_all_of_them():
    """Of A, B and C the best are C and A."""
    block = CodeBlock(np.zeros((3, 1), np.uint8), np.arange(3), ["A", "B", "C"])
    apart = np.array([1, 2], np.float32)
    best = Best(SimpleNamespace(block=block), np.array([2, 0]), apart, unmoved(apart))
    assert [best.rank_of(id) for id in "CAB"] == [0, 1, 2]
