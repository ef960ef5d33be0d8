"""Labels: derived from events, split, imported, exported, and back again."""

import json
import os
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from ticketing.cli.labels import command
from ticketing.desk import open_desk
from ticketing.desk.judging import standing
from ticketing.errors import InputError
from ticketing.history import AuditEntry
from ticketing.labels import (
    Columns,
    derive_labels,
    export_labels,
    import_labels,
    is_test,
    read_grades,
)
from ticketing.labels.derive import latest
from ticketing.labels.events import to_json
from ticketing.labels.known import JudgedQueries
from ticketing.limits import SUBJECT
from ticketing.settings import load_settings
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import IMPORTED, Grade, Judgment, Label, Query, Ticket

YES, REL, NO = Grade.YES, Grade.REL, Grade.NO
QUERY = Query("Trip", "at start")
NOON = datetime(2013, 1, 1, 12)


def event(number, grade, judge="ann", ticket="T-1", query=QUERY, minutes=None):
    time = NOON + timedelta(minutes=number if minutes is None else minutes)
    return Judgment(f"e{number}", query, ticket, grade, judge, time)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([event(1, YES)], YES),
        ([event(1, YES), event(2, NO)], NO),
        ([event(1, YES, minutes=9), event(2, NO, minutes=1)], YES),
        ([event(1, YES, minutes=5), event(2, NO, minutes=5)], NO),
        ([event(1, YES), event(2, NO, "bob")], NO),
        ([event(1, YES), event(2, REL, "bob"), event(3, NO, "cy")], REL),
        ([event(1, YES), event(2, YES, "bob"), event(3, NO, "cy")], YES),
        ([event(1, YES), event(2, NO, "bob"), event(3, None, "bob")], YES),
    ],
)
def test_the_latest_of_each_judge_counts_and_judges_are_joined_by_the_lower_median(
    events, expected
):
    assert derive_labels(events) == [Label(QUERY, "T-1", expected)]


@settings(max_examples=50)
@given(st.permutations([event(1, NO), event(2, YES), event(3, REL, "bob"), event(4, None, "bob")]))
def test_what_people_see_stands_by_time_as_labels_do(events):
    """An import brings older events after newer ones."""
    assert [e.grade for e in standing(events)] == [YES]
    assert [label.grade for label in derive_labels(events)] == [YES]


def test_an_undo_leaves_no_label():
    assert derive_labels([event(1, YES), event(2, None)]) == []


def test_labels_are_ordered_whatever_the_order_of_events():
    events = [event(i, YES, ticket=f"T-{i}", query=Query(f"q{i % 2}")) for i in range(6)]
    labels = derive_labels(events)
    keys = [(label.query.id, label.ticket_id) for label in labels]
    assert keys == sorted(keys)
    assert labels == derive_labels(reversed(events))


def test_one_query_in_five_is_a_test_query_and_stays_so():
    tested = [is_test(Query(f"query {i}").id) for i in range(2000)]
    assert 340 < sum(tested) < 460
    assert tested == [is_test(Query(f"query {i}").id) for i in range(2000)]


def test_which_queries_are_test_queries_never_changes():
    """A query that passed to the other side would be asked of a bundle that learned from it. The
    hashes of these are 0, 18 and 19 of a hundred, and 20, 21 and 99."""
    assert [is_test(id) for id in ("155", "059", "086")] == [True] * 3
    assert [is_test(id) for id in ("123", "100", "133")] == [False] * 3


def test_the_latest_events_come_in_the_order_of_their_own_times():
    first, other, again = event(1, NO), event(2, NO, ticket="T-2"), event(3, YES)
    assert latest([first, other, again]) == [other, again]


def test_of_queries_of_one_text_the_ticket_is_meant():
    texts = [f"trip {number}" for number in range(8)]
    asked = [Query(text, ticket_id=id) for text in texts for id in ("N-1", "")]
    judged = JudgedQueries([event(i, YES, query=query) for i, query in enumerate(asked)])
    assert [judged.named(text) for text in texts] == [Query(text, "", "N-1") for text in texts]


@pytest.fixture
def store(tmp_path):
    store = SQLiteStore(tmp_path / "store")
    store.put_tickets(
        [
            Ticket("N-1", "new one", "hangs", created=datetime(2012, 5, 1)),
            Ticket("N-2", "new two", created=datetime(2013, 5, 1)),
            Ticket("O-1", "old one"),
            Ticket("O-2", "old two"),
        ]
    )
    yield store
    store.close()


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


