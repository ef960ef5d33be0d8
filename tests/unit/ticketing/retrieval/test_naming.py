"""The ids that a query's subject may be."""

import pytest

from ticketing.retrieval.naming import names_in
from ticketing.tickets import Query


def test_an_id_is_looked_for_as_it_is_typed_and_in_capitals():
    assert names_in(Query(" gt-1 ")) == ["gt-1", "GT-1"]


@pytest.mark.parametrize("subject", ["", " ", "gt\n1", "gt\x001", "x" * 513], ids=ascii)
def test_what_no_ticket_can_be_called_is_not_looked_for(subject):
    assert names_in(Query(subject)) == []
