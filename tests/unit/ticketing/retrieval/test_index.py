"""Two steps to the nearest of very many tickets: what the index finds, and what becomes of it."""

import shutil
import time
from types import SimpleNamespace

import numpy as np
import pytest

from tests.examples import scanned
from ticketing.encoders.terms import BUCKETS, SUM
from ticketing.model.layout import CodeLayout
from ticketing.model.recency import Recency
from ticketing.retrieval import held_postings, index, segments
from ticketing.retrieval.index import Index
from ticketing.retrieval.scan import nearest, scan_distances
from ticketing.retrieval.segments import Derived
from ticketing.retrieval.threads import Threads
from ticketing.stores.blocks import CodeBlock

ROWS, SEGMENT = 2600, 512
LAYOUT = CodeLayout(3, (40, 60), (0.0, 0.0), (0.01, 0.02), terms=8)
PAIRS = np.array([[0.3, 0.2, 0.1], [0.2, 0.3, 0.1]])
WEIGHTS = np.array([0.6, 0.3, 0.4], np.float32)
MODEL = SimpleNamespace(layout=LAYOUT, channel_weights=WEIGHTS, recency=Recency())


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """An index of few rows."""
    monkeypatch.setattr(segments, "SEGMENT", SEGMENT)
    monkeypatch.setattr(index, "SEGMENT", SEGMENT)
    monkeypatch.setattr(index, "MIN_ROWS", 2 * SEGMENT)
    monkeypatch.setattr(index, "MIN_COMPARED", 16)
    monkeypatch.setattr(index, "SHARE", 0.02)  # of few rows, whose estimates are rougher


def texts(chance, number):
    """Dense codes [number, size] about some themes, and the terms of each."""
    themes = np.random.default_rng(3).integers(60, 200, (12, sum(LAYOUT.dims)))
    theme = chance.integers(0, 12, number)
    ways = np.random.default_rng(2).normal(0, 12, (6, sum(LAYOUT.dims)))
    dense = themes[theme] + chance.normal(0, 1, (number, 6)) @ ways
    terms = [1 + t * 40 + chance.permutation(40)[: LAYOUT.terms] for t in theme]
    return dense.clip(0, 255).astype(np.uint8), np.array(terms)