LINKS = (
    "newer\tolder\ttype\nN-1\tO-1\tDuplicate\nN-1\tO-2\tRelates\nN-1\tO-2\tCloners\n"
    "N-2\tO-1\tRelates\nN-2\tO-1\tDuplicate\nN-2\tX-9\tDuplicate\nN-1\tN-1\tRelates\n"
)
LINK_COLUMNS = Columns(query="newer", ticket="older", grade="type")
LINK_GRADES = {"duplicate": YES, "relates": REL}


def labels_of(store):
    return {
        (label.query.ticket_id or label.query.subject, label.ticket_id): label.grade
        for label in derive_labels(store.judgments())
    }


def test_links_between_tickets_become_labels(tmp_path, store):
    path = write(tmp_path, "links.tsv", LINKS)
    report = import_labels(path, store, LINK_COLUMNS, LINK_GRADES)
    assert labels_of(store) == {("N-1", "O-1"): YES, ("N-1", "O-2"): REL, ("N-2", "O-1"): YES}
    # one row is of another kind, and one says a worse grade of a pair than another row
    assert (report.added, report.known, report.left_out) == (3, 0, 2)
    assert [(reject.line, reject.field) for reject in report.rejects] == [
        (7, "older"),
        (8, "older"),
    ]
    queries = {e.query for e in store.judgments()}
    assert Query("new one", "hangs", ticket_id="N-1") in queries


def test_importing_labels_twice_changes_nothing(tmp_path, store):
    path = write(tmp_path, "links.tsv", LINKS)
    import_labels(path, store, LINK_COLUMNS, LINK_GRADES)
    before = list(store.judgments())
    report = import_labels(path, store, LINK_COLUMNS, LINK_GRADES)
    assert (report.added, report.known) == (0, 3)
    assert list(store.judgments()) == before


def test_of_imports_that_contradict_each_other_the_last_stands(tmp_path, store):
    for grade in ("YES", "NO", "YES", "YES", "NO", "YES"):
        path = write(tmp_path, "a.csv", f"query,docid,rating\ntrips,O-1,{grade}\n")
        report = import_labels(path, store)
        assert labels_of(store) == {("trips", "O-1"): Grade[grade]}
    assert (report.added, report.known) == (1, 0)
    assert [event.grade for event in store.judgments()] == [YES, NO, YES, NO, YES]


def test_nobody_can_use_up_the_id_of_an_import(tmp_path, store):
    """A NO under the id that importing a YES would have had kept the YES out."""
    path = write(tmp_path, "a.csv", "query,docid,rating\ntrips,O-1,YES\n")
    import_labels(path, store)
    [made] = store.judgments()
    assert made.event_id.startswith(IMPORTED)


def test_an_exported_table_that_comes_back_changes_nothing(tmp_path, store):
    """Each query that was a ticket came back as a text of its own, beside which its own ticket
    stood, unjudged: every figure sank."""
    links = write(tmp_path, "links.tsv", LINKS)
    import_labels(links, store, LINK_COLUMNS, LINK_GRADES)
    typed = Query("=Valve sticks", "since noon\nand again")
    store.add_judgments([event(1, YES, ticket="O-1", query=typed), event(2, NO, "bob", "O-2")])
    before = derive_labels(store.judgments())
    export_labels(store.judgments(), tmp_path / "out")
    report = import_labels(tmp_path / "out" / "labels.csv", store)
    assert (report.added, report.known, report.left_out, report.rejects) == (0, 5, 0, [])
    assert derive_labels(store.judgments()) == before


def test_an_exported_query_that_is_only_a_subject_gets_no_second_voice(tmp_path, store):
    """Whoever took a judgment back found it standing: the import had said the same."""
    asked = Query("pump leaks")
    longer = Query("pump leaks", "since noon")
    store.add_judgments(
        [event(i, YES, ticket="O-1", query=q) for i, q in enumerate((asked, longer))]
    )
    export_labels(store.judgments(), tmp_path)
    report = import_labels(tmp_path / "labels.csv", store)
    assert (report.added, report.known) == (0, 2)
    assert {x.judge for x in store.judgments()} == {"ann"}


def test_a_table_that_was_changed_before_it_comes_back_is_about_the_same_queries(tmp_path, store):
    import_labels(write(tmp_path, "links.tsv", LINKS), store, LINK_COLUMNS, LINK_GRADES)
    export_labels(store.judgments(), tmp_path)
    text = (tmp_path / "labels.csv").read_text()
    report = import_labels(write(tmp_path, "mine.csv", text.replace(",O-2,1", ",O-2,2")), store)
    assert (report.added, report.known) == (1, 2)
    assert labels_of(store) == {("N-1", "O-1"): YES, ("N-1", "O-2"): YES, ("N-2", "O-1"): YES}


