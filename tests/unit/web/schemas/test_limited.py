"""What is taken is what /openapi.json says: texts are as long as they were sent, and not blank."""

import re

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ticketing.limits import QUERY_TEXT, SUBJECT
from web.schemas.requests import RecommendIn, TicketIn, TopicArgs
from web.schemas.work import RoundArgs


@pytest.mark.parametrize("sent", ["", " ", "\n", "\xa0", "\x1c", "\x1f", "\x85", "\ufeff"])
def test_blank_is_nothing(sent):
    for refuse in (lambda: TicketIn(subject=sent), lambda: RoundArgs(queries=sent, bundles="b")):
        with pytest.raises(ValidationError, match="this is blank; write something"):
            refuse()
    described = TicketIn.model_json_schema()["properties"]["subject"]
    assert not jsonschema_rs.is_valid(described, sent)  # as in a reader that is not Python's
    assert not re.search(described["pattern"], sent)


SPACES = st.text([chr(code) for code in range(0x110000) if chr(code).isspace()], max_size=5)


@given(SPACES, SPACES)
def test_a_text_loses_what_is_white_space_to_python(before, after):
    sent = f"{before}cold{before}spot{after}"
    assert RecommendIn(subject=sent, filters={"product": sent}).model_dump() == (
        RecommendIn(subject=sent.strip(), filters={"product": sent.strip()}).model_dump()
    )
    assert TicketIn(subject="x", groups=[sent]).groups == [sent.strip()]


def test_a_text_is_as_long_as_it_was_sent():
    longest = "x" * SUBJECT.most
    assert RecommendIn(subject=longest).subject == longest
    assert RecommendIn(subject=f" {longest[2:]}\n").subject == longest[2:]
    for sent in (f"\n{longest}", f"{longest} "):
        with pytest.raises(ValidationError, match="characters"):
            RecommendIn(subject=sent)
    with pytest.raises(ValidationError, match="characters"):
        RecommendIn(description=" " * (QUERY_TEXT.most + 1))


def test_a_number_in_an_address_is_no_text():
    assert TopicArgs(offset="1000").offset == 1000
    with pytest.raises(ValidationError, match="offset"):
        TopicArgs(offset="99999999999")
