"""Headers of tables: separators, names that repeat, names of several lines."""

import csv
import io
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.errors import InputError
from ticketing.headers import read_header
from ticketing.limits import HEADER

PATH = Path("a.csv")
ODD = st.sampled_from(
    ["", "Comment", "Comment 1", "a\nb", "a\r\nb", "a b", '"', ',";', " x ", "\n"]
)


def header(text):
    return read_header(iter(text.splitlines(keepends=True)), PATH, ",;\t|")


@pytest.mark.parametrize(
    ("text", "names", "delimiter", "end"),
    [
        ("id,subject\n", ["id", "subject"], ",", 1),
        ('"Ticket\nNo";"Head, line"\n1;2\n', ["Ticket No", "Head, line"], ";", 2),
        ('sep=|\na|"b\n\n ""c"", |\nd"\n', ["a", 'b "c", | d'], "|", 5),
        ("a,b,a,,a,\n", ["a 1", "b", "a 2", "", "a 3", ""], ",", 1),
        ("a,a,a 1,A\n", ["a 2", "a 3", "a 1", "A"], ",", 1),
        ("a,a,a 1,a 1\n", ["a 2", "a 3", "a 1 1", "a 1 2"], ",", 1),
        ('"a\nb","a b"\n', ["a b 1", "a b 2"], ",", 2),
    ],
)
def test_names_by_hand(text, names, delimiter, end):
    found = header(text)
    assert (found.names, found.delimiter, found.end) == (names, delimiter, end)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ('a;b;c,"d\n1;2;3\n', ["1;2;3\n"]),  # never closed
        ('a;b;c;d,"e\n1;2;3;4", x\n5\n', ['1;2;3;4", x\n', "5\n"]),  # closed by chance
    ],
)
def test_a_quote_amid_a_name_takes_no_line_of_the_rows(text, rest):
    found = header(text)
    assert found.names[-1] in ('c,"d', 'd,"e')
    assert (found.delimiter, found.end, list(found.rest)) == (";", 1, rest)


def test_names_that_repeat_are_said():
    assert header("a,b,a,,,c,b\n").repeated == {"a", "b"}


@given(st.lists(ODD | st.text('ab 1,;"\n\r', max_size=6), min_size=1, max_size=6))
def test_any_names_are_read_and_none_is_anothers(names):
    file = io.StringIO(newline="")
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(names)
    before = len(io.StringIO(file.getvalue(), newline="").readlines())
    writer.writerow("row")
    lines = io.StringIO(file.getvalue(), newline="")
    found = read_header(lines, PATH, ",;\t|" if len(names) > 1 else ",")
    assert (found.end, list(found.rest)) == (before, ['"r","o","w"\r\n'])
    given_names = [" ".join(filter(None, map(str.strip, n.splitlines()))) for n in names]
    assert [bool(name) for name in found.names] == [bool(name) for name in given_names]
    some = [name for name in found.names if name]
    assert len(some) == len(set(some))
    for name, given_name in zip(found.names, given_names, strict=True):
        is_repeated = bool(given_name) and given_names.count(given_name) > 1
        assert (given_name in found.repeated) == is_repeated
        assert name == given_name or (is_repeated and name.startswith(f"{given_name} "))


@pytest.mark.parametrize("line", ['""\n', '"a\n', '"" \n', " \n"])
def test_quotes_that_never_close_take_no_more_than_a_header(line):
    """Those of a header's length, that is; the rows that follow are read as they are."""
    started = time.process_time()
    lines = iter(['id,"\n', *[line] * HEADER.most])
    with pytest.raises(InputError, match=r"a\.csv:1 is a malformed header"):
        read_header(lines, PATH, ",;")
    assert HEADER.most - sum(1 for _ in lines) <= HEADER.most // len(line) + 1
    assert time.process_time() - started < 10