def test_each_judge_of_a_file_has_a_voice_and_every_row_is_counted(tmp_path, store):
    rows = "shaft,O-1,YES,ann shaft,O-1,NO,bob shaft,O-2,NO,ann shaft,O-2,REL,ann shaft,O-2,NO,"
    path = write(tmp_path, "j.csv", "subject,ticket,grade,judge\n" + rows.replace(" ", "\n"))
    report = import_labels(path, store)
    said = {(x.ticket_id, x.judge): x.grade for x in store.judgments()}
    assert said == {
        ("O-1", "ann"): YES,
        ("O-1", "bob"): NO,
        ("O-2", "ann"): REL,
        ("O-2", "import"): NO,
    }
    assert {x.ticket_id: x.grade for x in derive_labels(store.judgments())} == {
        "O-1": NO,
        "O-2": NO,
    }
    assert (report.added, report.known, report.left_out) == (4, 0, 1)
    again = import_labels(path, store)
    assert (again.added, again.known, again.left_out) == (0, 4, 1)


def test_one_judge_for_all_rows_outdoes_the_column(tmp_path, store):
    path = write(tmp_path, "j.csv", "subject,ticket,grade,judge\nshaft,O-1,YES,ann\n")
    import_labels(path, store, judge="cy")
    assert [x.judge for x in store.judgments()] == ["cy"]
    with pytest.raises(InputError, match="Either --judge or --judge-column"):
        import_labels(path, store, Columns(judge="judge"), judge="cy")


def test_an_event_that_contradicts_a_kept_one_is_rejected(tmp_path, store):
    export_labels([event(1, YES), event(2, NO)], tmp_path)
    import_labels(tmp_path / "judgments.jsonl", store)
    export_labels([event(1, NO), event(2, NO), event(3, REL), event(3, YES)], tmp_path)
    report = import_labels(tmp_path / "judgments.jsonl", store)
    assert [(reject.line, reject.field) for reject in report.rejects] == [
        (1, "event_id"),
        (4, "event_id"),
    ]
    assert (report.added, report.known) == (1, 1)
    assert list(store.judgments()) == [event(1, YES), event(2, NO), event(3, REL)]


def test_an_event_given_twice_in_a_file_is_not_known_before(tmp_path, store):
    path = write(tmp_path, "a.jsonl", 2 * (to_json(event(1, YES)) + "\n"))
    report = import_labels(path, store)
    assert (report.added, report.known) == (1, 0)


def test_events_of_tickets_that_are_not_there_are_kept_and_counted(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    open_desk(load_settings()).put_tickets([Ticket("T-1", "Trip")])
    export_labels([event(1, YES), event(2, NO, ticket="T-2"), event(3, NO, "bob", "T-2")], tmp_path)
    result = CliRunner().invoke(command, ["import", str(tmp_path / "judgments.jsonl")])
    assert result.output.startswith("3 judgments added, 0 known before")
    assert "2 judgments of tickets that are not here; import them too." in result.output


def test_of_long_cells_the_beginning_is_shown(tmp_path, store):
    long = "x" * 1000
    path = write(tmp_path, "a.csv", f"query,docid,rating\na,O-1,{long}\na,{long},2\n")
    report = import_labels(path, store)
    assert [len(reject.reason) < 110 for reject in report.rejects] == [True, True]
    assert all("'xxx" in reject.reason for reject in report.rejects)
    path = write(tmp_path, "b.csv", f"query,docid,rating\na,O-1,{'7' * 1000}\n")
    with pytest.raises(InputError, match=r"has the grades 7{20}, which are on neither"):
        import_labels(path, store)


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("time", "0001-01-01T00:00:00+12:00"),
        ("time", "9999-12-31T23:59:59-12:00"),
        ("rank", 10**30),
        ("rank", 0),
        ("score", "1e999"),
        ("event_id", ""),
        ("ticket_id", ""),
        ("event_id", "x" * 101),
        ("judge", "\ud800"),
        ("judge", ""),
        ("judge", " \u2028"),
        ("query", {"subject": " ", "description": "\n"}),
        ("query", {"subject": "", "ticket_id": "T-1"}),
        ("note", "x" * 2001),
        ("query", {"subject": "\ud800"}),
        ("grade", 7),
    ],
    ids=ascii,
)
def test_an_event_that_cannot_be_kept_is_a_row_that_is_refused(tmp_path, store, field, bad):
    values = json.loads(to_json(event(1, YES)))
    text = json.dumps(values | {field: bad}) + "\n" + to_json(event(2, NO)) + "\n"
    report = import_labels(write(tmp_path, "a.jsonl", text.replace('"1e999"', "1e999")), store)
    [reject] = report.rejects
    assert reject.line == 1 and reject.reason
    assert list(store.judgments()) == [event(2, NO)]


