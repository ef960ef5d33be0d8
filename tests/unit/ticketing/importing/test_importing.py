"""Import: mapping, conversion, rejects, idempotence, one clear sentence for a bad file."""

import gzip
import json
import sqlite3
from contextlib import closing
from datetime import datetime

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from ticketing.errors import InputError, StoreError
from ticketing.importing import (
    ImportReport,
    Mapping,
    import_sources,
    open_source,
    read_mapping,
)
from ticketing.importing.convert import to_ticket
from ticketing.importing.places import FirstPlaces
from ticketing.limits import TICKET_TEXT
from ticketing.stores.protocols import PutCounts
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tables import Reject, Row
from ticketing.tickets import Ticket
from ticketing.times import parse_time
from worker.cli.import_ import command


@pytest.fixture
def store(tmp_path):
    store = SQLiteStore(tmp_path / "store")
    yield store
    store.close()


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def read(path, mapping=Mapping(), before=None):
    return read_sources(open_source(path, mapping, before))


def read_sources(*sources):
    tickets = []
    report = import_sources(sources, lambda read, _: tickets.extend(read) or PutCounts())
    return tickets, report.rejects


def test_a_csv_with_usual_names_needs_no_mapping(tmp_path):
    path = write(
        tmp_path,
        "desk.csv",
        "Number,Short Description,Description,Close Notes,State,Opened At\n"
        'INC1,Low <b>oil</b>,"Two\nlines, 60 mbar",Topped up,Closed,2013-02-25T13:17:59+01:00\n',
    )
    [ticket], rejects = read(path)
    assert rejects == []
    assert ticket == Ticket(
        id="INC1",
        subject="Low oil",
        description="Two\nlines, 60 mbar",
        solution="Topped up",
        status="Closed",
        created=datetime(2013, 2, 25, 12, 17, 59),
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "id;subject\n1;x\n"),
        ("a.csv", "\ufeffsep=;\r\nid;subject\r\n1;x\r\n"),
        ("a.tsv", "id\tsubject\n1\tx\n"),
        ("a.csv", 'id;subject;"a, b, ""c"", d"\n1;x;\n'),
        ("a.csv", 'id;subject;5" pipe, 6" pipe\n1;x;\n'),
        ("a.csv", '"id",5" pipe;6" pipe,subject\n1,,x\n'),
        ("a.csv", "\ufeffid,subject\r\n1,x\r\n"),
        ("a.jsonl", '{"id": 1, "subject": "x"}\n\n'),
    ],
)
def test_delimiters_marks_and_kinds(tmp_path, name, text):
    tickets, _ = read(write(tmp_path, name, text))
    assert tickets == [Ticket("1", "x")]


JIRA = (
    "Summary,Issue key,Labels,Labels,Comment,Comment,Comment\n"
    "Printer jams,P-1,paper,tray,It jams again,Clean the rollers,\n"
)


def test_names_that_repeat_are_numbered_and_only_used_ones_refused(tmp_path):
    """As Jira writes every label and every comment in a column of its own."""
    path = write(tmp_path, "a.csv", JIRA)
    assert read(path) == ([Ticket("P-1", "Printer jams")], [])
    tickets, _ = read(path, read_mapping(None, ["solution=Comment 2", "product=Labels 1"]))
    assert tickets == [Ticket("P-1", "Printer jams", "", "Clean the rollers", "paper")]
    with pytest.raises(InputError, match=r"several columns 'Comment'; .* --map solution=COLUMN"):
        read(path, Mapping(solution="Comment"))


