"""How a query is read as somebody typed it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.tickets import Query

LONG = "word " * 31

TYPED = [
    ("Pump trips", "Since noon\nit hums", "Pump trips", "Since noon\nit hums"),
    ("", "Pump trips\nSince noon\nit hums", "Pump trips", "Since noon\nit hums"),
    ("Pump trips \r\n\r\n Since noon", " ", "Pump trips", "Since noon"),
    ("\n Pump trips?\n\nSince noon ", "", "Pump trips?", "Since noon"),
    ("Pump trips", "", "Pump trips", ""),
    ("", "Pump trips", "", "Pump trips"),
    ("", "The pump trips.\nSince noon", "", "The pump trips.\nSince noon"),
    ("", "Steps:\nPress start", "", "Steps:\nPress start"),
    ("", f"{LONG}\nSince noon", "", f"{LONG}\nSince noon"),
    ("", " ", "", ""),
]


@pytest.mark.parametrize(("subject", "description", "title", "rest"), TYPED)
def test_what_is_typed_into_one_field_begins_with_the_subject(subject, description, title, rest):
    assert Query.typed(subject, description) == Query(title, rest)


@given(st.text("ab.\n\r "), st.text("ab.\n\r "))
def test_no_word_is_lost_and_reading_it_again_changes_nothing(subject, description):
    query = Query.typed(subject, description)
    assert query.text.split() == f"{subject}\n{description}".split()
    assert Query.typed(query.subject, query.description) == query