@pytest.mark.parametrize("subject", ["&#" + "9" * 5000, "a\ud800", "a\u2028b\x0b\x1c"], ids=ascii)
def test_a_label_of_any_text_is_taken(tmp_path, store, subject):
    lines = json.dumps({"query": subject, "docid": "O-1", "rating": "YES"}) + "\n"
    assert import_labels(write(tmp_path, "a.jsonl", lines), store).added == 1


def test_of_several_columns_for_a_grade_one_is_to_be_named(tmp_path, store):
    rows = "query,docid,note,note,rating,rating\nTrip,O-1,a,b,0,2\n"
    path = write(tmp_path, "a.csv", rows)
    several = r"a\.csv has several columns 'rating'; name one of them by --grade-column \(it has: "
    with pytest.raises(InputError, match=several):
        import_labels(path, store)
    assert import_labels(path, store, Columns(grade="rating 2")).added == 1
    assert labels_of(store) == {("Trip", "O-1"): YES}


def test_of_several_columns_for_a_judge_none_is_used_where_one_is_said(tmp_path, store):
    path = write(tmp_path, "a.csv", "query,docid,rating,judge,judge\nTrip,O-1,2,ann,bob\n")
    with pytest.raises(InputError, match=r"several columns 'judge'; name one of them by --judge-"):
        import_labels(path, store)
    import_labels(path, store, judge="eve")
    assert [event.judge for event in store.judgments()] == ["eve"]


def test_an_id_in_a_column_with_gaps_is_a_whole_number(tmp_path, store):
    """Unless it is an id with its point: the archive has 3 and 3.0. There is no 4."""
    store.put_tickets([Ticket(id, "Fan") for id in ("1", "2", "3", "3.0")])
    rows = "newer,older,type\n1.0,2.0,YES\n1.0,3.0,NO\n4.0,3,YES\n2.0,2,YES\n"
    report = import_labels(write(tmp_path, "links.csv", rows), store, LINK_COLUMNS)
    assert labels_of(store) == {("1", "2"): YES, ("1", "3.0"): NO}
    assert [(reject.line, reject.field, reject.reason) for reject in report.rejects] == [
        (4, "newer", "there is no ticket '4.0' in the archive"),
        (5, "older", "is the query itself"),
    ]


def test_a_query_beyond_the_limit_is_a_row_that_is_refused(tmp_path, store):
    long = "x" * (SUBJECT.most + 1)
    path = write(tmp_path, "a.csv", f"query,docid,rating\n{long},O-1,YES\na,O-1,NO\n")
    report = import_labels(path, store)
    assert [(reject.line, reject.field) for reject in report.rejects] == [(2, "query")]
    assert report.added == 1


def test_only_queries_before_a_date(tmp_path, store):
    path = write(tmp_path, "links.tsv", LINKS)
    import_labels(path, store, LINK_COLUMNS, LINK_GRADES, before=datetime(2013, 1, 1))
    assert {query for query, _ in labels_of(store)} == {"N-1"}


def test_a_query_of_the_very_date_is_not_before_it(tmp_path, store):
    path = write(tmp_path, "links.tsv", LINKS)
    import_labels(path, store, LINK_COLUMNS, LINK_GRADES, before=datetime(2012, 5, 1))
    assert labels_of(store) == {}


def test_grades_are_mapped_in_whatever_capitals_they_are_written():
    assert read_grades(["Duplicate=yes", "RELATES=Rel"]) == {"duplicate": YES, "relates": REL}


def test_blanks_around_a_cell_are_no_part_of_it(tmp_path, store):
    path = write(tmp_path, "a.csv", "query,docid,rating\n trips , O-1 , YES \n")
    assert import_labels(path, store).rejects == []
    assert labels_of(store) == {("trips", "O-1"): YES}


