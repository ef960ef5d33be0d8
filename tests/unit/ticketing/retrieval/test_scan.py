"""The compiled scan against plain numpy, and which rows come nearest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import scanned
from ticketing.encoders.terms import BUCKETS, SUM
from ticketing.errors import StoreError
from ticketing.model.layout import CodeLayout
from ticketing.queries import LARGEST
from ticketing.retrieval import scan
from ticketing.retrieval.kernel import BLOCK
from ticketing.retrieval.scan import CHUNK, chunks, cut, nearest, scan_distances, weigh
from ticketing.retrieval.threads import Threads


def plain_distances(codes, live, query, layout, pairs, channels, query_present):
    """Equation 1 over decoded vectors, row by row, without a table of patterns."""
    distances = []
    size = sum(layout.dims)
    starts = np.cumsum([0, *layout.dims])
    for row in codes[live]:
        present = [bool(row[-1] >> r & 1) for r in range(layout.components)]
        kept = pairs * np.outer(query_present, present)
        if not kept.any():
            distances.append(np.inf)
            continue
        kept = kept * pairs.sum() / kept.sum()
        total = 0.0
        for p, r in np.argwhere(kept > 0):
            ticket = row[r * size : (r + 1) * size].astype(float)
            apart = np.abs(query.codes[p].astype(float) - ticket)
            for c, step in enumerate(layout.steps):
                total += kept[p, r] * channels[c] * step * apart[starts[c] : starts[c + 1]].sum()
            if layout.terms:
                weights = np.zeros(BUCKETS)
                for low, high, weight in terms_of(row, layout, r).astype(int):
                    weights[low + 256 * high] = weight
                shared = np.minimum(weights, query.terms[p]).sum() / SUM
                total += kept[p, r] * channels[-1] * (2 - 2 * shared)
        total += lacking(row, query, layout)
        distances.append(total)
    return np.array(distances)


def lacking(row, query, layout):
    """What the weight of the terms that no component of the row holds adds."""
    held = {
        low + 256 * high
        for r in range(layout.components)
        for low, high, _ in terms_of(row, layout, r).astype(int)
    }
    return sum(
        worth * weights[bucket] / SUM
        for worth, weights in zip(query.coverage, query.terms.astype(int), strict=True)
        for bucket in np.flatnonzero(weights)
        if bucket not in held
    )


def terms_of(row, layout, r):
    """Bytes of a component's terms: [terms, 3]."""
    return row[slice(*layout.terms_span)].reshape(layout.components, -1, 3)[r]


@st.composite
def scans(draw):
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    queries, components = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    terms = draw(st.sampled_from([0, 1, 3, 16, 32]))
    widths = st.integers(1, 5) | st.sampled_from([BLOCK - 1, BLOCK, BLOCK + 1, 100])
    dims = tuple(draw(st.lists(widths, min_size=not terms, max_size=3)))
    layout = CodeLayout(
        components,
        dims,
        tuple(chance.normal(size=len(dims))),
        tuple(chance.random(len(dims)) + 0.01),
        terms,
    )
    rows = draw(st.integers(1, 12))
    codes = chance.integers(0, 256, (rows, layout.width), dtype=np.uint8)
    codes[:, -1] = chance.integers(0, 1 << components, rows)
    some = 1 + chance.permutation(BUCKETS - 1)[: terms + 2]  # few, so that texts meet
    for row in codes if terms else ():
        for r in range(components):
            kept = chance.integers(0, terms + 1)
            drawn = np.zeros((terms, 3), int)
            drawn[:kept, 0] = chance.choice(some, kept, replace=False)
            drawn[:kept, 2] = chance.integers(1, 256, kept)
            drawn[:, 1], drawn[:, 0] = drawn[:, 0] >> 8, drawn[:, 0] & 255
            terms_of(row, layout, r)[:] = drawn
    live = np.sort(chance.permutation(rows)[: draw(st.integers(0, rows))]).astype(np.int64)
    tables = np.zeros((queries, BUCKETS if terms else 0), np.uint8)
    if terms:
        tables[:, some[1:]] = chance.integers(0, 256, (queries, terms + 1))
    query = chance.integers(0, 256, (queries, sum(dims)), dtype=np.uint8)
    pairs = chance.random((queries, components)) * (chance.random((queries, components)) > 0.2)
    present = chance.random(queries) > 0.3
    channels = chance.random(len(dims) + bool(terms)) + 0.01
    weights = layout.pattern_weights(pairs, channels, present)
    coverage = chance.random(queries).astype(np.float32) * draw(st.booleans()) * bool(terms)
    code = scanned(query, tables, weights, present, coverage)
    return codes, live, code, layout, pairs, channels, present


@settings(deadline=None, max_examples=60)
@given(scans())
def test_the_compiled_scan_is_the_plain_sum(scan):
    codes, live, query, layout, *_ = scan
    found = scan_distances(codes, live, query, layout)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, plain_distances(*scan), rtol=1e-4)


