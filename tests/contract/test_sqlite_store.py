"""SQLiteStore passes the contract, and keeps its promises about crashes and other processes."""

import gc
import multiprocessing
import os
import sqlite3
import tempfile
import threading
import timeit
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from tests.contract.contract_examples import (
    ALL,
    ASKING,
    AUDITED,
    BARE,
    EVENT,
    FLAME,
    NAMED,
    PUMP,
    SAVED,
    VERDICT,
    code,
    event,
    scanned,
)
from tests.contract.contract_people import ANN, SESSION, TOKEN
from tests.contract.store_contract import StoreContract
from ticketing import times
from ticketing.errors import Conflict, StoreAway, StoreError, StoreFull
from ticketing.files import private_folder
from ticketing.history import Asking, SavedQuery, TopicName
from ticketing.jobs import JobKind, JobState
from ticketing.schedule import Schedule
from ticketing.stores.damage import StoreDamaged
from ticketing.stores.sqlite import (
    SQLiteStore,
    checking,
    code_blocks,
    code_files,
    code_ids,
    codes,
    database,
    schema,
    tickets,
)
from ticketing.tickets import Filters, ModelKind, Ticket
from ticketing.times import utc_now


@pytest.fixture
def store(tmp_path):
    store = SQLiteStore(tmp_path / "desk")
    yield store
    store.close()


class TestSQLiteStore(StoreContract):
    pass


def code_file(store):
    [path] = (store.database.folder / "codes").glob("*.bin")
    return path


@pytest.mark.parametrize(
    "add",
    [lambda store: store.add_judgments([EVENT]), lambda store: store.add_events([SAVED])],
    ids=["judgments", "history"],
)
def test_what_people_did_is_written_through_before_it_is_said_to_be_kept(store, add):
    """A power cut takes what tickets an import has put, which is imported again, and no more."""
    [connection] = store.database.connections
    store.put_tickets([PUMP])
    assert connection.execute("PRAGMA synchronous").fetchone() == (1,)  # NORMAL
    add(store)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


# files ----------------------------------------------------------------------------------


def test_a_ticket_that_is_hidden_while_it_is_put_stays_hidden(store, monkeypatch):
    hidden = replace(PUMP, groups=frozenset(["lab"]))
    read = tickets.SQLiteTickets.get_tickets

    def hide(part, ids):
        found = read(part, ids)
        monkeypatch.undo()
        store.put_tickets([hidden])
        return found

    store.put_tickets([PUMP])
    closed = replace(PUMP, status="Closed later")
    monkeypatch.setattr(tickets.SQLiteTickets, "get_tickets", hide)
    store.put_tickets([closed], keep=["groups"])
    assert list(store.iter_tickets()) == [replace(closed, groups=hidden.groups)]
    store.put_tickets([PUMP])
    monkeypatch.setattr(tickets.SQLiteTickets, "get_tickets", hide)
    with pytest.raises(Conflict):
        store.put_tickets([PUMP], theirs=Filters(groups=frozenset(["service"])))
    assert list(store.iter_tickets()) == [hidden]


def test_a_lost_or_changed_file_is_found_and_let_go(store):
    for name in ("bundle/b1/a", "import/1"):
        store.put_file(name, [name.encode()])
    store.file_at("import/1").unlink()
    path = store.file_at("bundle/b1/a")
    path.write_bytes(b"BUNDLE/b1/a")
    (path.parent / "0123").write_bytes(b"nobody's")
    found = list(store.findings())
    assert [finding.where for finding in found[:2]] == ["file bundle/b1/a", "file import/1"]
    with pytest.raises(StoreError, match=r"bundle/b1/a in the store is damaged"):
        list(store.file_chunks("bundle/b1/a"))
    assert found[2].what == "it has no name"
    for finding in found:
        finding.mend()
    assert (store.database.folder / "damaged" / "0123").read_bytes() == b"nobody's"
    assert list(store.findings()) == []
    assert store.files() == []


def test_bytes_that_no_name_has_any_more_are_deleted(store):
    store.put_file("a", [b"one"])
    store.put_file("a", [b"two"])
    store.put_file("b", [b"two"])
    store.drop_file("b")
    assert [path.read_bytes() for path in (store.database.folder / "files").iterdir()] == [b"two"]


# crashes and codes ----------------------------------------------------------------------


