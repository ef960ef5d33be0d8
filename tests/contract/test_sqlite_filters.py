"""What filters leave of many codes, kept by every process and changed by any."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from itertools import product

import numpy as np
import pytest

from tests.contract.contract_examples import ALL, FLAME, PUMP, code
from ticketing.stores.sqlite import SQLiteStore, code_blocks
from ticketing.stores.sqlite.code_files import code_file, filters_file
from ticketing.tickets import Filters, Ticket

NEW = [Ticket(f"N-{i}", "New", product="SGT-400", created=datetime(2015, 1, i)) for i in (1, 2, 3)]
CHANGES = [
    [],
    [replace(PUMP, status="Open")],
    [replace(FLAME, created=None)],
    [replace(PUMP, product="X"), replace(PUMP, product="")],
    [PUMP],
    NEW,
    [replace(NEW[0], product="Y", subject="Newer")],
    [replace(FLAME, solution="Cleaned can 3."), replace(PUMP, solution="")],
]
EVERY = [
    Filters(*of_ticket, *of_date, has_solution)
    for has_solution in (False, True)
    for of_ticket in product(("", "SGT-400", "X", "Y"), ("", "Open", "Closed"))
    for of_date in (
        (None, None),
        (datetime(2014, 1, 1), None),
        (None, datetime(2014, 1, 1)),
        (datetime(2013, 5, 1, 8, 30), datetime(2015, 1, 2)),
    )
]


@pytest.fixture
def many(monkeypatch):
    """Three tickets are many, and each more is news for the next process."""
    monkeypatch.setattr(code_blocks, "MANY", 3)
    monkeypatch.setattr(code_blocks, "MOST_MERGED", 0)


@pytest.fixture
def stores(tmp_path):
    """Two processes' stores."""
    opened = [SQLiteStore(tmp_path / "home") for _ in range(2)]
    yield opened
    for store in opened:
        store.close()


def file_of(store):
    [(number,)] = store.database.rows("SELECT number FROM code_files")
    return code_file(store.database.folder, number)


def sees_every_change(one, other):
    one.put_tickets(ALL)
    one.put_codes("b1", [code(t, 1) for t in ALL])
    for tickets in CHANGES:
        for ticket in tickets:
            one.put_tickets([ticket])
            one.put_codes("b1", [code(ticket, 2)])
        with closing(SQLiteStore(one.database.folder)) as fresh:
            for store in (one, other, fresh):
                for filters in EVERY:
                    passing = [t.id for t in one.iter_tickets() if filters.admit(t)]
                    assert list(store.codes("b1", filters).ids) == sorted(passing)
    one.delete_tickets([PUMP.id])
    one.put_tickets([replace(PUMP, status="Other")])
    one.put_codes("b1", [code(replace(PUMP, status="Other"), 3)])
    assert list(other.codes("b1", Filters(status="Other")).ids) == [PUMP.id]


def test_every_process_sees_what_passes_after_every_change(stores):
    sees_every_change(*stores)


def test_every_process_sees_what_passes_of_many(many, stores):
    sees_every_change(*stores)


def test_what_is_kept_of_many_is_used_and_replaced_where_it_is_damaged(many, stores):
    one, other = stores
    one.put_tickets(ALL)
    one.put_codes("b1", [code(t, 1) for t in ALL])
    one.codes("b1", Filters(status="Open"))
    path = filters_file(file_of(one))
    with closing(sqlite3.connect(one.database.path)) as unseen:  # by no way of the store
        unseen.execute("UPDATE tickets SET status = 'Open'")
        unseen.commit()
    assert list(other.codes("b1", Filters(status="Open")).ids) == [FLAME.id]
    path.write_bytes(b"damaged")
    with closing(SQLiteStore(one.database.folder)) as fresh:
        assert len(fresh.codes("b1", Filters(status="Open")).ids) == len(ALL)
    assert list(one.findings()) == [] and not path.exists()


def test_dropped_codes_take_along_what_is_kept_of_them(many, stores):
    one, _ = stores
    one.put_tickets(ALL)
    for width in (4, 5):
        one.put_codes("b1", [code(t, width, width=width) for t in ALL])
        for store in stores:
            block = store.codes("b1", Filters(status="Open"))
            assert block.codes[block.live].tolist() == np.full((1, width), width).tolist()
        path = filters_file(file_of(one))
        assert path.exists()
        one.drop_codes("b1")
        assert not path.exists()