def test_a_column_of_which_there_are_several_may_be_left_out(tmp_path):
    path = write(tmp_path, "a.csv", "id,title,answer,answer\n1,Fan,one,two\n")
    assert read(path, Mapping(solution=""))[0] == [Ticket("1", "Fan")]
    assert read(path, Mapping(solution="answer 2"))[0] == [Ticket("1", "Fan", "", "two")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_name_in_quotes_may_have_lines(tmp_path, end):
    """Header of lines 1 and 2, a ticket of 3 and 4, one in 5; the row in 6 is too short."""
    rows = ['id,"sub', ' ject",description', 'T-1,Fan,"two', 'lines"', "T-2,Pump,", "T-3", ""]
    path = tmp_path / "a.csv"
    path.write_bytes(end.join(rows).encode())
    tickets, [reject] = read(path, Mapping(subject="sub ject"))
    assert tickets == [Ticket("T-1", "Fan", "two\nlines"), Ticket("T-2", "Pump")]
    assert (reject.line, reject.reason) == (6, "has 1 cell where the header has 3")


def archive_row(**changes):
    comments = [
        {
            "who": "reporter",
            "time": "2012-01-01T00:00:00",
            "text": "It " + "still " * 30 + "fails.",
        },
        {"who": "user1", "time": "2012-02-01T00:00:00", "text": "Restart the *bridge* service."},
        {"who": "assignee", "time": "2012-03-01T00:00:00", "text": "Closing."},
        {
            "who": "user2",
            "time": "2013-03-01T00:00:00",
            "text": "Fixed in the new release for all.",
        },
    ]
    row = {"id": "A-1", "project": "A", "status": "Closed", "resolution": "Fixed"}
    return row | {"subject": "Hangs", "description": "It hangs", "comments": comments} | changes


@pytest.mark.parametrize("said", [".", "-", " -- ", "…", "<br>?", "👍"])
def test_a_solution_without_a_letter_or_a_digit_is_none(tmp_path, said):
    """A dot stood as the answer, with the chance that it solves the problem."""
    path = write(tmp_path, "a.csv", f"id,subject,solution\n1,x,{said}\n2,y,修\n3,z,42\n")
    tickets, rejects = read(path)
    assert [ticket.solution for ticket in tickets] == ["", "修", "42"] and not rejects


def test_the_solution_is_the_longest_reply_of_others(tmp_path):
    path = write(tmp_path, "a.jsonl", json.dumps(archive_row()))
    [ticket], _ = read(path)
    assert ticket.solution == "Fixed in the new release for all."
    assert ticket.product == "A"


def test_the_longest_reply_is_that_of_the_most_words(tmp_path):
    replies = [{"text": "It is on now."}, {"text": "Reinstallation notwithstanding."}]
    row = {"id": "1", "subject": "x", "comments": replies}
    [ticket], _ = read(write(tmp_path, "a.jsonl", json.dumps(row)))
    assert ticket.solution == "It is on now."


def test_later_replies_are_no_solution(tmp_path):
    path = write(tmp_path, "a.jsonl", json.dumps(archive_row()))
    [ticket], _ = read(path, before=datetime(2013, 1, 1))
    assert ticket.solution == "Restart the bridge service."
    [ticket], _ = read(path, before=datetime(2012, 2, 1))
    assert ticket.solution == ""


def test_replies_are_no_solution_where_it_was_said_that_there_is_none(tmp_path):
    path = write(tmp_path, "a.jsonl", json.dumps(archive_row()))
    [ticket], _ = read(path, read_mapping(None, ["solution="]))
    assert ticket.solution == ""


def test_a_solution_and_replies_are_not_both_mapped(tmp_path):
    path = write(tmp_path, "a.jsonl", json.dumps(archive_row(answer="Restart.")))
    with pytest.raises(InputError, match="column 'answer' or a reply among 'comments', not both"):
        read(path, read_mapping(None, ["solution=answer", "comments.column=comments"]))


@pytest.mark.parametrize("header", ["id,subject,Subject ", "id,Subject ,subject"])
def test_of_columns_that_are_called_alike_the_usual_name_is_taken(tmp_path, header):
    cells = {"id": "1", "subject": "right", "Subject ": "wrong"}
    row = ",".join(cells[name] for name in header.split(","))
    tickets, _ = read(write(tmp_path, "a.csv", f"{header}\n{row}\n"))
    assert tickets == [Ticket("1", "right")]


def test_all_replies_may_be_joined_and_others_left_out(tmp_path):
    path = write(tmp_path, "a.jsonl", json.dumps(archive_row()))
    options = [
        "comments.column=comments",
        "comments.choose=joined",
        "comments.leave_out=reporter, user2",
    ]
    [ticket], _ = read(path, read_mapping(None, options))
    assert ticket.solution == "Restart the bridge service.\n\nClosing."


@pytest.mark.parametrize("left_out", ["Ann", "ann@desk.example"])
def test_an_author_that_is_an_object_is_left_out_by_any_of_its_texts(tmp_path, left_out):
    """The reporter's own reply was the solution."""
    ann, bob = {"name": "ANN", "email": "ann@desk.example"}, {"name": "bob", "email": None}
    replies = [{"text": "Mine, and longer", "author": ann}, {"text": "His", "author": bob}]
    row = {"id": 1, "subject": "x", "comments": replies}
    path = write(tmp_path, "a.jsonl", json.dumps(row))
    options = ["comments.column=comments", f"comments.leave_out={left_out}"]
    [ticket], rejects = read(path, read_mapping(None, options))
    assert (ticket.solution, rejects) == ("His", [])


def test_a_date_limit_needs_dated_replies(tmp_path):
    path = write(tmp_path, "a.csv", "id,subject,solution\n1,x,y\n")
    with pytest.raises(InputError, match="undated column 'solution'"):
        read(path, before=datetime(2013, 1, 1))


def test_a_mapping_file_and_overrides(tmp_path):
    toml = write(tmp_path, "map.toml", 'id = "IDENT"\ndescription = "PROBLEM"\nstatus = ""\n')
    path = write(tmp_path, "a.csv", "IDENT,PROBLEM,ACTION,STATUS\n7,leak,tightened,done\n")
    tickets, _ = read(path, read_mapping(toml, ["solution=ACTION"]))
    assert tickets == [Ticket("7", "", "leak", "tightened")]


@pytest.mark.parametrize("inner", ["[", "{a="])
def test_a_mapping_that_is_nested_too_deep_is_one_sentence(tmp_path, inner):
    path = write(tmp_path, "map.toml", f"id = {inner * 20_000}")
    with pytest.raises(InputError, match=r"map.toml is no TOML file: it has more than the 32 lev"):
        read_mapping(path)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["subject"], "not of the form field=column"),
        (["titel=x"], "mapping’s titel cannot be used"),
        (["comments.author=who"], "no column of replies; add --map comments.column=COLUMN."),
        (["comments.column=c", "comments.who=x"], "its fields are column, text, author, time, "),
        (["subject=x", "subject.y=z"], "is no table"),
        (["id=Nr", "id=Text"], "--map id=Nr and --map id=Text exclude each other"),
    ],
)
def test_a_bad_override_is_one_sentence(overrides, message):
    with pytest.raises(InputError, match=message):
        read_mapping(None, overrides)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xls", b"PK", "none of .csv, .tsv, .jsonl"),
        ("a.csv", b"", "no header"),
        ("a.csv", b"id,subject\n", r"a\.csv holds no usable row\."),
        ("a.csv", b"id,subject\n1\n2\n", r"row; the first is .*a\.csv:2: has 1 cell where"),
        (
            "a.csv",
            b"id,Subject,subject,subject \n1,2,3,4\n",
            r"a\.csv has several columns 'subject'; name one of them with --map subject=COLUMN \(it"
            r" has: id, Subject, subject 1, subject 2\)\.",
        ),
        ("a.csv", b"id,id\n1,2\n", "several columns 'id'; name one of them with --map id=COLUMN"),
        ("a.csv", b"id,title,answer,answer\n1,2,3,4\n", "several columns 'answer'"),
        (
            "a.csv",
            b'sep=;\nid;"subject\n1;2\n',
            r"a\.csv:2 is a malformed header \(unexpected end of data\), read with semicolons as"
            r" separators; check its quotes, or name another separator in a line before it, as"
            r" sep=,\.",
        ),
        (
            "a.csv",
            b'id,"subject\n1,2\n',
            r"a\.csv:1 is a malformed header \(unexpected end of data\), read with commas as"
            r" separators; check its quotes, or name another separator in a line before it, as"
            r" sep=;\.",
        ),
        ("a.csv", b"sep=;\n", r"a\.csv holds no usable row\."),
        (
            "a.csv",
            b"id,subject\n1,T\xc3\xbcr\n2,T\xfcr\n",
            r"a\.csv:3 is not UTF-8 \(byte 0xfc\); save the file as UTF-8\.",
        ),
        ("a.csv", "id,subject\n".encode("utf-16"), r"a\.csv:1 is not UTF-8 \(byte 0xff\)"),
        ("a.jsonl", b'{"id": 1}\n{"id": "\xe4"}\n', r"a\.jsonl:2 is not UTF-8 \(byte 0xe4\)"),
        ("a.csv", b'id,subject\n1,"open\n2,b\n', r"a.csv:2 is malformed CSV"),
        ("a.csv", b"foo,subject\n1,2\n", "looks like id"),
        ("a.csv", b"id,foo\n1,2\n", "looks like subject"),
        ("a.jsonl", b"id,subject\n", "a.jsonl:1 is no JSON"),
        pytest.param("a.jsonl", b"[" * 99_999, r"1 is no JSON \(nested too deep\)", id="deep"),
        pytest.param(
            "a.jsonl",
            b'{"id": ' + b"9" * 5000 + b"}",
            r"1 is no JSON \(a number has too many digits; write it as a text\)",
            id="digits",
        ),
        ("a.jsonl", b'{"id": NaN}', r"1 is no JSON \(NaN is no number\)"),
        ("a.jsonl", b"", "is empty"),
        ("a.csv.gz", gzip.compress(b"id,subject\n1,2\n" * 999, mtime=0)[:-20], "no whole gzip"),
        ("a.csv.gz", b"id,subject\n1,2\n", "no whole gzip"),
    ],
)
def test_a_bad_file_is_one_sentence_that_names_it(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        open_source(path, Mapping())
    assert str(path) in str(caught.value)


def test_a_missing_file_and_a_missing_column_are_named(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        open_source(tmp_path / "no.csv", Mapping())
    path = write(tmp_path, "a.csv", "id,subject\n1,x\n")
    with pytest.raises(InputError, match="no column 'Lösung' for solution"):
        open_source(path, Mapping(solution="Lösung"))


def test_bad_rows_are_rejected_and_the_others_kept(tmp_path):
    rows = [
        {"id": "1", "subject": "good"},
        {"id": "", "subject": "no id"},
        {"id": "a b", "subject": "space"},
        {"id": True, "subject": "no text"},
        {"id": "2"},
        {"id": "3", "subject": {"deep": 1}},
        {"id": "4", "subject": "x", "created": "soon"},
        {"id": "1", "subject": "again"},
        {"id": "5", "subject": "x" * (TICKET_TEXT.most + 1)},
        {"id": "6", "subject": "last\0 \ud800"},
        {"id": "/7", "subject": "slash"},
        {"id": "a\nb", "subject": "line"},
    ]
    text = "\n".join(map(json.dumps, rows)) + "\n[1]\n{broken\n"
    path = write(tmp_path, "a.jsonl", text)
    tickets, rejects = read(path)
    assert tickets == [Ticket("1", "good"), Ticket("6", "last ?")]
    assert [(reject.line, reject.field) for reject in rejects] == [
        (2, "id"),
        (3, "id"),
        (4, "id"),
        (5, "subject"),
        (6, "subject"),
        (7, "created"),
        (8, "id"),
        (9, "subject"),
        (11, "id"),
        (12, "id"),
        (13, ""),
        (14, ""),
    ]
    assert rejects[6].reason == f"1 was already given at {path}:1"


def test_a_file_that_is_given_twice_is_taken_once(tmp_path):
    source = open_source(write(tmp_path, "a.csv", "key,title\nA-1,Trip\nA-2,Leak\n"), Mapping())
    tickets, rejects = read_sources(source, source)
    assert [ticket.id for ticket in tickets] == ["A-1", "A-2"]
    assert [reject.reason for reject in rejects] == [
        f"A-1 was already given at {source.path}:2",
        f"A-2 was already given at {source.path}:3",
    ]


def test_a_disk_that_takes_no_more_ids_is_said_so():
    with closing(sqlite3.connect("")) as connection:
        connection.execute("PRAGMA max_page_count = 4")
        places = FirstPlaces(connection)
        with pytest.raises(StoreError, match="free some room"):
            for number in range(10_000):
                assert not places.earlier(f"T-{number}", "a.csv:2")


def test_a_csv_row_of_another_length_is_rejected_with_its_first_line(tmp_path):
    path = write(tmp_path, "a.csv", 'id,subject\n1,"two\nlines"\n2\n3,x,y\n4,z\n')
    tickets, rejects = read(path)
    assert [ticket.id for ticket in tickets] == ["1", "4"]
    assert [(r.line, r.reason) for r in rejects] == [
        (4, "has 1 cell where the header has 2"),
        (5, "has 3 cells where the header has 2"),
    ]


def test_empty_rows_of_a_spreadsheet_are_no_rows(tmp_path):
    """It saves them as separators alone; each was rejected for its empty subject."""
    path = write(tmp_path, "a.csv", "id,subject\n1,one\n,\n ,\n,,\n\n2,\n3,three\n,\n")
    tickets, [reject] = read(path)
    assert tickets == [Ticket("1", "one"), Ticket("3", "three")]
    assert (reject.line, reject.field) == (7, "subject")


def test_importing_twice_changes_nothing(tmp_path, store):
    text = "id,subject\n" + "".join(f"{i},subject {i}\n" for i in range(700))
    sources = [open_source(write(tmp_path, "a.csv", text), Mapping())]
    report = import_sources(sources, store.put_tickets)
    assert (report.added, report.changed, report.unchanged) == (700, 0, 0)
    report = import_sources(sources, store.put_tickets)
    assert (report.added, report.changed, report.unchanged) == (0, 0, 700)
    assert store.count_tickets() == 700


def test_a_file_with_fewer_columns_changes_what_it_says_alone(tmp_path, store):
    whole = "id,subject,solution,product,created\n1,Pump trips,Seal replaced,SGT,2013-02-25\n"
    narrow, other = "id,subject,status\n1,Pump trips,closed\n", "id,subject,solution\n2,Leak,None\n"
    import_sources([open_source(write(tmp_path, "a.csv", whole), Mapping())], store.put_tickets)
    sources = [
        open_source(write(tmp_path, "b.csv", narrow), Mapping(product="")),
        open_source(write(tmp_path, "c.csv", other), Mapping()),
    ]
    report = import_sources(sources, store.put_tickets)
    assert (report.added, report.changed) == (1, 1)
    one, two = store.get_tickets(["1", "2"]).values()
    assert one == Ticket(
        "1", "Pump trips", "", "Seal replaced", "SGT", "closed", datetime(2013, 2, 25)
    )
    assert two == Ticket("2", "Leak", "", "None")


def test_a_longer_reply_of_a_later_file_is_the_solution(tmp_path, store):
    for reply in ("Restart.", "Restart the bridge."):
        row = json.dumps({"id": "1", "subject": "x", "comments": [{"text": reply}]})
        source = open_source(write(tmp_path, "a.jsonl", row), Mapping())
        import_sources([source], store.put_tickets)
        assert store.get_tickets(["1"])["1"].solution == reply


def test_an_interrupted_import_keeps_whole_batches_and_resumes(tmp_path, store):
    text = "id,subject\n" + "".join(f"{i},subject {i}\n" for i in range(700))
    sources = [open_source(write(tmp_path, "a.csv", text), Mapping())]
    batches = []

    def put_once(tickets, keep):
        batches.append(len(tickets))
        if len(batches) == 2:
            raise KeyboardInterrupt
        return store.put_tickets(tickets)

    with pytest.raises(KeyboardInterrupt):
        import_sources(sources, put_once)
    assert store.count_tickets() == batches[0] == 500
    report = import_sources(sources, store.put_tickets)
    assert (report.added, report.unchanged) == (200, 500)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2013-02-25", datetime(2013, 2, 25)),
        ("2013-02-25 13:17:59", datetime(2013, 2, 25, 13, 17, 59)),
        ("2013-02-25T13:17:59Z", datetime(2013, 2, 25, 13, 17, 59)),
        ("25.02.2013 13:17", datetime(2013, 2, 25, 13, 17)),
        ("25.02.2013 13:17:59", datetime(2013, 2, 25, 13, 17, 59)),
        ("2013/02/25 13:17", datetime(2013, 2, 25, 13, 17)),
        (1361798279000, datetime(2013, 2, 25, 13, 17, 59)),
        ("1361798279000", datetime(2013, 2, 25, 13, 17, 59)),
        ("1361012300000", datetime(2013, 2, 16, 10, 58, 20)),  # not of the year 1361
        ("1361798279", datetime(2013, 2, 25, 13, 17, 59)),
        ("1361798279.0", datetime(2013, 2, 25, 13, 17, 59)),
        ("1361798279000.0", datetime(2013, 2, 25, 13, 17, 59)),
        (20130225, datetime(2013, 2, 25)),
        (20130225.0, datetime(2013, 2, 25)),
        ("2013-02-25 13:17:59 UTC", datetime(2013, 2, 25, 13, 17, 59)),
        ("Mon, 25 Feb 2013 13:17:59 GMT", datetime(2013, 2, 25, 13, 17, 59)),
        ("25/Feb/13 1:17 PM", datetime(2013, 2, 25, 13, 17)),  # as Jira writes it
        ("03/May/21 10:00 AM", datetime(2021, 5, 3, 10)),
        ("25-Feb-2013 13:17:59", datetime(2013, 2, 25, 13, 17, 59)),
        ("25 February 2013", datetime(2013, 2, 25)),
        ("Feb 25, 2013", datetime(2013, 2, 25)),
        ("2013-02-25 01:17 PM", datetime(2013, 2, 25, 13, 17)),
        ("2013-02-25 12:17 am", datetime(2013, 2, 25, 0, 17)),
        ("25/Feb/69 9:05", datetime(1969, 2, 25, 9, 5)),
        ("25.02.2013 1:17 PM", datetime(2013, 2, 25, 13, 17)),
        ("Mon, 25 Feb 2013 13:17:59 +0100", datetime(2013, 2, 25, 12, 17, 59)),
        ("2013-02-25T13:17:59.250+01:00", datetime(2013, 2, 25, 12, 17, 59, 250000)),
        ("  ", None),
        (None, None),
    ],
)
def test_times(value, expected):
    assert expected == parse_time(value)


