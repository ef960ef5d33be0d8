"""The ids that a query's subject may be."""

import pytest

from ticketing.retrieval.naming import mentions_in, names_in
from ticketing.tickets import Query


def test_an_id_is_looked_for_as_it_is_typed_in_capitals_and_in_small_letters():
    """A phone begins with a capital, and no ticket was found where ids are written small."""
    assert names_in(Query(" Gt-1 ")) == ["Gt-1", "GT-1", "gt-1"]
    assert names_in(Query("GT-1")) == ["GT-1", "gt-1"]
    assert mentions_in(Query("Same as Gt-1 at noon")) == ["Gt-1", "GT-1", "gt-1"]


@pytest.mark.parametrize("subject", ["", " ", "gt\n1", "gt\x001", "x" * 513], ids=ascii)
def test_what_no_ticket_can_be_called_is_not_looked_for(subject):
    assert names_in(Query(subject)) == []
