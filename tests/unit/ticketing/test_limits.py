"""Limits: what is too much is refused in words that name place, limit and what to do."""

import gzip
import json

import pytest

from ticketing.errors import InputError
from ticketing.limits import (
    COLUMNS,
    COMMENTS,
    DEPTH,
    GROUPS,
    ID,
    LINE,
    NAME,
    QUERY_TEXT,
    SUBJECT,
    TICKET_TEXT,
    UNPACKED,
    depth_fault,
    id_fault,
    require_query,
    require_ticket,
    ticket_fault,
    usable_groups,
)
from ticketing.tables import Reject, Row, read_rows
from ticketing.tickets import Query, Ticket

ODD_GROUPS = frozenset(f"g{i}" for i in range(GROUPS.most + 1))


@pytest.mark.parametrize(
    ("field", "ticket"),
    [
        ("id", Ticket("", "x")),
        ("id", Ticket("a b", "x")),
        ("id", Ticket("a\u2028b", "x")),
        ("id", Ticket(" a", "x")),
        ("id", Ticket("é" * (ID.most // 2 + 1), "x")),
        ("subject", Ticket("a", "x" * (SUBJECT.most + 1))),
        ("description", Ticket("a", "x", "x" * (TICKET_TEXT.most + 1))),
        ("solution", Ticket("a", "x", solution="x" * (TICKET_TEXT.most + 1))),
        ("product", Ticket("a", "x", product="x" * (NAME.most + 1))),
        ("status", Ticket("a", "x", status="x" * (NAME.most + 1))),
        ("groups", Ticket("a", "x", groups=ODD_GROUPS)),
        ("groups", Ticket("a", "x", groups=frozenset(["x" * (NAME.most + 1)]))),
        ("groups", Ticket("a", "x", groups=frozenset(["Sales, EU"]))),
        ("groups", Ticket("a", "x", groups=frozenset(["Sales;EU"]))),
    ],
    ids=lambda value: "" if isinstance(value, Ticket) else value,
)
def test_what_is_wrong_with_a_ticket_names_the_field(field, ticket):
    assert ticket_fault(ticket)[0] == field
    with pytest.raises(InputError, match=rf"The {field} of the ticket .*; "):
        require_ticket(ticket)


def test_a_ticket_as_large_as_allowed_is_taken():
    text = "x" * TICKET_TEXT.most
    require_ticket(Ticket("é" * (ID.most // 2), "x" * SUBJECT.most, text, text, "x" * NAME.most))


def test_a_query_is_refused_in_a_sentence_with_the_limit():
    with pytest.raises(InputError) as found:
        require_query(Query("x", "y" * (QUERY_TEXT.most + 1)))
    assert str(found.value) == (
        "The description has 200,001 characters, more than the 200,000 allowed;"
        " keep the lines that matter."
    )


def test_characters_count_as_they_are_written_out():
    """A query of 200,000 ligatures of 18 letters took a second for each of twelve that came at
    once, and nobody else was answered."""
    require_query(Query("x", "\ufdfa" * (QUERY_TEXT.most // 18)))
    with pytest.raises(InputError, match="has 200,016 characters, more than the 200,000"):
        require_query(Query("x", "\ufdfa" * (QUERY_TEXT.most // 18 + 1)))
    require_query(Query("x", "e\u0301" * (QUERY_TEXT.most // 2)))
    with pytest.raises(InputError, match="has 200,002 characters"):
        require_query(Query("x", "e\u0301" * (QUERY_TEXT.most // 2 + 1)))


def test_half_a_character_in_a_query_is_refused():
    with pytest.raises(InputError, match=r"The subject holds half a character \('\\udcf6'\);"):
        require_query(Query("Gr\udcf6\udcdfe"))


@pytest.mark.parametrize("name", ["", " ", "a,b", "a; b", "x" * (NAME.most + 1), "half \ud800"])
def test_a_group_that_no_ticket_can_have_is_no_group_of_a_person(name):
    with pytest.raises(InputError):
        usable_groups(["lab", name])
    assert usable_groups([" lab "]) == {"lab"}


def test_a_query_that_is_a_ticket_is_as_long_as_that():
    require_query(Query("x", "y" * (QUERY_TEXT.most + 1), ticket_id="T-1"))


def test_an_id_that_reads_is_one():
    assert not any(map(id_fault, ["T-1", "ä/\"'%_漢", "#", "=1", "a/b/", "...", "v1.2/..x"]))


@pytest.mark.parametrize("id", ["/1", "//1", "a//b", ".", "..", "./a", "a/..", "a/../b"])
def test_an_id_to_which_no_address_leads_is_none(id):
    assert "web addresses drop these" in id_fault(id)


@pytest.mark.parametrize("id", ["a\nb", "\na", "a\n", "a\tb", "a b", "a\x00b", "a\u2028b"])
def test_an_id_of_more_than_one_column_is_none(id):
    assert "white space or control characters" in id_fault(id)


@pytest.mark.parametrize(("inner", "outer"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_counted(inner, outer):
    for depth in (DEPTH.most, DEPTH.most + 1):
        value = json.loads(inner * depth + "1" + outer * depth)
        assert bool(depth_fault(value)) == (depth > DEPTH.most)


def test_a_hundred_thousand_columns_are_refused_at_once(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{i}" for i in range(100_000)) + "\n")
    with pytest.raises(InputError, match=rf"wide.csv:1 has 100,000 columns.*{COLUMNS.most:,}"):
        list(read_rows(path))


BAD_ROWS = {"deep": "[" * 490 + "]" * 490, "deeper": "[" * 10**5, "NaN": "NaN", "long": "1" * 5000}


@pytest.mark.parametrize("row", BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_row_that_cannot_be_read_is_one_reject(tmp_path, row):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"a": 1}}\n{{"a": {row}}}\n{{"a": 2}}\n')
    first, bad, last = read_rows(path)
    assert isinstance(bad, Reject) and bad.line == 2
    assert (first, last) == (Row(str(path), 1, {"a": 1}), Row(str(path), 3, {"a": 2}))


def test_a_gzip_file_that_unpacks_to_too_much_is_refused(tmp_path):
    path = tmp_path / "bomb.jsonl.gz"
    block = json.dumps({"a": "x" * 2**19, "b": "y" * 2**19}).encode() + b"\n"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(UNPACKED.most // 2**20 + 1):
            file.write(block)
    with pytest.raises(InputError, match=r"bomb.jsonl.gz has .* unpack it yourself"):
        list(read_rows(path))


@pytest.mark.parametrize("name", ["long.jsonl", "long.csv"])
def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(tmp_path, name):
    path = tmp_path / name
    path.write_text("a,b\n" * (name == "long.csv") + "x" * (LINE.most + 1))
    with pytest.raises(InputError, match=rf"{name}:[12] has .* in one line"):
        list(read_rows(path))


def test_a_row_of_many_lines_is_refused_before_it_fills_the_memory(tmp_path):
    path = tmp_path / "quoted.csv"
    block = "x" * 2**20 + '\n","'
    path.write_text('a,b\n1,"2\n3"\n4,"' + block * (LINE.most // 2**20 + 1) + '"\n')
    rows = read_rows(path)
    assert next(rows) == Row(str(path), 2, {"a": "1", "b": "2\n3"})
    with pytest.raises(InputError, match=r"quoted.csv:4 has .* in one row, .* check its quotes"):
        list(rows)


def test_a_header_without_an_end_is_refused(tmp_path):
    path = tmp_path / "head.csv"
    for name in ("x" * 10**6, '"' + '""' * 10**6 + '"'):
        path.write_text(f"sep=,\nid,{name}\n1,2\n")
        with pytest.raises(InputError, match=r"head.csv:2 has .* in the header, .* line ends"):
            list(read_rows(path))


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_a_line_of_json_ends_with_a_line_feed_only(tmp_path, mark):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"a": f"x{mark}y"}, ensure_ascii=False), encoding="utf-8")
    [row] = read_rows(path)
    assert row.values == {"a": f"x{mark}y"}


def test_there_is_a_limit_of_replies():
    assert COMMENTS.fault(COMMENTS.most + 1) and not COMMENTS.fault(COMMENTS.most)