def test_a_crash_between_bytes_and_commit_leaves_nothing_to_be_seen(store, monkeypatch):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(ALL[0], 1)])

    def write_then_die(*arguments):
        code_files.write_rows(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(codes, "write_rows", write_then_die)
        store.put_codes("b1", [code(t, 99) for t in ALL])
    assert code_file(store).read_bytes() == bytes([1] * 4 + [99] * 8)
    assert scanned(store.codes("b1")) == {"T-2": 1}
    store.put_codes("b1", [code(ALL[2], 5)])
    assert scanned(store.codes("b1")) == {"A-1": 5, "T-2": 1}
    assert code_file(store).read_bytes()[:8] == bytes([1] * 4 + [5] * 4)


def test_codes_that_were_put_survive_a_power_cut(store):
    """Files beside them say which rows are whose, and survive one: a row that is counted by these
    alone would be given out again."""
    store.put_tickets(ALL)
    store.put_codes("b1", [code(ALL[0], 1)])
    full = 2
    assert store.database.rows("PRAGMA synchronous") == [(full,)]


def test_a_row_is_never_reused(store):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    store.delete_tickets([ALL[0].id])
    changed = replace(ALL[1], subject="Other")
    store.put_tickets([ALL[0], changed])
    store.put_codes("b1", [code(ALL[0], 2), code(changed, 3)])
    assert code_file(store).read_bytes() == bytes([1] * 12 + [2] * 4 + [3] * 4)


def flip(path, place: int) -> None:
    """Change one byte of a file."""
    with path.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1]))


DAMAGE = {
    "a byte changed": (lambda path: flip(path, 5), ["T-10"]),
    "the end lost": (lambda path: os.truncate(path, 7), ["A-1", "T-10"]),
}


@pytest.mark.parametrize(("harm", "damaged"), DAMAGE.values(), ids=DAMAGE)
def test_damaged_rows_are_left_out_and_said_until_they_are_put_again(store, harm, damaged):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1, topic=2) for t in ALL])
    harm(code_file(store))
    fresh = SQLiteStore(store.database.folder)
    whole = {ticket.id: 1 for ticket in ALL if ticket.id not in damaged}
    for filters in (Filters(), Filters(groups=frozenset())):
        assert scanned(fresh.codes("b1", filters)) == whole
    assert fresh.damaged_codes("b1") == damaged
    assert {row.ticket_id for row in fresh.code_rows("b1")} == set(whole)
    more = Ticket("new", "New")
    fresh.put_tickets([more])
    fresh.put_codes("b1", [code(more, 9)])
    assert fresh.damaged_codes("b1") == damaged
    fresh.forget_codes("b1", damaged)
    assert fresh.stale_ids("b1") == damaged
    fresh.put_codes("b1", [code(t, 3) for t in ALL])
    assert fresh.damaged_codes("b1") == []
    assert scanned(fresh.codes("b1")) == whole | {id: 3 for id in damaged} | {"new": 9}
    fresh.close()


def test_a_lost_file_of_codes_is_said_and_can_be_mended(store):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    code_file(store).unlink()
    fresh = SQLiteStore(store.database.folder)
    with pytest.raises(StoreError, match=r"1\.bin has lost all codes .*check --repair"):
        fresh.codes("b1")
    fresh.forget_codes("b1", fresh.damaged_codes("b1"))
    fresh.put_codes("b1", [code(t, 2) for t in ALL])
    assert scanned(fresh.codes("b1")) == {"A-1": 2, "T-10": 2, "T-2": 2}
    fresh.close()


def test_a_file_of_codes_that_was_away_is_read_again(store):
    """As on a drive that was away for a moment: its process answered nothing until it was begun
    again, and `ticketing check` found no damage."""
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    fresh, path = SQLiteStore(store.database.folder), code_file(store)
    away = path.rename(path.with_suffix(".away"))
    with pytest.raises(StoreError, match=r"1\.bin has lost all codes"):
        fresh.codes("b1")
    away.rename(path)
    assert scanned(fresh.codes("b1")) == {"A-1": 1, "T-10": 1, "T-2": 1}
    assert fresh.damaged_codes("b1") == []
    fresh.close()


def test_a_row_is_compared_with_its_checksum_once(store, monkeypatch):
    checked = []

    def counted(codes, checksums):
        checksums = list(checksums)
        checked.extend(checksums)
        return code_files.damaged_rows(codes, checksums)

    monkeypatch.setattr(code_blocks, "damaged_rows", counted)
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL[:2]])
    for filters in (Filters(), Filters(product="SGT-400"), Filters()):
        store.codes("b1", filters)
    store.put_codes("b1", [code(ALL[2], 1)])
    store.codes("b1")
    store.delete_tickets([ALL[0].id])
    store.codes("b1")
    assert [row for row, _ in checked] == [0, 1, 2]


@pytest.fixture
def many(store, monkeypatch):
    """A store of many tickets, as three are called here, which a process has read."""
    monkeypatch.setattr(code_blocks, "MANY", 3)
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    assert scanned(store.codes("b1")) == {"A-1": 1, "T-10": 1, "T-2": 1}
    return store


def test_of_many_tickets_a_process_begins_with_what_another_one_read(many, monkeypatch):
    compared = []
    monkeypatch.setattr(code_blocks, "damaged_rows", lambda _, rows: compared.extend(rows) or set())
    other = SQLiteStore(many.database.folder)
    with many.database.writing() as connection:  # nobody reads them
        connection.execute("UPDATE codes SET checksum = 0")
    assert scanned(other.codes("b1")) == {"A-1": 1, "T-10": 1, "T-2": 1}
    assert compared == []
    other.close()


