"""Numbers and codes that two texts name, as they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.text.literals import (
    MOST_LITERALS,
    key_of,
    literal_keys,
    literals,
    named_in,
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


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("CVE-2021-44228, E-1105; %SYS-5-CONFIG_I", ["CVE-2021-44228", "E-1105", "SYS-5-CONFIG_I"]),
        ("3VA1-112 737-800 HTTP/404", ["3VA1-112", "737-800", "404"]),
        ("28MW, 7.5bar at 1,000 rpm", ["28", "7.5", "1,000"]),
        ("10.0.0.17:102 #57 -12 +49", ["10.0.0.17", "102", "57", "12", "49"]),
        ("ＭＢＭ４２ＣＰ０８７ ORA\u201100942", ["MBM42CP087", "ORA-00942"]),
        ("エラーORA-1が 错误E1105发", ["ORA-1", "E1105"]),
        ("Maß ßß 12345, ora-7 ßora1234", ["12345", "ora-7", "ora1234"]),
        ("log4j ios7 gt320", []),
    ],
)
def test_a_literal_is_a_run_of_letters_and_digits_that_is_masked(text, named):
    assert literals(text) == named


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


@pytest.mark.parametrize("code", ["CVE-2021-44228", "3VA1-112", "INC-2024-0001", "737-800"])
@pytest.mark.parametrize("around", ["{}", "patched {} today", "patched {} today –"])
def test_a_code_of_several_numbers_is_named_as_any_other(code, around):
    assert named_in(around.format(code), [code, "9" + code]) == [code]


CODES = st.lists(st.from_regex(r"[A-Z]{0,3}[0-9]{1,4}", fullmatch=True), min_size=1, max_size=4)


@given(st.one_of(st.text(), CODES.map("-".join), CODES.map("_".join), CODES.map(" ".join)))
def test_a_text_names_what_it_names_and_is_found_by_it(text):
    assert named_in(text, literals(text)) == literals(text)
    assert {key_of(literal) for literal in literals(text)} <= {*literal_keys(text)}