@pytest.mark.parametrize(
    "value",
    [
        "soon",
        "2013-13-01",
        "02/25/2013",
        "25/02/2013",
        1e30,
        True,
        float("nan"),
        [],
        {},
        2013,
        41330.5,
        -86400,
    ],
)
def test_no_time(value):
    with pytest.raises(ValueError, match="is no date"):
        parse_time(value)


def test_dates_are_read_in_the_one_form_that_is_said(tmp_path):
    """Another one could be taken for it: 03/05/2021 is two days."""
    rows = "id,subject,opened\n1,x,03/05/2021 09:12\n2,y,2021-05-04\n3,z,\n"
    path = write(tmp_path, "a.csv", rows)
    said = read_mapping(None, ["date_format=%m/%d/%Y %H:%M"])
    tickets, [reject] = read(path, said)
    assert [x.created for x in tickets] == [datetime(2021, 3, 5, 9, 12), None]
    assert (reject.line, reject.field) == (3, "created")
    assert reject.reason == "'2021-05-04' is no date; write it as '02/25/2013 13:17'"


def test_a_date_in_an_ambiguous_form_is_refused_with_what_helps(tmp_path):
    """Whoever imports on the page was told of --map, which the page does not have."""
    path = write(tmp_path, "a.csv", "id,subject,opened\n1,x,03/05/2021\n2,y,\n")
    _, [reject] = read(path, read_mapping(None, []))
    assert reject.reason == (
        "'03/05/2021' is no date; write it as 2013-02-25 or 2013-02-25T13:17,"
        " or map its form, as in date_format=%m/%d/%Y"
    )