def test_a_judges_name_in_a_row_has_its_limit(tmp_path, store):
    rows = "".join(f"a,O-1,YES,{'j' * length}\n" for length in (500, 501))
    report = import_labels(write(tmp_path, "a.csv", f"query,docid,rating,judge\n{rows}"), store)
    assert [(reject.line, reject.field) for reject in report.rejects] == [(3, "judge")]
    assert report.added == 1


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("a,O-1,YES\nb,O-1,rel\nc,O-1,No\n", {"a": YES, "b": REL, "c": NO}),
        ("a,O-1,2\nb,O-1,1\nc,O-1,0\n", {"a": YES, "b": REL, "c": NO}),
        ("a,O-1,5\nb,O-1,3\nc,O-1,1\n", {"a": YES, "b": REL, "c": NO}),
    ],
)
def test_three_scales_are_understood(tmp_path, store, rows, expected):
    import_labels(write(tmp_path, "a.csv", "query,docid,rating\n" + rows), store)
    assert {query: grade for (query, _), grade in labels_of(store).items()} == expected


@pytest.mark.parametrize(
    "numbers",
    [["0", "1", "2", "3"], ["1", "2", "4"], ["0", "5"], ["0", "0.5", "1"], ["-1", "0", "1"]],
)
def test_numbers_of_another_scale_are_refused_as_a_whole(tmp_path, store, numbers):
    """The 3 of a scale from 0 to 3 was taken for the middle of 1, 3, 5, and the 1 of one from 0 to
    1 by halves for the middle of 0, 1, 2."""
    rows = "".join(f"q{number},O-1,{number}\n" for number in numbers)
    path = write(tmp_path, "a.csv", "query,docid,rating\n" + rows)
    with pytest.raises(InputError, match=rf"grades {', '.join(numbers)}, which are on neither"):
        import_labels(path, store)
    assert labels_of(store) == {}
    import_labels(path, store, grades=read_grades([f"{numbers[-1]}=YES"]))
    assert labels_of(store) == {(f"q{numbers[-1]}", "O-1"): YES}


def test_an_unknown_grade_is_rejected(tmp_path, store):
    report = import_labels(write(tmp_path, "a.csv", "query,docid,rating\na,O-1,good\n"), store)
    assert [(r.line, r.field) for r in report.rejects] == [(2, "rating")]
    assert labels_of(store) == {}


@pytest.mark.parametrize("value", [["a"], {"subject": "a"}])
def test_a_list_or_an_object_is_no_query_ticket_grade_or_judge(tmp_path, store, value):
    """A query {"subject": "a"} was kept as the text "{'subject': 'a'}"."""
    label = {"query": "a", "docid": "O-1", "rating": 2, "judge": 7}
    rows = [label, *({**label, name: value} for name in label)]
    report = import_labels(write(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows))), store)
    assert [(r.line, r.field, r.reason) for r in report.rejects] == [
        (2, "query", "is neither text nor a number"),
        (3, "docid", "is neither text nor a number"),
        (4, "rating", "is neither text nor a number"),
        (5, "judge", "is neither text nor a number"),
    ]
    assert labels_of(store) == {("a", "O-1"): YES}


def test_usual_names_of_columns_may_have_capitals_and_blanks(tmp_path, store):
    """A file with the columns Subject, Ticket and Grade "has no column for the subject"."""
    text = "Subject,Description,Ticket ID,Grade,Judge\na,b,O-1,YES,ann\n"
    assert import_labels(write(tmp_path, "a.csv", text), store).added == 1
    [event] = store.judgments()
    asked = event.query.subject, event.query.description
    assert (asked, event.ticket_id, event.judge) == (("a", "b"), "O-1", "ann")


def test_what_cannot_be_used_is_one_sentence(tmp_path, store):
    path = write(tmp_path, "a.csv", "query,docid,rating\na,O-1,2\n")
    with pytest.raises(InputError, match="no column 'newer'; name it by --query"):
        import_labels(path, store, Columns(query="newer"))
    for part in ("subject", "description", "ticket", "grade"):
        with pytest.raises(InputError, match="no column 'newer'; name it by --"):
            import_labels(path, store, Columns(**{part: "newer"}))
    with pytest.raises(InputError, match="--before needs"):
        import_labels(path, store, before=NOON)
    with pytest.raises(InputError, match="Duplicate=MAYBE"):
        read_grades(["Duplicate=MAYBE"])
    assert labels_of(store) == {}


def test_where_no_row_can_be_used_the_first_reason_is_given(tmp_path, store):
    path = write(tmp_path, "a.csv", "query,docid,rating\na,O-1\nb,O-1\n")
    with pytest.raises(InputError, match=r"row; the first is .*a\.csv:2: has 2 cells where the h"):
        import_labels(path, store)


def test_a_bad_event_is_rejected_with_its_field(tmp_path, store):
    lines = '{"event_id": "e", "query": {"subject": "a"}, "ticket_id": "T", "judge": "ann"}\n'
    report = import_labels(write(tmp_path, "a.jsonl", lines), store)
    assert {reject.field for reject in report.rejects} <= {"grade", "time"}
    assert report.added == 0