def test_weights_are_whole_numbers_of_a_unit_by_hand():
    """V .5 and .25 (alone .75, the largest), W 1 and .5; the query weighs one bucket 4, and to lack
    a whole query costs 51, which is
    less a unit of its terms than .75."""
    layout = CodeLayout(2, (1,), (0.0,), (1.0,), terms=1)
    pairs, channels = np.array([[0.5, 0.25]]), np.array([1.0, 0.5])
    weights = layout.pattern_weights(pairs, channels, np.array([True]))
    tables = np.zeros((1, BUCKETS), np.uint8)
    tables[0, 7] = 4
    query = scanned(np.array([[9]], np.uint8), tables, weights, coverage=np.array([51.0]))
    found = weigh(query, cut(query.codes, layout.bounds))
    assert query.unit == 0.75 / LARGEST
    two_thirds, third = round(2 * LARGEST / 3), round(LARGEST / 3)
    assert found.blocks[..., 0, :].tolist() == [
        [[0, 0], [0, 0]],
        [[LARGEST, 0], [0, 0]],
        [[0, 0], [LARGEST, 0]],
        [[two_thirds, 0], [third, 0]],
    ]
    lack = round(51 / SUM / query.unit)
    term, of_pair = round(LARGEST / 2 / SUM), (round(LARGEST / 3 / SUM), round(LARGEST / 6 / SUM))
    assert found.terms.tolist() == [
        [0, 0, lack],
        [2 * term, 0, lack],
        [0, 2 * term, lack],
        [2 * of_pair[0], 2 * of_pair[1], lack],
    ]
    whole = [-1, 2 * SUM * term + 4 * lack, 2 * SUM * term + 4 * lack]
    assert found.fixed.tolist() == [*whole, 2 * SUM * sum(of_pair) + 4 * lack]


@pytest.mark.parametrize("pattern", [4, 255])
def test_a_row_that_names_more_components_than_there_are_is_infinitely_far(pattern):
    """The compiled loop checks no index by itself: such a row read beyond the weights."""
    layout = CodeLayout(2, (1,), (0.0,), (1.0,))
    codes = np.array([[1, 1, 0, 0, 0, 0, 3], [1, 1, 0, 0, 0, 0, pattern]], np.uint8)
    weights = layout.pattern_weights(np.array([[0.5, 0.5]]), np.array([1.0]), np.array([True]))
    query = scanned(np.array([[3]], np.uint8), weights=weights)
    found = scan_distances(codes, np.array([0, 1]), query, layout)
    assert found.tolist() == [2, np.inf]


@pytest.mark.parametrize(("width", "row"), [(6, 0), (7, 1), (7, -1)])
def test_rows_that_the_layout_does_not_describe_are_refused(width, row):
    layout = CodeLayout(2, (1,), (0.0,), (1.0,))
    weights = layout.pattern_weights(np.array([[0.5, 0.5]]), np.array([1.0]), np.array([True]))
    query = scanned(np.array([[3]], np.uint8), weights=weights)
    with pytest.raises(StoreError, match="check --repair"):
        scan_distances(np.zeros((1, width), np.uint8), np.array([row]), query, layout)


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr(scan, "CHUNK", 7)
    chance = np.random.default_rng(3)
    layout = CodeLayout(2, (3, 2), (0.0, 0.0), (0.1, 0.2))
    codes = chance.integers(0, 256, (100, layout.width), dtype=np.uint8)
    codes[:, -1] = chance.integers(0, 4, 100)
    live = np.arange(0, 100, 2)
    weights = layout.pattern_weights(np.array([[0.4, 0.6]]), np.array([1.0, 2.0]), np.array([True]))
    query = scanned(chance.integers(0, 256, (1, 5), dtype=np.uint8), weights=weights)
    alone = scan_distances(codes, live, query, layout)
    together = scan_distances(codes, live, query, layout, Threads(4))
    assert alone.tolist() == together.tolist()
    assert np.isinf(alone).any() and np.isfinite(alone).any()


@pytest.mark.parametrize("rows", [1, CHUNK, CHUNK + 1, 100_000, 200_001])
def test_parts_are_equal_and_of_all_rows(rows):
    taken = [part.indices(rows)[:2] for part in chunks(rows)]
    assert [row for ends in taken for row in range(*ends)] == list(range(rows))
    sizes = [stop - start for start, stop in taken]
    assert max(sizes) <= CHUNK
    assert max(sizes) - min(sizes) <= 1


def test_a_read_only_memory_map_is_scanned(tmp_path):
    layout = CodeLayout(1, (2,), (0.0,), (1.0,))
    rows = layout.rows([np.array([[[1.0, 2]], [[5, 5]]])], np.array([[True], [True]]))
    rows.tofile(tmp_path / "codes")
    codes = np.memmap(tmp_path / "codes", np.uint8, "r", shape=rows.shape)
    weights = layout.pattern_weights(np.array([[1.0]]), np.array([1.0]), np.array([True]))
    query = scanned(np.array([[1, 1]], np.uint8), weights=weights)
    assert scan_distances(codes, np.array([1, 0]), query, layout).tolist() == [8, 1]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 9])
def test_the_nearest_come_by_distance_then_position_without_infinite_ones(limit):
    distances = np.array([2, 1, np.inf, 1, 2], np.float32)
    assert nearest(distances, limit).tolist() == [1, 3, 0, 4][:limit]


def test_nothing_is_nearest_to_nothing():
    assert nearest(np.zeros(0, np.float32), 10).tolist() == []
    assert nearest(np.full(3, np.inf, np.float32), 2).tolist() == []


@given(st.lists(st.sampled_from([0.5, 1.0, 1.5, float("inf")]), max_size=30), st.integers(1, 35))
def test_the_nearest_are_the_head_of_a_full_stable_sort(distances, limit):
    everything = sorted(
        (distance, i) for i, distance in enumerate(distances) if distance != float("inf")
    )
    found = nearest(np.array(distances, np.float32), limit)
    assert found.tolist() == [i for _, i in everything][:limit]