def test_what_was_read_of_many_tickets_is_brought_to_what_is_there(many):
    changed, new = replace(PUMP, subject="Other"), Ticket("B", "New")
    many.put_tickets([changed, new])
    many.put_codes("b1", [code(changed, 2), code(new, 3)])
    many.delete_tickets(["T-10"])
    fresh = SQLiteStore(many.database.folder)
    for store in (many, fresh):
        assert scanned(store.codes("b1")) == {"A-1": 1, "B": 3, "T-2": 2}
    assert scanned(fresh.codes("b1", Filters(product=PUMP.product))) == {"T-2": 2}
    fresh.close()


def test_a_check_compares_the_rows_of_many_tickets_whoever_did_so_before(many):
    path = code_file(many)
    times = path.stat()
    flip(path, 5)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    fresh = SQLiteStore(many.database.folder)
    assert list(fresh.findings()) == []
    assert fresh.damaged_codes("b1") == ["T-10"]
    fresh.close()


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 99)), st.data())
def test_ids_one_after_the_other_are_those_that_were_given(rows, data):
    new = data.draw(st.dictionaries(st.text(max_size=3) | st.sampled_from([*rows, ""]), st.just(7)))
    ids, live = code_ids.ids_of((id, rows[id]) for id in sorted(rows))
    assert list(ids) == [ids[i] for i in range(len(ids))] == sorted(rows)
    found, at = ids.merged(live, new)
    assert dict(zip(found, at.tolist(), strict=True)) == rows | new
    assert list(found) == sorted(rows | new)


def test_an_unchanged_store_gives_the_same_block(store):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    assert store.codes("b1") is store.codes("b1")


def test_another_process_sees_every_change_at_its_next_call(store):
    """A second store has connections and caches of its own, as another process has."""
    other = SQLiteStore(store.database.folder)
    changed = replace(PUMP, subject="Other")
    steps = [
        (lambda: store.put_tickets(ALL), {}),
        (lambda: store.put_codes("b1", [code(t, 1) for t in ALL]), {"A-1": 1, "T-10": 1, "T-2": 1}),
        (lambda: store.put_tickets([changed]), {"A-1": 1, "T-10": 1, "T-2": 1}),
        (lambda: store.put_codes("b1", [code(changed, 2)]), {"A-1": 1, "T-10": 1, "T-2": 2}),
        (lambda: store.delete_tickets(["T-10"]), {"A-1": 1, "T-2": 2}),
        (lambda: store.drop_codes("b1"), {}),
        (lambda: store.put_codes("b1", [code(changed, 3)]), {"T-2": 3}),
    ]
    for change, expected in steps:
        change()
        assert scanned(other.codes("b1")) == expected
    other.close()


def test_codes_built_again_in_another_order_are_read_anew(store):
    """By a process that had read those before: no row of one file is one of another's."""
    other = SQLiteStore(store.database.folder)
    fills = {"A-1": 1, "T-10": 2, "T-2": 3}
    for in_order in (ALL, ALL[::-1]):
        store.drop_codes("b1")
        store.put_tickets(in_order)
        for ticket in in_order:
            store.put_codes("b1", [code(ticket, fills[ticket.id])])
        assert scanned(other.codes("b1")) == fills
    other.close()


def test_a_reference_that_another_process_took_away_is_no_damage(store):
    with pytest.raises(StoreError, match="contradicts what is there") as caught:
        store.add_session(SESSION)  # nobody has an account
    assert not isinstance(caught.value, StoreDamaged)


def test_words_that_are_put_while_the_index_is_built_anew_are_found(store, monkeypatch):
    store.put_tickets(ALL)
    other, read = SQLiteStore(store.database.folder), checking.token_lines

    def read_and_changed(*texts):
        if not other.matching_ids(["new"]):
            other.put_tickets([Ticket("new", "A squirrel"), replace(PUMP, subject="A walrus")])
            other.delete_tickets(["A-1"])
        return read(*texts)

    monkeypatch.setattr(checking, "token_lines", read_and_changed)
    with store.database.writing() as connection:
        connection.execute("DELETE FROM words WHERE rowid = 1")
    [finding] = store.findings()
    finding.mend()
    asked = ["squirrel", "walrus", "lube", "vibration"]
    assert store.known_words(asked) == {"squirrel", "walrus", "lube"}
    assert store.known_words(asked, Filters(product=PUMP.product)) == {"walrus", "lube"}
    assert store.has_subject("A squirrel") and store.has_subject("A walrus")
    assert list(store.findings()) == []
    other.close()


def test_dropping_codes_frees_the_disk(store):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    path = code_file(store)
    store.drop_codes("b1")
    assert not path.exists()


def _encode_all(folder, gate):
    store = SQLiteStore(folder)
    tickets = list(store.iter_tickets())
    gate.wait()
    for start in range(0, len(tickets), 10):
        store.put_codes("b1", [code(t, int(t.id) % 250) for t in tickets[start : start + 10]])
    store.close()


def _open_new(folder, gate):
    gate.wait()
    SQLiteStore(folder).close()


