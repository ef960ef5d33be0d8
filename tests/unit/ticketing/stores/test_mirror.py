"""Codes held in memory: filtered as tickets are, and never changed once they were handed out."""

from dataclasses import replace
from datetime import datetime
from itertools import product

import numpy as np
import pytest

from ticketing.stores.elasticsearch import mirror
from ticketing.stores.elasticsearch.mirror import HeldRow, Mirror
from ticketing.tickets import Filters, Ticket

DATES = None, datetime(2012, 5, 1), datetime(2013, 5, 1, 12, 30)
GROUPS = frozenset(), frozenset(["a"]), frozenset(["a", "b"])


def row(id, byte, width=3, **facts):
    ticket = replace(Ticket(id, "x"), **facts)
    about = ticket.product, ticket.status, ticket.created, ticket.groups, ticket.has_solution
    return HeldRow(id, byte, None if byte is None else bytes([byte] * width), *about)


def found(block):
    return dict(zip(block.ids, block.codes[block.live][:, 0].tolist(), strict=True))


FILTERS = [
    Filters(),
    Filters(product="p"),
    Filters(status="open"),
    Filters(product="nobody's"),
    Filters(created_since=DATES[1]),
    Filters(created_before=DATES[2]),
    Filters(created_since=DATES[1], created_before=DATES[2], status="open"),
    Filters(has_solution=True),
    Filters(groups=frozenset()),
    Filters(groups=frozenset(["b"])),
    Filters(groups=frozenset(["a", "c"]), product="p"),
]


@pytest.mark.parametrize("filters", FILTERS, ids=range(len(FILTERS)))
def test_filters_admit_what_they_admit_of_tickets(filters):
    held, tickets = Mirror(), []
    for i, facts in enumerate(product(("", "p"), ("", "open"), DATES, GROUPS, ("", "Fixed."))):
        names = ("product", "status", "created", "groups", "solution")
        tickets.append(replace(Ticket(f"{i:02}", "x"), **dict(zip(names, facts, strict=True))))
        held.put(row(tickets[-1].id, i, **dict(zip(names, facts, strict=True))))
    held.settle()
    expected = {ticket.id: int(ticket.id) for ticket in tickets if filters.admit(ticket)}
    block = held.held.block(filters)
    assert (found(block), block.of) == (expected, None)


def test_a_block_stays_as_it_was_though_rows_change_and_memory_is_used_up(monkeypatch):
    monkeypatch.setattr(mirror, "MOST", 3)
    monkeypatch.setattr(mirror, "SPARE", 1)
    held, before = Mirror(), []
    for step in range(12):
        held.put(row("abc"[step % 3], step))
        held.settle()
        block = held.held.block(Filters())
        before.append((block, found(block)))
    assert before[-1][1] == {"a": 9, "b": 10, "c": 11}
    assert all(found(block) == then for block, then in before)
    assert (held.print.count, held.print.stamps) == (3, 30)
    held.remove("b")
    held.remove("nobody")
    held.settle()
    assert found(held.held.block(Filters())) == {"a": 9, "c": 11}


def test_a_damaged_row_is_known_and_not_compared():
    held = Mirror()
    held.put(row("a", 1))
    held.put(replace(row("b", 2), code=None))
    held.settle()
    assert list(held.held.whole.ids) == ["a"]
    assert held.stamps() == {"a": 1, "b": 2}


def test_codes_of_another_width_take_the_place_of_all():
    held = Mirror()
    held.put(row("a", 1))
    held.put(row("b", 2, width=5))
    held.settle()
    assert found(held.held.whole) == {"b": 2}
    assert held.held.whole.codes.shape[1] == 5
    assert held.held.whole.codes.dtype == np.uint8