@pytest.mark.parametrize("form", ["%d/%m", "%Q", "soon", "%H:%M"])
def test_a_form_that_names_no_day_is_refused(form):
    with pytest.raises(InputError, match=r"date_format cannot be used: name day, month and year"):
        read_mapping(None, [f"date_format={form}"])


def test_replies_are_dated_in_the_form_that_is_said(tmp_path):
    replies = [{"text": "early", "at": "02/01/2013"}, {"text": "late and long", "at": "03/01/2013"}]
    path = write(tmp_path, "a.jsonl", json.dumps({"id": 1, "subject": "x", "replies": replies}))
    options = ["comments.column=replies", "comments.time=at", "date_format=%m/%d/%Y"]
    [ticket], _ = read(path, read_mapping(None, options), datetime(2013, 2, 15))
    assert ticket.solution == "early"


def test_mails_are_read_without_what_is_around_them(tmp_path):
    mail = "From: Bob\nSubject: Pump trips\n\nHello,\nit hums\n\nRegards\nBob"
    told = "Hi Bob,\nvent it\nKind regards\nAnn\nService Desk of the Northern Plants\nPhone 17"
    replies = [{"text": told}, {"text": "Dear Bob,\nvent it, then bleed the line"}]
    row = {"id": 1, "subject": "", "description": mail, "replies": replies}
    other = {"id": 2, "subject": "RE: FW: Fan", "description": "stands", "replies": replies[:1]}
    path = write(tmp_path, "a.jsonl", "\n".join(map(json.dumps, (row, other))))
    columns = ["comments.column=replies", "mails=yes"]
    assert read(path, read_mapping(None, columns))[0] == [
        Ticket("1", "Pump trips", "it hums", "vent it, then bleed the line"),
        Ticket("2", "Fan", "stands", "vent it"),
    ]
    [first, _], _ = read(path, read_mapping(None, columns[:1]))
    assert (first.description, first.solution) == (mail, told)