def run_together(count, work, folder):
    context = multiprocessing.get_context("spawn")
    gate = context.Barrier(count)
    processes = [context.Process(target=work, args=(folder, gate)) for _ in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * count


def test_two_processes_storing_the_same_batches_store_each_row_once(store):
    store.put_tickets([Ticket(f"{i:03}", f"ticket {i}") for i in range(300)])
    run_together(2, _encode_all, store.database.folder)
    block = store.codes("b1")
    assert block.codes.shape == (300, 4)
    assert scanned(block) == {f"{i:03}": i % 250 for i in range(300)}


def test_processes_may_open_a_new_folder_at_the_same_moment(tmp_path):
    run_together(3, _open_new, tmp_path / "new")
    SQLiteStore(tmp_path / "new").close()


# what cannot be used ---------------------------------------------------------------------


def make_database(folder, *statements):
    folder.mkdir()
    connection = sqlite3.connect(folder / "tickets.sqlite3")
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return folder


def test_another_programs_database_is_refused_and_left_alone(tmp_path):
    folder = make_database(tmp_path / "a", "CREATE TABLE notes (text)")
    before = (folder / "tickets.sqlite3").read_bytes()
    with pytest.raises(StoreError, match=r"tickets\.sqlite3 belongs to another program"):
        SQLiteStore(folder)
    assert (folder / "tickets.sqlite3").read_bytes() == before


def test_a_newer_format_is_refused(store):
    store.database.rows("PRAGMA user_version = 17")
    with pytest.raises(StoreError, match="has format 17, and this program reads format 16; run "):
        SQLiteStore(store.database.folder)


LACKED = {
    15: (
        "DROP INDEX tickets_filters",
        "DROP INDEX tickets_created",
        "ALTER TABLE tickets DROP COLUMN has_solution",
        "CREATE INDEX tickets_filters ON tickets (product, status, created, groups)",
        "CREATE INDEX tickets_created ON tickets (created, product, status, groups)",
    ),
    14: ("DROP TABLE literals",),
    13: (
        "DROP INDEX history_of_kind",
        "DROP TRIGGER history_stays",
        schema.HISTORY_STAYS.replace("NOT IN ('asking', 'saved query')", "<> 'asking'"),
    ),
    12: ("CREATE VIRTUAL TABLE vocabulary USING fts5vocab('words', 'row')",),
    11: (
        "DROP TABLE filter_changes",
        "DROP INDEX tickets_created",
        "CREATE INDEX tickets_created ON tickets (created)",
    ),
    10: ("DROP TABLE schedule",),
    9: (
        "DROP TABLE leases",
        "DROP TABLE jobs",
        """CREATE TABLE jobs (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            state TEXT NOT NULL
                CHECK (state IN ('queued', 'running', 'done', 'cancelled', 'failed')),
            total INTEGER NOT NULL,
            done INTEGER NOT NULL,
            created TEXT NOT NULL,
            heartbeat TEXT,
            started TEXT,
            finished TEXT,
            cancel_requested INTEGER NOT NULL DEFAULT 0,
            errors TEXT NOT NULL DEFAULT '{}',
            message TEXT NOT NULL DEFAULT ''
        )""",
        """CREATE UNIQUE INDEX jobs_unfinished ON jobs (kind, bundle_id)
            WHERE state IN ('queued', 'running')""",
    ),
    8: ("DROP TABLE files",),
    7: (
        "DROP INDEX tickets_filters",
        "CREATE INDEX tickets_filters ON tickets (product, status, created)",
    ),
    6: ("ALTER TABLE codes DROP COLUMN checksum",),
    5: (
        "ALTER TABLE queries DROP COLUMN asked",
        "DROP TABLE sessions",
        "DROP TABLE tokens",
        "ALTER TABLE accounts DROP COLUMN disabled",
        "ALTER TABLE accounts DROP COLUMN identity",
    ),
    4: ("DROP TABLE history", "ALTER TABLE judgments DROP COLUMN note"),
    3: ("DROP TABLE verdicts", "ALTER TABLE serving DROP COLUMN kind"),
    2: (
        "DROP TABLE accounts",
        "DROP INDEX tickets_created",
        "ALTER TABLE tickets DROP COLUMN groups",
    ),
}
"""What makes a database that is empty of it one of an older format, the newest first."""


def grow_old(store, version: int) -> None:
    for older in range(schema.VERSION - 1, version - 1, -1):
        for statement in LACKED[older]:
            store.database.rows(statement)
    store.database.rows(f"PRAGMA user_version = {version}")


def plans(store, *statements):
    """What the database does for statements, step by step."""
    return [
        [detail for *_, detail in store.database.rows(f"EXPLAIN QUERY PLAN {statement}", *values)]
        for statement, values in statements
    ]


@pytest.mark.parametrize("version", [schema.VERSION, 13])
def test_events_of_a_rare_kind_are_read_alone_and_in_order(store, monkeypatch, version):
    if version < schema.VERSION:
        grow_old(store, version)
        SQLiteStore(store.database.folder).close()
    asked, rows = [], database.Database.rows

    def spied(self, statement, *values):
        asked.append((statement, values))
        return rows(self, statement, *values)

    with monkeypatch.context() as patch:
        patch.setattr(database.Database, "rows", spied)
        for person in ("", "ann"):
            list(store.events(TopicName, person))
            store.last_events(TopicName, 3, person=person)
    of_all, of_ann = "history_of_kind (kind=?", "history_of_person (kind=? AND person=?"
    assert plans(store, *asked) == [
        [f"SEARCH history USING INDEX {of_all} AND number>?)"],
        [f"SEARCH history USING INDEX {of_all})"],
        [f"SEARCH history USING INDEX {of_ann} AND number>?)"],
        [f"SEARCH history USING INDEX {of_ann})"],
    ]


def test_format_15_is_brought_up(store):
    """It had no filter for tickets with a solution."""
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    grow_old(store, 15)
    brought_up = SQLiteStore(store.database.folder)
    with_solution = Filters(has_solution=True)
    assert list(brought_up.codes("b1", with_solution).ids) == [PUMP.id]
    brought_up.put_tickets([replace(PUMP, solution=""), replace(FLAME, solution="Cleaned.")])
    assert list(brought_up.codes("b1", with_solution).ids) == [FLAME.id]
    counted = "SELECT count(*) FROM tickets WHERE tickets.has_solution = ?"
    dated = "SELECT created FROM tickets WHERE created < ? AND tickets.has_solution = ?"
    dated += " ORDER BY created DESC LIMIT 1"
    for [step] in plans(brought_up, (counted, ["1"]), (dated, ["2020", "1"])):
        assert "USING COVERING INDEX" in step
    brought_up.close()


def test_format_14_is_brought_up(store):
    """It did not know which tickets name a number or code."""
    named = Ticket("T-3", "ORA-00942", "é, says it's 0x1F", "As v1.2.3.")
    store.put_tickets([*ALL, named])
    grow_old(store, 14)
    brought_up = SQLiteStore(store.database.folder)
    asked = ["ora00942", "0x1f", "1.2.3", "3"]
    holders = {"T-3": ["0x1f", "1.2.3", "ora00942"], "T-10": ["3"]}
    assert brought_up.naming(asked) == holders
    brought_up.delete_tickets(["T-3"])
    assert brought_up.naming(asked) == {"T-10": ["3"]}
    assert brought_up.database.rows("SELECT literal FROM literals") == [("3",)]
    brought_up.close()


def test_format_13_is_brought_up(store):
    """It kept for ever what somebody had saved once."""
    store.add_events([SAVED, AUDITED])
    grow_old(store, 13)
    with pytest.raises(StoreError, match="history is never deleted"):
        store.forget_queries(date(9999, 1, 1))
    brought_up = SQLiteStore(store.database.folder)
    brought_up.forget_queries(date(9999, 1, 1))
    assert list(brought_up.events(SavedQuery)) == []
    with pytest.raises(StoreError, match="history is never deleted"):
        brought_up.database.rows("DELETE FROM history")
    brought_up.close()


def test_format_12_is_brought_up(store):
    """It counted in how many tickets each word is."""
    store.put_tickets(ALL)
    grow_old(store, 12)
    assert ("pump", 2) in store.database.rows("SELECT term, doc FROM vocabulary")
    brought_up = SQLiteStore(store.database.folder)
    tables = "SELECT count(*) FROM sqlite_master WHERE name = 'vocabulary'"
    assert brought_up.database.rows(tables) == [(0,)]
    assert brought_up.known_words(["pump", "boiler"]) == {"pump"}
    brought_up.put_tickets([replace(BARE, subject="Boiler")])
    assert brought_up.known_words(["vibration", "boiler"]) == {"boiler"}
    assert list(brought_up.findings()) == []
    brought_up.close()


def test_format_11_is_brought_up(store):
    """It kept no changes of what filters ask for."""
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    grow_old(store, 11)
    brought_up = SQLiteStore(store.database.folder)
    assert list(brought_up.codes("b1", Filters(status="open")).ids) == []
    brought_up.put_tickets([replace(PUMP, status="open")])
    assert list(brought_up.codes("b1", Filters(status="open")).ids) == [PUMP.id]
    brought_up.close()


def test_format_10_is_brought_up(store):
    """It knew no schedule."""
    grow_old(store, 10)
    brought_up = SQLiteStore(store.database.folder)
    assert brought_up.schedule() == Schedule()
    assert brought_up.set_schedule(Schedule(judgments=9), Schedule())
    brought_up.close()


def test_format_9_is_brought_up(store):
    """Its jobs knew no steps, logs and waiting; they are kept, and go on."""
    grow_old(store, 9)
    store.database.rows(
        "INSERT INTO jobs (id, kind, bundle_id, state, total, done, created, errors) VALUES"
        " ('j1', 'reindex', 'b1', 'done', 3, 2, '2024-01-02T03:04:05', '{\"a\": \"no\"}'),"
        " ('j2', 'reindex', 'b1', 'queued', 3, 0, '2024-01-02T03:04:06', '{}')"
    )
    brought_up = SQLiteStore(store.database.folder)
    job, done = brought_up.jobs()
    assert (done.id, done.done, done.errors, done.log) == ("j1", 2, {"a": "no"}, ())
    assert brought_up.create_job(JobKind.REINDEX, "b1", 3) == job
    waiting = brought_up.update_job("j2", state=JobState.WAITING, log="encoded")
    assert brought_up.get_job("j2") == waiting
    assert brought_up.take_lease("training", "a", 1)
    brought_up.close()


def test_format_6_is_brought_up(store):
    """It kept no checksums: those of the rows that are there are taken, and lost ones stay lost."""
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    grow_old(store, 6)
    os.truncate(code_file(store), 8)
    brought_up = SQLiteStore(store.database.folder)
    assert brought_up.damaged_codes("b1") == ["A-1"]
    assert scanned(brought_up.codes("b1")) == {"T-10": 1, "T-2": 1}
    brought_up.close()
    flip(code_file(store), 0)
    again = SQLiteStore(store.database.folder)
    assert again.damaged_codes("b1") == ["A-1", "T-2"]
    again.close()


def test_format_5_is_brought_up(store):
    """It did not know when a query was asked; its queries count as asked today."""
    store.put_query(EVENT.query)
    store.add_events([ASKING, NAMED])
    today = utc_now().date()  # they may be brought up tomorrow
    grow_old(store, 5)
    brought_up = SQLiteStore(store.database.folder)
    assert brought_up.forget_queries(today) == 0
    assert list(brought_up.events(Asking)) == []
    assert brought_up.forget_queries(today + timedelta(days=2)) == 1
    assert list(brought_up.events(TopicName)) == [NAMED]
    brought_up.close()


def test_many_queries_put_under_a_clock_that_is_behind_stay_as_new_as_they_were(store, monkeypatch):
    for day in (3, 1):
        monkeypatch.setattr(times, "utc_now", lambda now=datetime(2024, 1, day, 12): now)
        store.put_queries([EVENT.query])
    assert store.forget_queries(date(2024, 1, 2)) == 0


def test_format_5_gets_sessions_and_tokens(store):
    """Its accounts could not be disabled; it knew no sessions and no tokens."""
    store.put_account(ANN)
    grow_old(store, 5)
    brought_up = SQLiteStore(store.database.folder)
    assert brought_up.accounts() == [ANN]
    brought_up.add_session(SESSION)
    brought_up.add_token(TOKEN)
    brought_up.close()
    again = SQLiteStore(store.database.folder)
    assert (again.get_session(SESSION.key), again.tokens()) == (SESSION, [TOKEN])
    again.close()


def test_format_4_is_brought_up(store):
    """It knew no history, and no notes on judgments."""
    old = replace(EVENT, note="")
    store.add_judgments([old])
    grow_old(store, 4)
    brought_up = SQLiteStore(store.database.folder)
    assert brought_up.add_events([ASKING]) == 1
    brought_up.add_judgments([event(2)])
    brought_up.close()
    again = SQLiteStore(store.database.folder)
    assert list(again.judgments()) == [old, event(2)]
    assert list(again.events(Asking)) == [ASKING]
    again.close()


def test_history_is_never_changed(store):
    store.add_events([AUDITED])
    for statement in ("DELETE FROM history", "UPDATE history SET person = 'eve'"):
        with pytest.raises(StoreError, match="history is never"):
            store.database.rows(statement)


def test_format_3_is_brought_up(store):
    """It knew no verdicts, and one kind of bundle."""
    store.put_tickets(ALL)
    store.add_judgments([EVENT])
    for bundle_id in ("b1", "b2"):
        store.set_serving(bundle_id)
    grow_old(store, 3)
    brought_up = SQLiteStore(store.database.folder)
    assert (brought_up.serving(), brought_up.previous_serving()) == ("b2", "b1")
    assert brought_up.serving(ModelKind.CATEGORIES) == ""
    assert brought_up.add_verdicts([VERDICT]) == 1
    assert list(brought_up.judgments()) == [replace(EVENT, note="")]
    brought_up.set_serving("c1", ModelKind.CATEGORIES)
    brought_up.close()
    again = SQLiteStore(store.database.folder)
    assert list(again.verdicts()) == [VERDICT]
    assert again.serving(ModelKind.CATEGORIES) == "c1"
    again.close()


def test_verdicts_are_never_changed(store):
    store.add_verdicts([VERDICT])
    for statement in ("DELETE FROM verdicts", "UPDATE verdicts SET judge = 'eve'"):
        with pytest.raises(StoreError, match="verdicts are never"):
            store.database.rows(statement)


def test_format_2_is_brought_up(tmp_path, store):
    """It knew no groups and no accounts; its tickets are everybody's."""
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    store.add_judgments([EVENT])
    grow_old(store, 2)
    brought_up = SQLiteStore(store.database.folder)
    assert {t.id: t for t in brought_up.iter_tickets()} == {t.id: t for t in ALL}
    assert scanned(brought_up.codes("b1")) == {"A-1": 1, "T-10": 1, "T-2": 1}
    assert brought_up.count_tickets(Filters(groups=frozenset())) == 3
    hidden = replace(PUMP, groups=frozenset(["lab"]))
    assert brought_up.put_tickets([hidden]).changed == 1
    assert brought_up.count_tickets(Filters(groups=frozenset())) == 2
    assert list(brought_up.judgments()) == [replace(EVENT, note="")]
    assert brought_up.accounts() == []
    brought_up.close()
    SQLiteStore(store.database.folder).close()


def test_an_older_format_is_refused_with_what_to_do(store):
    store.database.rows("PRAGMA user_version = 1")
    with pytest.raises(StoreError, match=r"has format 1, .* reads format 16; export its judgments"):
        SQLiteStore(store.database.folder)


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "tickets.sqlite3").write_text("id,subject\n" * 100)
    with pytest.raises(
        StoreError, match=r"tickets\.sqlite3 cannot be used: file is not a database"
    ):
        SQLiteStore(tmp_path)


