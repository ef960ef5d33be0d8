"""A store with four tickets, one of them without a date."""

from datetime import datetime

import pytest

from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import Ticket


@pytest.fixture
def store(tmp_path):
    store = SQLiteStore(tmp_path)
    store.put_tickets(
        [
            Ticket("A", "pump trip", created=datetime(2012, 1, 1)),
            Ticket("B", "pump leak", created=datetime(2013, 1, 1)),
            Ticket("C", "pump trip again", created=datetime(2014, 1, 1)),
            Ticket("D", "pump of no date"),
        ]
    )
    yield store
    store.close()