def test_mails_are_yes_or_no():
    with pytest.raises(InputError, match=r"mails cannot be used: write yes or no"):
        read_mapping(None, ["mails=Body"])


def test_a_date_of_many_characters_is_none_and_is_shown_cut():
    blanks = " " * 100
    assert parse_time(f"{blanks}2013-02-25 UTC{blanks}") == datetime(2013, 2, 25)
    with pytest.raises(ValueError, match=r"^'2013-02-25 {49} is no date; write it as "):
        parse_time(f"2013-02-25{blanks}UTC")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["id", "subject", "description", "created", "status"])


@given(st.dictionaries(KEYS, json_values))
def test_any_row_gives_a_ticket_or_a_reject(values):
    mapping = Mapping(
        id="id", subject="subject", description="description", created="created", status="status"
    )
    result = to_ticket(Row("a.jsonl", 1, values), mapping)
    assert isinstance(result, Ticket | Reject)
    if isinstance(result, Ticket):
        assert result.id and (result.subject or result.description)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    return lambda *arguments: CliRunner().invoke(command, list(map(str, arguments)))


def test_a_dry_run_shows_tickets_mapping_and_tokens_and_stores_nothing(tmp_path, run):
    path = write(tmp_path, "a.csv", "key,title\nA-1,Trip at 60 mbar\nA-2,Leak\n")
    result = run(path, "--dry-run")
    assert "id = key, subject = title" in result.output
    assert "the model sees: trip at <num> mbar" in result.output
    assert "2 tickets would be stored, 0 rows rejected" in result.output
    assert not (tmp_path / "home").exists()