@pytest.mark.parametrize("beside", ["codes", "files"])
@pytest.mark.parametrize("emptied", [True, False])
def test_a_database_that_was_lost_is_not_begun_anew(store, tmp_path, beside, emptied):
    folder = tmp_path / "lost"
    private_folder(folder / beside)
    private_folder(folder)
    (folder / beside / "1.bin").write_bytes(b"of the lost one")
    if emptied:
        (folder / "tickets.sqlite3").write_bytes(b"")
    before = sorted(folder.rglob("*"))
    with pytest.raises(StoreError, match=f"lost its database: .* {beside} of it .* restore a back"):
        SQLiteStore(folder)
    assert sorted(folder.rglob("*")) == before


def test_an_empty_file_and_empty_folders_are_a_first_start(tmp_path):
    for name in ("codes", "files"):
        (tmp_path / name).mkdir()
    (tmp_path / "tickets.sqlite3").touch()
    SQLiteStore(tmp_path).close()


@pytest.mark.parametrize("harm", ["log = 'kaputt'", "created = 'x'", "kind = 'x'", "log = '[1]'"])
def test_a_job_that_cannot_be_read_is_said_and_set_aside(store, harm):
    job = store.create_job(JobKind.IMPORT, "", 1)
    store.database.rows(f"UPDATE jobs SET {harm}")
    for read in (store.jobs, store.unfinished_jobs, lambda: store.update_job(job.id)):
        with pytest.raises(StoreError, match=f"job {job.id} in the store is damaged; see `tick"):
            read()
    [finding] = store.findings()
    finding.mend()
    assert (store.jobs(), list(store.findings())) == ([], [])


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "desk").write_text("")
    with pytest.raises(StoreError, match=r"desk is a file; name the folder"):
        SQLiteStore(tmp_path / "desk")


