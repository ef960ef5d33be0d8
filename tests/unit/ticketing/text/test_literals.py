"""Numbers and codes that two texts name, as they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.text.literals import MOST_LITERALS, literals, named_in


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
    assert literals("Maß ßß 12345, ora-7") == ["12345", "ORA-7"]


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
def test_a_text_names_what_it_names(text):
    assert named_in(text, literals(text)) == literals(text)