def test_the_command_stores_reports_and_writes_rejects(tmp_path, run):
    path = write(tmp_path, "a.csv", "key,title\nA-1,Trip\nA-1,Leak\n")
    rejects = tmp_path / "rejects.jsonl"
    result = run(path, "--rejects", rejects)
    assert "1 ticket added, 0 changed, 0 unchanged, 1 row rejected." in result.output
    assert "`ticketing train` learns from them; no model serves yet." in result.output
    assert json.loads(rejects.read_text()) == {
        "file": str(path),
        "line": 3,
        "field": "id",
        "reason": f"A-1 was already given at {path}:2",
    }


def test_no_rejected_rows_are_said_to_be_anywhere_where_there_are_none(tmp_path, run):
    path, rejects = write(tmp_path, "a.csv", "key,title\nA-1,Trip\n"), tmp_path / "rejects.jsonl"
    rejects.write_text("of the last time\n")
    result = run(path, "--rejects", rejects)
    assert result.exit_code == 0 and "rejected rows are" not in result.output
    assert rejects.read_text() == ""


def test_rejects_of_a_file_without_a_usable_row_are_written(tmp_path, run):
    path = write(tmp_path, "a.csv", "key,title\nA-1\nA-2,Leak,twice\n")
    rejects = tmp_path / "rejects.jsonl"
    result = run(path, "--rejects", rejects)
    assert isinstance(result.exception, InputError)
    assert "a.csv holds no usable row; the first is" in str(result.exception)
    assert f"The rejected rows are in {rejects}." in result.output
    assert [json.loads(line) for line in rejects.read_text().splitlines()] == [
        {"file": str(path), "line": 2, "field": "", "reason": "has 1 cell where the header has 2"},
        {"file": str(path), "line": 3, "field": "", "reason": "has 3 cells where the header has 2"},
    ]
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_an_import_of_which_nothing_is_taken_fails(tmp_path, run, options):
    path = write(tmp_path, "a.csv", "key,title\nA 1,Trip\nA 2,Leak\n")
    result = run(path, *options)
    assert result.exit_code == 1
    assert f"  rejected {path}:3: id: holds white space or control characters" in result.output
    assert str(result.exception) == (
        "Nothing of it can be stored: every row was rejected; mend the rows, or map other columns"
        " with --map."
    )


