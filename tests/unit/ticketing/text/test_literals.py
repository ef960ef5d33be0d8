"""Numbers and codes that two texts name, as they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.text.literals import (
    KINDS,
    LONGEST,
    MOST_KEPT,
    MOST_LITERALS,
    key_of,
    literal_keys,
    literals,
    named_in,
    spans_naming,
    words_beside,
)


def test_what_masks_hide_is_found_as_it_is_written_and_once():
    text = (
        "Pump 77 of GT-320: ORA-00942, error 0x8007000E after iOS 7.1.2; pump 77, gt-320, ora-00942"
    )
    assert literals(text) == [
        "77",
        "GT-320",
        "ORA-00942",
        "0x8007000E",
        "7.1.2",
    ]  # not gt-320 again


def test_a_letter_that_is_two_capitals_moves_nothing():
    assert literals("Maß ßß 12345, ora-7 ßora1234") == ["12345", "ora-7", "SSORA1234"]


@pytest.mark.parametrize(
    "same", [("ORA-7", "ora-7"), ("v1.2.3", "V1.2.3", "1.2.3"), ("-107", "#107", "+107", "107")]
)
def test_what_is_the_same_has_one_key(same):
    assert {key for text in same for key in literal_keys(text)} == {same[-1]}
    assert all(named_in(one, [other]) == [other] for one in same for other in same)
    assert literals(" ".join(same)) == [same[0]]


def test_where_a_text_names_a_literal():
    text = "An ora-7 (ORA-7)\n7 ORA-77 ß7ORA-7"
    assert [text[slice(*span)] for span in spans_naming(text, {"ora-7", "7", "an"})] == [
        "ora-7",
        "ORA-7",
        "7",
    ]
    assert spans_naming(text, {"an"}) == []


def test_words_beside_literals_are_those_of_the_rest():
    text = "ora-00942 at noon: E1105,pump(0x1F)x 7bar Maß77 ßora1234"
    assert words_beside(text) == ["at", "noon", "pump", "x", "bar", "mass77"]
    assert words_beside("ORA-00942, -7 (v1.2.3)") == []


@given(st.text(st.characters(exclude_categories=["No", "Cs"])))
def test_no_literal_is_beside_literals(text):
    assert KINDS.isdisjoint(words_beside(text))


def test_what_a_ticket_is_found_by_is_bounded():
    log = " ".join(f"E{i:05}" for i in range(1000))
    assert literal_keys("pump 7", log) == ["7", *(f"e{i:05}" for i in range(MOST_KEPT - 1))]
    whole, longer = "a1b2c3d4" * (LONGEST // 8), "a1b2c3d4" * (LONGEST // 8) + "7"
    assert literal_keys(f"{longer} {whole}") == [whole]


def test_times_paths_and_words_name_nothing():
    assert literals("2013-05-01 12:30 /var/log/messages http://desk.example/7 pump log4j") == []


def test_of_a_log_the_first_are_read():
    assert literals(" ".join(map(str, range(1000)))) == [str(i) for i in range(MOST_LITERALS)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("pump 77 leaks", ["77"]),
        ("pump 777 leaks", []),
        ("valve A77", []),
        ("77.", ["77"]),
        ("77.5 bar, 1.77", []),
        ("77mbar", ["77"]),
        ("ora-00942 and (0X8007000e)", ["ORA-00942", "0x8007000E"]),
        ("ORA-009421", []),
    ],
)
def test_a_text_names_a_literal_as_a_whole_in_either_case(text, named):
    assert named_in(text, ["77", "ORA-00942", "0x8007000E"]) == named


@given(st.text())
def test_a_text_names_what_it_names_and_is_found_by_it(text):
    assert named_in(text, literals(text)) == literals(text)
    assert {key_of(literal) for literal in literals(text)} <= {*literal_keys(text)}