@pytest.mark.parametrize(
    "said",
    [
        {"columns": Columns(description="text")},
        {"grades": {"5": YES}},
        {"before": NOON},
        {"judge": "bob"},
    ],
)
def test_events_say_themselves_who_judged_what_and_how(tmp_path, store, said):
    path = write(tmp_path, "a.jsonl", to_json(event(1, YES)))
    with pytest.raises(InputError, match=r"a\.jsonl holds judgments as exported, .* leave out all"):
        import_labels(path, store, **said)
    assert labels_of(store) == {}
    assert import_labels(path, store).added == 1


def test_the_length_of_an_id_counts_as_that_of_a_ticket(tmp_path, store):
    long = event(1, YES, ticket="é" * 257)
    report = import_labels(write(tmp_path, "a.jsonl", to_json(long)), store)
    [reject] = report.rejects
    assert (reject.field, reject.reason[:13]) == ("ticket_id", "has 514 bytes")
    assert list(store.judgments()) == []


def test_an_event_of_a_time_to_come_is_rejected(tmp_path, store):
    late = replace(event(1, YES), time=datetime(2099, 1, 1))
    report = import_labels(write(tmp_path, "a.jsonl", to_json(late)), store)
    [reject] = report.rejects
    assert (reject.field, reject.reason) == ("time", "lies after tomorrow; mend it")
    assert (report.added, list(store.judgments())) == (0, [])


@pytest.mark.parametrize("time", [datetime(2099, 1, 1), datetime.max])
def test_a_label_contradicts_an_event_of_whatever_time(tmp_path, store, time):
    path = write(tmp_path, "a.csv", "query,docid,rating\nTrip,O-1,2\n")
    store.add_judgments(
        [Judgment("e", Query("Trip"), "O-1", Grade.NO, "import", time)],
    )
    assert import_labels(path, store).added == 1
    assert [label.grade for label in derive_labels(store.judgments())] == [YES]
    assert import_labels(path, store).added == 0


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ("", "--judge is empty; name who judged."),
        (" ", "--judge is empty; name who judged."),
        ("j" * 600, "--judge has 600 characters, more than the 500 allowed; shorten it."),
        ("\udce9", "--judge holds half a character ('\\udce9'); repair or remove it."),
    ],
)
def test_a_judge_who_could_not_be_read_back_is_refused(tmp_path, store, judge, said):
    path = write(tmp_path, "a.csv", "query,docid,rating\na,O-1,2\n")
    with pytest.raises(InputError) as raised:
        import_labels(path, store, judge=judge)
    assert str(raised.value) == said


def test_the_export_holds_all_four_files(tmp_path):
    other = Query("Leak", "oil, 3 bar", ticket_id="N-1")
    events = [event(1, YES), event(2, NO, ticket="T-2"), event(3, REL, query=other)]
    paths = export_labels(events, tmp_path / "out").paths
    texts = {path.name: path.read_text() for path in paths}
    assert texts.keys() == {"judgments.jsonl", "labels.csv", "qrels.txt", "queries.jsonl"}
    assert set(texts["labels.csv"].splitlines()) == {
        "query,docid,rating",
        "Trip at start,T-1,2",
        "Trip at start,T-2,0",
        '"Leak oil, 3 bar",T-1,1',
    }
    assert sorted(texts["qrels.txt"].splitlines()) == sorted(
        [f"{QUERY.id} 0 T-1 2", f"{QUERY.id} 0 T-2 0", "N-1 0 T-1 1"]
    )
    queries = [json.loads(line) for line in texts["queries.jsonl"].splitlines()]
    assert {"qid": "N-1", "subject": "Leak", "description": "oil, 3 bar"} in queries
    assert len(texts["judgments.jsonl"].splitlines()) == 3


@pytest.mark.parametrize("grades", [(YES, NO), (NO, YES)])
def test_of_a_query_whose_ticket_was_reworded_qrels_have_the_better_grade(tmp_path, grades):
    reworded = Query("Leak", ticket_id="N-1"), Query("Oil leak", ticket_id="N-1")
    asked = zip(reworded, grades, strict=True)
    export_labels([event(i, grade, query=one) for i, (one, grade) in enumerate(asked)], tmp_path)
    assert (tmp_path / "qrels.txt").read_text() == "N-1 0 T-1 2\n"


