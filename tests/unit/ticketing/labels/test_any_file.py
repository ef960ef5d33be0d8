"""Whatever a file of labels or events holds: rows are taken or refused, and nothing else."""

import json
import os
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ticketing.errors import InputError
from ticketing.labels import import_labels
from ticketing.labels.events import to_json
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import Grade, Judgment, Query, Ticket

EXAMPLES = 200 if os.environ.get("CI") else 1000  # CI has the same ones each time
EVENT = Judgment("e1", Query("Trip"), "T-1", Grade.YES, "ann", datetime(2024, 1, 1), rank=1)
ODD = st.one_of(
    st.sampled_from(["", "T-1", "T-2", "YES", "no", "2", "5", "é\u2028", "\ud800", "&#9999999999"]),
    st.sampled_from(["0001-01-01T00:00:00+01:00", "9999-12-31", "soon", "=1+1", "\0", "a\x1cb"]),
    st.text(max_size=5),
    st.integers(),
    st.integers(10**17, 10**40),
    st.floats(),
    st.none() | st.booleans(),
)
ANY = st.recursive(
    ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD.map(str), inner),
    max_leaves=4,
)
FIELDS = [*json.loads(to_json(EVENT)), "subject", "description", "docid", "rating", "grade"]
EVENTS = st.dictionaries(st.sampled_from(FIELDS), ANY, max_size=3).map(
    lambda odd: json.loads(to_json(EVENT)) | odd
)
LABELS = st.fixed_dictionaries({"query": ANY, "docid": ANY, "rating": ANY})
LINES = st.one_of(
    st.lists(st.one_of(EVENTS, LABELS, ANY).map(json.dumps), min_size=1, max_size=4).map("\n".join),
    st.text(max_size=30),
)
CELLS = st.lists(ODD.map(str), min_size=3, max_size=3).map(",".join)
TABLE = st.lists(CELLS, max_size=4).map(lambda rows: "\n".join(["query,docid,rating", *rows]))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = SQLiteStore(tmp_path_factory.mktemp("store"))
    store.put_tickets([Ticket("T-1", "Trip"), Ticket("T-2", "Leak")])
    yield store
    store.close()


@pytest.mark.slow
@settings(max_examples=EXAMPLES)
@given(st.one_of(LINES.map(lambda text: (".jsonl", text)), TABLE.map(lambda text: (".csv", text))))
def test_any_file_is_taken_row_by_row_or_refused(tmp_path_factory, store, file):
    kind, text = file
    path = tmp_path_factory.getbasetemp() / f"any{kind}"
    path.write_bytes(text.encode(errors="surrogatepass"))
    before = store.count_judgments()
    try:
        report = import_labels(path, store)
        added = report.added
        assert all(reject.line and reject.reason for reject in report.rejects)
    except InputError:
        added = 0
    assert store.count_judgments() == before + added
