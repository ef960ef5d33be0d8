"""Parts of a distance against plain numpy; that they add up to it the desk's tests say."""

import numpy as np
from hypothesis import given, settings

from tests.examples import scanned
from tests.unit.ticketing.retrieval.test_scan import scans, terms_of
from ticketing.encoders.terms import BUCKETS, SUM
from ticketing.model.layout import CodeLayout
from ticketing.retrieval.parts import distances, missing


def test_distances_of_a_row_by_hand():
    """Dense channel 5 and 7 against 2; of term 7, which the query weighs 200 and 0, 100 is kept;
    term 9, which it weighs 55 and 0, the row lacks."""
    layout = CodeLayout(1, (1,), (0.0,), (1.0,), terms=2)
    terms = np.array([[[[7, 0], [100, 0]]]])
    rows = layout.rows([np.array([[[2.0]]])], np.array([[True]]), terms)
    tables = np.zeros((2, 16), np.uint8)
    tables[0, [7, 9]] = 200, 55
    weights = np.ones((2, 2, 1, 2), np.float32)
    query = scanned(np.array([[5], [7]], np.uint8), tables, weights)
    assert distances(rows, query, layout).tolist() == [[[[3, 310]], [[5, 510]]]]
    assert missing(rows, query, layout).tolist() == [[55 / SUM, 0]]


@settings(deadline=None, max_examples=60)
@given(scans())
def test_distances_are_the_plain_sums(scan):
    codes, _, query, layout, *_ = scan
    found = distances(codes, query, layout)
    dense, channels = layout.dense(codes).astype(int), [*map(int, layout.bounds)]
    for p, asked in enumerate(query.codes.astype(int)):
        apart = np.abs(dense - asked)  # [n, R, size]
        for c, first in enumerate(channels[:-1]):
            own = apart[..., first : channels[c + 1]].sum(-1)
            assert (found[:, p, :, c] == own).all()
    if layout.terms:
        assert found[..., -1].tolist() == [plain_terms(row, query, layout) for row in codes]


def plain_terms(row, query, layout):
    """What a row's terms are apart from the query's: [P, R]."""
    weights = np.zeros((layout.components, BUCKETS), int)
    for r in range(layout.components):
        for low, high, weight in terms_of(row, layout, r).astype(int):
            weights[r, low + 256 * high] = weight
    shared = np.minimum(weights, query.terms[:, None].astype(int)).sum(-1)
    return (2 * SUM - 2 * shared).tolist()