def test_cells_of_the_table_for_people_are_no_formulas(tmp_path):
    formula = Query('=HYPERLINK("http://evil")')
    exported = export_labels([event(1, YES, ticket="=1+1", query=formula)], tmp_path)
    texts = {path.name: path.read_text() for path in exported.paths}
    assert texts["labels.csv"].splitlines()[1] == '"\'=HYPERLINK(""http://evil"")",\'=1+1,2'
    assert texts["qrels.txt"] == f"{formula.id} 0 =1+1 2\n"
    for name in ("judgments.jsonl", "queries.jsonl"):
        assert json.loads(texts[name]).get("query", json.loads(texts[name]))["subject"][0] == "="


odd = st.text(";,|=-'\"a", min_size=1, max_size=6)


@settings(max_examples=50)
@given(st.lists(st.tuples(odd, odd, odd), min_size=1, max_size=4))
def test_the_table_for_people_comes_back_as_it_was(tmp_path_factory, said):
    """An id behind an apostrophe was the id of no ticket."""
    folder = tmp_path_factory.mktemp("export")
    events = [
        event(number, YES, ticket=ticket, query=Query(subject, description))
        for number, (subject, description, ticket) in enumerate(said)
    ]
    store = Remembering(events)
    export_labels(events, folder)
    report = import_labels(folder / "labels.csv", store)
    assert (report.rejects, report.added, report.strange) == ([], 0, 0)
    assert store.events == events


def test_ids_with_white_space_are_left_out_of_qrels_and_named(tmp_path):
    odd = Query("Leak", ticket_id="N\u20281")
    events = [event(1, YES), event(2, NO, ticket="T 2"), event(3, REL, query=odd)]
    exported = export_labels(events, tmp_path)
    assert exported.left_out == ["N\u20281", "T 2"]
    assert (tmp_path / "qrels.txt").read_text() == f"{QUERY.id} 0 T-1 2\n"
    assert (tmp_path / "judgments.jsonl").read_text().count("\n") == 3


said = st.text(min_size=1).filter(str.strip)
queries = st.builds(Query, said, st.text(), st.sampled_from(["", "N-1"]))
judgments = st.builds(
    Judgment,
    event_id=st.uuids().map(str),
    query=queries,
    ticket_id=st.sampled_from(["T-1", "T-2"]),
    grade=st.none() | st.sampled_from(Grade),
    judge=st.text(min_size=1, max_size=5).filter(str.strip),
    time=st.datetimes(max_value=NOON),
    rank=st.none() | st.integers(1, 10),
    score=st.none() | st.floats(1, 5),
    bundle_id=st.text(max_size=5),
)


class Remembering:
    """A store that remembers events, which is all that importing events needs."""

    def __init__(self, events=()):
        self.events = [*events]

    def add_judgments(self, events):
        self.events += events
        return len(events)

    def judgments(self):
        return iter(self.events)

    def matching_ids(self, ids):
        return set(ids)

    def get_tickets(self, ids):
        judged = {event.ticket_id for event in self.events}
        return {id: Ticket(id, "subject") for id in ids if id in judged}


@settings(max_examples=50)
@given(events=st.lists(judgments, min_size=1, max_size=5))
def test_exported_events_read_back_equal(tmp_path_factory, events):
    folder = tmp_path_factory.mktemp("export")
    export_labels(events, folder)
    store = Remembering()
    report = import_labels(folder / "judgments.jsonl", store)
    assert report.rejects == []
    assert store.events == events


def test_the_commands(tmp_path, monkeypatch, store):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    path = write(tmp_path, "a.csv", "query,docid,rating\na,O-1,2\n")
    result = CliRunner().invoke(command, ["import", str(path)])
    assert "0 judgments added, 0 known before, 0 rows left out, 1 row rejected." in result.output
    assert "docid: there is no ticket 'O-1' in the archive" in result.output
    assert result.exit_code == 1
    assert str(result.exception) == (
        "No judgment of it can be taken: every row was rejected; mend the rows, or name other"
        " columns."
    )
    result = CliRunner().invoke(command, ["export", str(tmp_path / "out")])
    assert result.exit_code == 0
    assert (tmp_path / "out" / "labels.csv").read_text() == "query,docid,rating\n"