def test_a_folder_in_the_place_of_the_database_is_said(tmp_path):
    """It was said to take no writes, as if its disk were full."""
    (tmp_path / "tickets.sqlite3").mkdir()
    with pytest.raises(StoreError, match=r"tickets\.sqlite3 is a folder, and should be the data"):
        SQLiteStore(tmp_path)


def test_a_database_of_another_user_is_said(tmp_path, monkeypatch):
    """It was said to take no writes, as if its disk were full."""
    (tmp_path / "tickets.sqlite3").symlink_to(tmp_path / "gone" / "it")  # cannot be opened
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may do anything
    with pytest.raises(StoreFull) as refused:
        SQLiteStore(tmp_path)
    assert str(refused.value) == (
        f"The user who runs this may not read and write {tmp_path}/tickets.sqlite3 (unable to open"
        " database file); run it as the user who owns that file, or let this one write to it and to"
        f" {tmp_path}."
    )


def test_a_full_disk_is_said_and_nothing_is_put(store):
    [(pages,)] = store.database.rows("PRAGMA page_count")
    store.database.rows(f"PRAGMA max_page_count = {pages + 10}")
    with pytest.raises(StoreError, match=r"tickets\.sqlite3 takes no writes .*full"):
        store.put_tickets([PUMP, Ticket("big", "word " * 50_000)])
    assert store.count_tickets() == 0


