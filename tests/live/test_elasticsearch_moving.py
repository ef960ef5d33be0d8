"""A desk moves from SQLite to a real Elasticsearch and back, and nothing is lost on the way."""

from dataclasses import replace

import numpy as np
import pytest

from tests.examples import query_by
from tests.filled import fill
from ticketing.stores.migration import copy_all, require_equal
from ticketing.stores.sqlite import SQLiteStore

pytestmark = pytest.mark.elasticsearch


def with_vectors(bundle_id, rows):
    """Any vector that follows from the codes will do."""
    return [replace(row, vector=row.code) for row in rows]


def shown(what, total, unit=""):
    return lambda count: None


def test_a_desk_moves_there_and_back(tmp_path, elasticsearch_store):
    here, back = SQLiteStore(tmp_path / "here"), SQLiteStore(tmp_path / "back")
    fill(here)
    copy_all(here, elasticsearch_store, with_vectors, shown)
    require_equal(here, elasticsearch_store, shown)
    near = query_by([], np.full(6, 100, np.int8))
    assert "T-100" in elasticsearch_store.candidates("b1", near).ids
    copy_all(elasticsearch_store, back, lambda bundle_id, rows: rows, shown)
    require_equal(here, back, shown)
    for store in (here, back):
        store.close()