def test_rejects_of_a_file_without_a_usable_label_are_written(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    path = write(tmp_path, "a.csv", "query,docid,rating\na,O-1\n")
    rejects = tmp_path / "rejects.jsonl"
    result = CliRunner().invoke(command, ["import", str(path), "--rejects", str(rejects)])
    assert "a.csv holds no usable row" in str(result.exception)
    assert json.loads(rejects.read_text())["reason"] == "has 2 cells where the header has 3"


@pytest.fixture
def one_ticket(tmp_path, monkeypatch):
    """A desk with the ticket T-1, and T-2."""
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    desk = open_desk(load_settings())
    time = datetime(2020, 1, 1)
    desk.store.put_tickets([Ticket("T-1", "Trip", created=time), Ticket("T-2", "Leak")])
    desk.close()


def test_labels_that_are_known_are_no_failure_beside_those_that_are_not_taken(tmp_path, one_ticket):
    rows = "a,T-1,YES\na,O-1,YES\na,T-1,MAYBE\n"
    path = write(tmp_path, "a.csv", f"query,docid,rating\n{rows}")
    for counts in ("1 judgment added, 0 known before", "0 judgments added, 1 known before"):
        result = CliRunner().invoke(command, ["import", str(path), "--grade", "YES=YES"])
        assert result.exit_code == 0
        assert f"{counts}, 1 row left out, 1 row rejected." in result.output


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        (["--grade", "Dup=YES"], "--grade does not name their grades, as 'Duplicate'"),
        (
            ["--query", "query", "--grade", "Duplicate=YES", "--before", "2019-01-01"],
            "no query's ticket was created before --before",
        ),
    ],
)
def test_an_import_of_which_every_row_is_left_out_fails_and_says_why(
    tmp_path, one_ticket, options, cause
):
    path = write(tmp_path, "a.csv", "query,docid,rating\nT-1,T-2,Duplicate\n")
    result = CliRunner().invoke(command, ["import", str(path), *options])
    assert result.exit_code == 1
    assert str(result.exception) == (
        f"No judgment of it can be taken: {cause}; correct the option."
    )


def test_whole_numbers_may_be_written_with_a_point(tmp_path, one_ticket):
    """As pandas saves a column of numbers that has gaps."""
    path = write(tmp_path, "a.csv", "query,docid,rating\na,T-1,2.0\nb,T-1,1.0\nc,T-1,0.0\n")
    assert CliRunner().invoke(command, ["import", str(path)]).exit_code == 0
    path = write(tmp_path, "b.csv", "query,docid,rating\na,T-1,7.0\nb,T-1,8.0\n")
    named = ["--grade", "7=YES", "--grade", "8.0=NO", "--judge", "ann"]
    assert CliRunner().invoke(command, ["import", str(path), *named]).exit_code == 0
    desk = open_desk(load_settings())
    grades = [judgment.grade for judgment in desk.store.judgments()]
    desk.close()
    assert grades == [Grade.YES, Grade.REL, Grade.NO, Grade.YES, Grade.NO]


def test_rejected_labels_are_written_before_a_closed_pipe_ends_the_command(tmp_path, monkeypatch):
    def say(text):
        raise BrokenPipeError

    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("ticketing.cli.labels.say", say)
    path = write(tmp_path, "a.csv", "query,docid,rating\na,O-1,2\n")
    rejects = tmp_path / "rejects.jsonl"
    result = CliRunner().invoke(command, ["import", str(path), "--rejects", str(rejects)])
    assert isinstance(result.exception, BrokenPipeError)
    assert json.loads(rejects.read_text())["field"] == "docid"


def test_a_file_takes_no_labels_that_are_exported(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    path = write(tmp_path, "a.csv", "")
    result = CliRunner().invoke(command, ["export", str(path)])
    assert result.exit_code == 2
    assert "a.csv' is a file." in result.output
    result = CliRunner().invoke(command, ["export", os.devnull])
    assert result.exit_code == 2
    assert f"{os.devnull} is no folder; name one." in result.output
    result = CliRunner().invoke(command, ["export", str(path / "labels")])
    assert str(result.exception) == f"No file can be written in {path}; name another folder."


def test_labels_of_a_file_whose_name_is_no_text_are_recorded(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    path = write(tmp_path, os.fsdecode(b"\xff.csv"), "query,docid,rating\na,O-1,2\n")
    arguments = ["import", str(path), "--grade", "5=YES"]
    result = CliRunner().invoke(command, arguments)
    assert "1 row left out, 0 rows rejected." in result.output
    desk = open_desk(load_settings())
    [entry] = desk.store.events(AuditEntry)
    desk.close()
    assert entry.which == "labels of ?.csv"


def test_what_failed_is_not_in_the_audit(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    (tmp_path / "file").write_text("")
    for arguments in (["import", str(tmp_path / "gone.csv")], ["export", str(tmp_path / "file")]):
        assert CliRunner().invoke(command, arguments).exception
    desk = open_desk(load_settings())
    assert list(desk.store.events(AuditEntry)) == []
    desk.close()
