"""Whatever a file of tickets holds: rows are taken or refused, and nothing else happens."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ticketing.errors import InputError
from ticketing.importing import Mapping, import_sources, open_source
from ticketing.limits import ticket_fault
from ticketing.stores.sqlite import SQLiteStore

EXAMPLES = 200 if os.environ.get("CI") else 1000  # CI has the same ones each time
COLUMNS = ["id", "subject", "description", "solution", "product", "created", "comments", "x"]
ODD = st.one_of(
    st.sampled_from(["", "T-1", "a b", "\ud800", "\0", "é\u2028", "&#99999999999", "a" * 600]),
    st.sampled_from(["0001-01-01T00:00:00+01:00", "9999-12-31", "31.12.9999", "soon", "{code}"]),
    st.text(max_size=5),
    st.integers(),
    st.integers(10**17, 10**40),
    st.floats(),
    st.none() | st.booleans(),
)
REPLY = st.dictionaries(st.sampled_from(["text", "author", "time"]), ODD, max_size=3)
ANY = st.recursive(
    ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD.map(str), inner),
    max_leaves=4,
)
ROWS = st.dictionaries(st.sampled_from(COLUMNS), ANY | st.lists(REPLY, max_size=2), max_size=8)
LINES = st.one_of(
    st.lists(st.one_of(ROWS, ANY).map(json.dumps), min_size=1, max_size=4).map("\n".join),
    st.text(max_size=30),
)
CELLS = st.lists(ODD.map(str), min_size=3, max_size=3).map(",".join)
TABLE = st.lists(CELLS, max_size=4).map(lambda rows: "\n".join(["id,subject,created", *rows]))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = SQLiteStore(tmp_path_factory.mktemp("store"))
    yield store
    store.close()


@pytest.mark.slow
@settings(max_examples=EXAMPLES)
@given(st.one_of(LINES.map(lambda text: (".jsonl", text)), TABLE.map(lambda text: (".csv", text))))
def test_any_file_is_taken_row_by_row_or_refused(tmp_path_factory, store, file):
    kind, text = file
    path = tmp_path_factory.getbasetemp() / f"tickets{kind}"
    path.write_bytes(text.encode(errors="surrogatepass"))
    before = store.count_tickets()
    put = []
    try:
        report = import_sources(
            [open_source(path, Mapping())],
            lambda some, keep: put.extend(some) or store.put_tickets(some),
        )
        assert all(reject.line and reject.reason for reject in report.rejects)
        assert report.added + report.changed + report.unchanged == len(put)
        assert store.count_tickets() == before + report.added
    except InputError:
        assert not put
    assert store.get_tickets([ticket.id for ticket in put]) == {t.id: t for t in put}
    assert not any(fault for _, fault in map(ticket_fault, put))