def test_an_import_of_which_everything_was_there_is_no_failure(tmp_path, run):
    path = write(tmp_path, "a.csv", "key,title\nA-1,Trip\nA-1,Leak\n")
    for said in ("1 ticket added, 0 changed, 0", "0 tickets added, 0 changed, 1"):
        result = run(path)
        assert result.exit_code == 0 and said in result.output


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_rejects_are_written_before_a_closed_pipe_ends_the_command(
    tmp_path, run, monkeypatch, options
):
    def say(text):
        if "id = key" not in text:  # all that is said before the rows are read
            raise BrokenPipeError

    monkeypatch.setattr("ticketing.cli.import_.say", say)
    path = write(tmp_path, "a.csv", "key,title\nA-1,Trip\nA-1,Leak\n")
    rejects = tmp_path / "rejects.jsonl"
    assert isinstance(run(path, "--rejects", rejects, *options).exception, BrokenPipeError)
    assert json.loads(rejects.read_text())["line"] == 3


def test_rejects_never_replace_what_is_read(tmp_path, run):
    path = write(tmp_path, "a.csv", "key,title\nA-1,Trip\nA-1,Leak\n")
    result = run(path, "--rejects", tmp_path / "." / "a.csv")
    assert isinstance(result.exception, InputError)
    assert "a.csv is a file that is read; name another one." in str(result.exception)
    assert path.read_text().startswith("key,title")


@pytest.mark.corpus
def test_the_real_archive_needs_no_mapping(shared):
    source = open_source(shared / "data/titanium/tickets.jsonl.gz", Mapping())
    assert source.rows == 16_171
    assert source.mapping.product == "project"
    assert source.mapping.solution == ""
    assert source.mapping.comments.author == "who"


@pytest.mark.parametrize(
    ("cell", "id"), [(7.0, "7"), (2.0**53 - 1, "9007199254740991"), ("7.0", "7.0")]
)
def test_a_number_with_a_point_is_the_id_that_it_has_without(cell, id):
    """A text with one may be a version."""
    row = Row("f", 1, {"id": cell, "subject": "Fan"})
    assert to_ticket(row, Mapping(id="id", subject="subject")) == Ticket(id, "Fan")