def made_rows(number=ROWS, seed=0):
    """Rows of codes, some without a solution."""
    chance = np.random.default_rng(seed)
    codes = np.zeros((number, LAYOUT.width), np.uint8)
    size = sum(LAYOUT.dims)
    for r in range(3):
        dense, terms = texts(chance, number)
        codes[:, r * size : (r + 1) * size] = dense
        start = LAYOUT.terms_span[0] + r * LAYOUT.terms * 3
        kept = np.stack([terms & 255, terms >> 8, np.full_like(terms, SUM // LAYOUT.terms)], -1)
        codes[:, start : start + LAYOUT.terms * 3] = kept.reshape(number, -1)
    codes[:, -1] = np.where(chance.random(number) < 0.2, 3, 7)
    return codes


def made_queries(number=40, seed=1):
    """Queries about the same themes."""
    chance, own = np.random.default_rng(seed), made_rows(number, seed)
    weights = LAYOUT.pattern_weights(PAIRS, WEIGHTS, np.array([True, True]))
    for row in own:
        codes = row[: 2 * sum(LAYOUT.dims)].reshape(2, -1)
        tables = np.zeros((2, BUCKETS), np.uint8)
        for table in tables:
            asked = 1 + chance.integers(12) * 40 + chance.permutation(40)[: LAYOUT.terms]
            table[asked] = SUM // LAYOUT.terms
        yield scanned(codes, tables, weights, coverage=np.array([0.5, 0.2], np.float32))


def block_of(codes, folder, live=None):
    """All rows, or the live ones, of a file whose derived files are kept in the folder."""
    live = np.arange(len(codes)) if live is None else live
    return CodeBlock(codes, live, [f"{row:06}" for row in live], folder=folder)


def ten(block, query):
    """The ids of the ten nearest of a block."""
    distances = scan_distances(block.codes, block.live, query, LAYOUT)
    return [block.ids[i] for i in nearest(distances, 10)]


@pytest.fixture
def block(tmp_path):
    """Rows of which everything is derived."""
    found = block_of(made_rows(), tmp_path / "derived")
    Index(MODEL).complete(found)
    return found


def test_the_ten_nearest_are_among_few(block):
    found = 0
    for query in made_queries():
        near = Index(MODEL).near(block, query, 10)
        assert len(near.live) < ROWS / 3
        assert near.of == ROWS
        found += len(set(ten(near, query)) & set(ten(block, query)))
    assert found >= 0.99 * 400


def test_where_all_are_wanted_all_are_compared(block, monkeypatch):
    monkeypatch.setattr(index, "SHARE", 1.0)
    for query in made_queries(5):
        assert Index(MODEL).near(block, query, 10) is block


def test_what_rows_share_by_the_index_is_what_they_share(block):
    """To the last bit: order and score come from one metric."""
    threads = Threads(2)
    for query in made_queries(5):
        shared = Index(MODEL).shared(block, query, threads)
        assert len(shared) == ROWS // SEGMENT * SEGMENT
        plain = scan_distances(block.codes, block.live, query, LAYOUT)
        found = scan_distances(block.codes, block.live, query, LAYOUT, threads, shared)
        np.testing.assert_array_equal(found, plain)


def test_what_few_rows_share_is_what_they_share_without_a_file(tmp_path, monkeypatch):
    """Of few rows all is derived in memory, again when many more came."""
    monkeypatch.setattr(index, "MIN_ROWS", ROWS + 700)
    monkeypatch.setattr(held_postings, "FEWEST", 100)
    codes, known = made_rows(ROWS + 600), Index(MODEL)
    for rows, derived in (ROWS - 200, ROWS - 200), (ROWS, ROWS - 200), (ROWS + 600, ROWS + 600):
        some = block_of(codes[:rows], tmp_path / "derived", live=np.arange(rows)[::-1])
        for query in made_queries(3):
            shared = known.shared(some, query)
            assert len(shared) == derived
            plain = scan_distances(some.codes, some.live, query, LAYOUT)
            found = scan_distances(some.codes, some.live, query, LAYOUT, shared=shared)
            np.testing.assert_array_equal(found, plain)
    assert not (tmp_path / "derived").exists()


def test_nothing_is_derived_of_what_is_not_kept_or_not_compared(tmp_path, monkeypatch):
    monkeypatch.setattr(index, "MIN_ROWS", ROWS + 1)
    monkeypatch.setattr(held_postings, "FEWEST", 100)
    codes, query, known = made_rows(), next(made_queries()), Index(MODEL)
    for block in (
        block_of(codes, None),
        block_of(codes, tmp_path, live=np.arange(0, ROWS, 3)),
        block_of(codes[:, 1:], tmp_path),
        block_of(codes[:99], tmp_path),
    ):
        assert not len(known.shared(block, query))


def test_only_what_passes_a_filter_is_chosen(block):
    half = block_of(block.codes, block.folder, live=np.arange(0, ROWS, 2)[::-1])
    few = block_of(block.codes, block.folder, live=np.arange(0, ROWS, 20))
    for query in made_queries(5):
        near = Index(MODEL).near(half, query, 10)
        assert len(near.live) < len(half.live) / 2
        assert set(near.live.tolist()) <= set(half.live.tolist())
        assert Index(MODEL).near(few, query, 10) is few


def test_rows_that_came_later_are_always_compared(block):
    query = next(made_queries())
    more = np.concatenate([block.codes, made_rows(700, seed=5)])
    later = block_of(more, block.folder)
    known = Index(MODEL)
    known.making = SimpleNamespace(is_alive=lambda: True)
    near = known.near(later, query, 10)
    assert set(range(ROWS // SEGMENT * SEGMENT, len(more))) <= set(near.live.tolist())
    known.complete(later)
    assert len(known.shared(later, query)) == len(more) // SEGMENT * SEGMENT
    assert len(known.near(later, query, 10).live) < len(near.live)


def test_what_is_missing_is_derived_while_others_answer(tmp_path):
    block, query = block_of(made_rows(), tmp_path / "derived"), next(made_queries())
    known = Index(MODEL)
    assert known.near(block, query, 10) is block
    known.making.join()
    assert len(known.near(block, query, 10).live) < ROWS


def test_a_disk_that_takes_no_files_is_left_in_peace_for_a_while(tmp_path, monkeypatch):
    (tmp_path / "plain").touch()
    block, query = block_of(made_rows(), tmp_path / "plain" / "derived"), next(made_queries())
    known, tries = Index(MODEL), []
    monkeypatch.setattr(known, "complete", spied(known.complete, tries))

    def ask():
        known.near(block, query, 10)
        known.making.join()

    ask()
    ask()
    assert len(tries) == 1
    later = time.monotonic() + index.REST_S
    monkeypatch.setattr(index.time, "monotonic", lambda: later)
    ask()
    assert len(tries) == 2


def spied(function, calls):
    """The function, which also notes that it was called."""

    def called(*given):
        calls.append(given)
        return function(*given)

    return called


def test_codes_that_are_dropped_while_something_is_derived_of_them_leave_no_folder(
    tmp_path, monkeypatch
):
    block = block_of(made_rows(), tmp_path / "derived")

    def meanwhile(*given):
        shutil.rmtree(block.folder)
        return of_rows(*given)

    of_rows = segments.Segment.of
    monkeypatch.setattr(segments.Segment, "of", meanwhile)
    Index(MODEL).complete(block)
    assert not block.folder.exists()


@pytest.mark.parametrize("harm", ["torn", "changed", "of other rows", "gone"])
def test_a_file_that_is_not_whole_or_of_other_rows_is_made_anew(block, harm):
    query, file = next(made_queries()), block.folder / "1.safetensors"
    whole, codes = file.read_bytes(), block.codes
    if harm == "torn":
        file.write_bytes(whole[: len(whole) // 2])
    elif harm == "changed":
        file.write_bytes(whole[:-40] + bytes(40))
    elif harm == "gone":
        file.unlink()
    else:
        codes = made_rows(seed=9)
    harmed = block_of(codes, block.folder)
    derived = Derived(block.folder, LAYOUT, WEIGHTS)
    damaged = {"of other rows": 5, "gone": 0}.get(harm, 1)
    assert len(derived.damaged(codes)) == damaged
    known = Index(MODEL)
    known.complete(harmed)
    assert Derived(block.folder, LAYOUT, WEIGHTS).damaged(codes) == []
    assert set(ten(known.near(harmed, query, 10), query)) == set(ten(harmed, query))


def test_few_tickets_and_those_without_a_folder_are_compared_all(tmp_path):
    query, codes = next(made_queries()), made_rows()
    for block in (block_of(codes, None), block_of(codes[:SEGMENT], tmp_path)):
        Index(MODEL).complete(block)
        assert Index(MODEL).near(block, query, 10) is block
    assert list(tmp_path.iterdir()) == []


def test_tickets_that_are_named_are_among_the_few(block):
    [query] = made_queries(1)
    near = Index(MODEL).near(block, query, 10)
    far = sorted(set(block.ids) - set(near.ids))[::500]
    both = Index(MODEL).near(block, query, 10, also=[*far, near.ids[0], "unknown"])
    assert set(both.ids) == {*near.ids, *far}
    assert list(both.ids) == sorted(both.ids)