def test_a_full_disk_while_codes_are_written_is_said(store, monkeypatch):
    def no_space(*arguments):
        raise OSError(28, "No space left on device", "codes/1.bin")

    store.put_tickets([PUMP])
    monkeypatch.setattr(codes, "write_rows", no_space)
    with pytest.raises(StoreError, match=r"codes/1\.bin takes no writes .No space left on device"):
        store.put_codes("b1", [code(PUMP, 1)])
    assert store.stale_ids("b1") == ["T-2"]


def test_a_lock_held_too_long_says_try_again(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "LOCK_SECONDS", 0.1)
    store = SQLiteStore(tmp_path)
    blocker = sqlite3.connect(tmp_path / "tickets.sqlite3", isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreAway, match=r"tickets\.sqlite3 has been locked"):
        store.put_tickets([PUMP])
    assert store.count_tickets() == 0, "readers do not wait for a writer"
    blocker.execute("ROLLBACK")
    store.put_tickets([PUMP])
    store.close()
    blocker.close()


def test_nobody_waits_while_tickets_are_tokenised(store, monkeypatch):
    def token_lines(*texts):
        other = sqlite3.connect(store.database.path, timeout=0, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")  # fails where a writer holds the lock
        other.close()
        return "\n".join(texts)

    monkeypatch.setattr(tickets, "token_lines", token_lines)
    store.put_tickets([PUMP])
    store.put_tickets([replace(PUMP, solution="Swapped the breaker."), BARE])
    assert store.known_words(["breaker."], Filters(product=PUMP.product)) == {"breaker."}


def test_a_ticket_that_goes_while_it_is_tokenised_is_found_by_its_words(store, monkeypatch):
    def token_lines(*texts):
        if not done:
            done.append(True)
            store.delete_tickets([PUMP.id])
        return "\n".join(texts)

    store.put_tickets([PUMP])
    done = []
    monkeypatch.setattr(tickets, "token_lines", token_lines)
    store.put_tickets([PUMP, BARE])
    assert store.known_words(["relay."], Filters(product=PUMP.product)) == {"relay."}


def test_judgments_cannot_be_changed_or_deleted_even_by_hand(store):
    store.add_judgments([EVENT])
    for statement in ("DELETE FROM judgments", "UPDATE judgments SET grade = 0"):
        with pytest.raises(StoreError, match="judgments are never"):
            store.database.rows(statement)
    assert list(store.judgments()) == [EVENT]


def test_a_thread_takes_its_connection_with_it(store):
    for _ in range(20):
        thread = threading.Thread(target=store.count_tickets)
        thread.start()
        thread.join()
    gc.collect()  # a connection and its statement cache hold each other
    assert len(store.database.connections) == 1


# speed ------------------------------------------------------------------------------------


def test_an_unchanged_store_costs_a_query_less_than_a_millisecond(store):
    tickets = [Ticket(f"{i:05}", "pump") for i in range(5000)]
    store.put_tickets(tickets)
    store.put_codes("b1", [code(t, 1) for t in tickets])
    store.codes("b1")
    assert min(timeit.repeat(lambda: store.codes("b1"), number=100, repeat=5)) / 100 < 0.001


# against a model ----------------------------------------------------------------------------


class CodesAgainstADict(RuleBasedStateMachine):
    """Puts, deletes and codes in any order leave what a plain dictionary holds."""

    ids = st.sampled_from(["a", "b", "c", "d"])
    texts = st.sampled_from(["one", "two", "three"])
    encoded = Bundle("encoded")

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = SQLiteStore(Path(self.folder.name))
        self.other = SQLiteStore(Path(self.folder.name))
        self.tickets: dict[str, Ticket] = {}
        self.stored: dict[str, tuple[str, int]] = {}
        self.rows = 0

    def teardown(self):
        self.store.close()
        self.other.close()
        self.folder.cleanup()

    @rule(id=ids, text=texts)
    def put(self, id, text):
        self.tickets[id] = Ticket(id, text)
        self.store.put_tickets([self.tickets[id]])

    @rule(ids=st.lists(ids))
    def delete(self, ids):
        existed = self.tickets.keys() & set(ids)
        assert self.store.delete_tickets(ids) == len(existed)
        for id in existed:
            del self.tickets[id]
            self.stored.pop(id, None)

    @rule(target=encoded, id=ids, text=texts, fill=st.integers(0, 255))
    def encode(self, id, text, fill):
        return code(Ticket(id, text), fill)

    @rule(row=encoded, crash=st.booleans())
    def put_codes(self, row, crash):
        wanted = (
            row.ticket_id in self.tickets
            and self.tickets[row.ticket_id].version == row.version
            and self.stored.get(row.ticket_id, ("",))[0] != row.version
        )
        if crash:
            self._put_codes_and_crash(row, wanted)
            return
        assert self.store.put_codes("b1", [row]) == wanted
        if wanted:
            self.stored[row.ticket_id] = (row.version, row.code[0])
            self.rows += 1

    def _put_codes_and_crash(self, row, wanted):
        def write_then_die(*arguments):
            code_files.write_rows(*arguments)
            raise InterruptedError("killed")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(codes, "write_rows", write_then_die)
            if wanted:
                with pytest.raises(StoreError):
                    self.store.put_codes("b1", [row])
            else:
                assert self.store.put_codes("b1", [row]) == 0

    @rule()
    def drop(self):
        self.store.drop_codes("b1")
        self.stored.clear()
        self.rows = 0

    @invariant()
    def both_views_equal_the_model(self):
        for store in (self.store, self.other):
            block = store.codes("b1")
            assert scanned(block) == {id: fill for id, (_, fill) in self.stored.items()}
            assert list(block.ids) == sorted(self.stored)
            assert len(block.codes) == self.rows
        fresh = {
            id for id, (version, _) in self.stored.items() if version == self.tickets[id].version
        }
        assert self.store.stale_ids("b1") == sorted(self.tickets.keys() - fresh)
        assert self.store.count_codes("b1") == len(fresh)


TestCodesAgainstADict = CodesAgainstADict.TestCase
TestCodesAgainstADict.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