@pytest.mark.parametrize("cell", [7.5, 2.0**53, float("inf"), float("nan")])
def test_a_number_that_is_not_whole_or_not_exact_is_no_id(cell):
    refused = to_ticket(Row("f", 1, {"id": cell, "subject": "Fan"}), Mapping(id="id", subject="x"))
    assert refused == Reject("f", 1, "id", "is neither text nor a whole number")


@pytest.mark.parametrize(
    ("cell", "groups"),
    [
        ("hr; service ,lab", {"hr", "service", "lab"}),
        (["hr", " a b "], {"hr", "a b"}),
        ("<hr>", {"<hr>"}),  # what hides a ticket is never cleaned away
        ("", set()),
        (None, set()),
        ([], set()),
        (0, {"0"}),
    ],
)
def test_groups_are_a_list_or_a_text_of_names(cell, groups):
    row = Row("f", 1, {"id": "T-1", "subject": "Fan", "who": cell})
    ticket = to_ticket(row, Mapping(id="id", subject="subject", groups="who"))
    assert ticket.groups == groups


@pytest.mark.parametrize("cell", [{"hr": 1}, ["hr", 7], ["hr", None], [["hr"]], False, 0.5])
def test_a_row_whose_groups_do_not_read_is_left_out(cell):
    row = Row("f", 1, {"id": "T-1", "subject": "Fan", "who": cell})
    refused = to_ticket(row, Mapping(id="id", subject="subject", groups="who"))
    assert isinstance(refused, Reject)
    assert refused.field == "groups"


def test_groups_come_from_a_column_that_is_named_and_else_stay(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    path = write(tmp_path, "desk.csv", "id,subject,groups\nT-1,Fan,hr;lab\nT-2,Pump,\n")

    def seen_by(*options):
        result = CliRunner().invoke(command, [str(path), *options], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        store = SQLiteStore(tmp_path / "home")
        groups = [ticket.groups for ticket in store.iter_tickets()]
        store.close()
        return groups, result.output

    assert seen_by()[0] == [set(), set()]
    assert seen_by("--map", "groups=groups")[0] == [{"hr", "lab"}, set()]
    assert seen_by()[0] == [{"hr", "lab"}, set()]
    assert "seen by: hr, lab" in seen_by("--map", "groups=groups", "--dry-run")[1]


def test_a_date_to_come_is_warned_of(tmp_path, store):
    path = write(tmp_path, "a.csv", "id,subject,created\n1,x,9999-12-31\n2,y,2013-01-01\n3,z,\n")
    report = import_sources([open_source(path, Mapping())], store.put_tickets)
    assert (report.added, report.to_come) == (3, ["1"])


def test_the_command_warns_of_dates_to_come(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    path = write(tmp_path, "a.csv", "id,subject,created\n1,x,9999-12-31\n")
    for options in (["--dry-run"], []):
        result = CliRunner().invoke(command, [str(path), *options])
        assert "Warning: 1 ticket dated after tomorrow, first 1; mend" in result.output


def test_a_file_of_rows_that_cannot_be_used_ends_an_import_before_they_fill_the_memory(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("ticketing.tables.MOST_REJECTS", 3)
    path = write(tmp_path, "a.jsonl", "{}\n" + "x\n" * 5)
    with pytest.raises(InputError, match=r"a.jsonl has more than 3 rows .* first is .*a.jsonl:2: "):
        open_source(path, Mapping())
    path = write(tmp_path, "b.csv", "id,subject\nT-1,Fan\n" + ",x\n" * 5)
    source = open_source(path, Mapping())
    with pytest.raises(InputError, match=r"b.csv has more than 3 rows .* first is .*b.csv:3: id"):
        read_sources(source)


def test_rows_whose_ids_are_taken_are_bounded_as_others_are(tmp_path, monkeypatch):
    monkeypatch.setattr("ticketing.tables.MOST_REJECTS", 3)
    path = write(tmp_path, "a.csv", "id,subject\n" + "".join(f"T-{n},Fan\n" for n in range(4)))
    source, report = open_source(path, Mapping()), ImportReport()

    def all_taken(tickets, keep):
        return PutCounts(taken=frozenset(ticket.id for ticket in tickets))

    with pytest.raises(InputError, match=r"a.csv has more than 3 rows .* first is .*a.csv:2: id"):
        import_sources([source], all_taken, report=report)
    assert [reject.line for reject in report.rejects] == [2, 3, 4]
