"""A backup while everything goes on, and the desk that comes of it."""

import errno
import hashlib
import json
import os
import shutil
import sqlite3
import stat
import threading
import zipfile
from contextlib import closing

import pytest
from click.testing import CliRunner

from tests.commands import TIME
from tests.tiny import put_encoded
from ticketing.cli.backup import command
from ticketing.cli.restore import command as restore_command
from ticketing.desk import open_desk, restore
from ticketing.desk.backup import FORMAT, MANIFEST, VERSION, verified
from ticketing.desk.restore import restore as restored
from ticketing.errors import Conflict, InputError, StoreError, StoreFull
from ticketing.files import sole_folder
from ticketing.settings import load_settings
from ticketing.stores import replacement, snapshot
from ticketing.stores.damage import StoreDamaged
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import Grade, Judgment, Query, Ticket

QUERY = Query("burner flame out", "the turbine trips at start")


@pytest.fixture(autouse=True)
def private():
    """As every command begins."""
    os.umask(0o077)


def unseen(what, total, unit=""):
    return lambda count: None


def broken(*_):
    raise StoreDamaged("The database is malformed.")


def judgment(number):
    return Judgment(f"e{number}", QUERY, f"T-{number}", Grade.YES, "ann", TIME)


@pytest.fixture
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("carried") / "desk.backup"


@pytest.fixture
def elsewhere(tmp_path_factory):
    return load_settings(home=tmp_path_factory.mktemp("other") / "home")


def test_tickets_that_came_into_a_backup_without_codes_are_said(desk, file, elsewhere, monkeypatch):
    """As those that change while a store on servers is read; no query found them, and all was
    quiet."""
    monkeypatch.setenv("TICKETING_HOME", str(elsewhere.home))
    desk.store.put_tickets([Ticket("late", "pump leaks")])
    desk.back_up(file, unseen)
    again = CliRunner().invoke(restore_command, [str(file)])
    assert again.stdout.splitlines()[-1] == (
        "No query finds 1 ticket yet, as codes are missing; run `ticketing check --repair`."
    )
    desk.encode_put(["late"])
    desk.back_up(file, unseen)
    again = CliRunner().invoke(restore_command, [str(file), "--replace"])
    assert again.stdout.splitlines()[-1].startswith("The desk is the one of ")


def test_a_restored_desk_answers_as_the_one_that_was_backed_up(desk, file, elsewhere):
    desk.store.add_judgments([judgment(1)])
    (desk.settings.home / "secret_key").write_text("k" * 64)
    (desk.settings.home / "broker").mkdir()
    manifest = desk.back_up(file, unseen)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(file.parent) == [file.name]
    assert restored(elsewhere, file, False, unseen) == manifest
    with closing(open_desk(elsewhere)) as again:
        assert again.recommender().rank(QUERY) == desk.recommender().rank(QUERY)
        assert again.recommend(QUERY) == desk.recommend(QUERY)
        assert list(again.store.judgments()) == [judgment(1)]
        assert list(again.store.iter_tickets()) == list(desk.store.iter_tickets())
        assert again.models.ids() == desk.models.ids()
        assert [x for x in again.findings() if "may read" not in x.what] == []
        again.put_tickets([Ticket("new", "Flame out again")])
        assert again.store.stale_ids(again.store.serving()) == []
    assert (elsewhere.home / "secret_key").read_text() == "k" * 64
    assert not (elsewhere.home / "broker").exists()
    assert not [name for name in os.listdir(elsewhere.home) if name.startswith(".")]


@pytest.mark.parametrize("name", ["missing", "."])
def test_what_is_no_file_is_refused_before_anything_is_touched(elsewhere, tmp_path, name):
    with pytest.raises(InputError, match="is no file; name the one that `ticketing backup` wrote"):
        restored(elsewhere, tmp_path / name, False, unseen)


def test_a_store_in_ones_own_folder_is_filled_there(desk, file, tmp_path, monkeypatch):
    """It was filled in a folder called "~", and the desk stayed empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    desk.back_up(file, unseen)
    there = load_settings(home=tmp_path / "home", store="sqlite:///~/desk")
    restored(there, file, False, unseen)
    with closing(open_desk(there)) as again:
        assert again.store.count_tickets() == desk.store.count_tickets()
    assert not (tmp_path / "~").exists()


def test_a_desk_in_place_of_servers_that_were_being_filled_can_be_opened(desk, file, elsewhere):
    """Every command asked for another restore, which changed nothing."""
    desk.back_up(file, unseen)
    elsewhere.home.mkdir()
    (elsewhere.home / restore.FILLING).write_text("of another backup")
    restored(elsewhere, file, False, unseen)
    with closing(open_desk(elsewhere)) as again:
        assert again.store.count_tickets() == desk.store.count_tickets()


def test_what_a_backup_and_a_restore_tell_of_their_bytes_is_all_of_them_and_no_more(desk, file):
    told = {}

    def shown(what, total, unit=""):
        told[what] = [unit, total, 0]

        def went(count):
            told[what][2] += count

        return went

    desk.back_up(file, shown)
    assert set(told) == {"database", "codes", "files", "packed", "compared"}
    restored(desk.settings, file, True, shown)
    assert {"unpacked", "restored"} < set(told) and told["database"][1] > 0
    for unit, total, went in told.values():
        assert unit == "B" and went == total


def test_a_backup_shows_bytes(desk, file, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(desk.settings.home))
    done = CliRunner().invoke(command, [str(file)], catch_exceptions=False)
    assert "B/s]" in done.stderr and "it/s" not in done.stderr


def test_no_judgment_acknowledged_before_a_backup_is_missing_and_none_is_half(
    desk, file, elsewhere
):
    acknowledged, ended = [], threading.Event()

    def judge():
        number = 0
        while not ended.is_set():
            desk.store.add_judgments([judgment(number)])
            acknowledged.append(number)
            number += 1

    person = threading.Thread(target=judge)
    person.start()
    while len(acknowledged) < 20:
        pass
    before = len(acknowledged)
    desk.back_up(file, unseen)
    ended.set()
    person.join()
    restored(elsewhere, file, False, unseen)
    with closing(open_desk(elsewhere)) as again:
        kept = list(again.store.judgments())
    assert before <= len(kept) <= len(acknowledged)
    assert kept == [judgment(number) for number in range(len(kept))]
    assert len(acknowledged) > before, "judgments arrived meanwhile"


def test_a_newer_backup_takes_the_place_of_the_older_one(desk, file):
    desk.back_up(file, unseen)
    desk.store.add_judgments([judgment(1)])
    leftover = file.with_name(f".{file.name}.partial")
    leftover.mkdir()
    (leftover / "half").write_text("of a killed one")
    assert desk.back_up(file, unseen) == verified(file, unseen)
    assert os.listdir(file.parent) == [file.name]


def test_a_backup_that_fails_leaves_the_older_one(desk, file, monkeypatch):
    desk.back_up(file, unseen)
    before = file.read_bytes()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(OSError, match="full"):
        desk.back_up(file, unseen)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


def judgments_overwritten(desk):
    """The root page of a table is nothing any more."""
    path = desk.settings.home / "tickets.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        statement = "SELECT rootpage FROM sqlite_master WHERE name = 'judgments'"
        [page] = database.execute(statement).fetchone()
        [size] = database.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


def bundle_changed(desk):
    """One of the store's files, which lies beside its database, has another byte."""
    path = max((desk.settings.home / "files").iterdir(), key=lambda path: path.stat().st_size)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def report_lost(desk):
    """A file of the store is deleted, which the database still names."""
    kept = desk.store.put_file("report/j/report.html", [b"<p>good"])
    (desk.settings.home / "files" / kept.sha256).unlink()


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (judgments_overwritten, r"tickets\.sqlite3 is damaged \(.+\); see `ticketing check`; no"),
        (bundle_changed, r"files/\w{64} of the store was changed; run `ticketing check --repair`;"),
        (
            report_lost,
            r"The file report/j/report\.html in the store is damaged; run `.+repair`; no",
        ),
    ],
)
def test_a_damaged_desk_is_not_backed_up_and_the_backup_before_stays(desk, file, harm, said):
    desk.store.add_judgments([judgment(1)])
    desk.back_up(file, unseen)
    before = file.read_bytes()
    harm(desk)
    with pytest.raises(StoreError, match=said) as raised:
        desk.back_up(file, unseen)
    assert "no backup was written and an earlier backup stays as it is." in str(raised.value)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


def test_a_backup_whose_database_is_damaged_is_refused(desk, file, elsewhere, monkeypatch):
    desk.store.add_judgments([judgment(1)])
    judgments_overwritten(desk)
    with monkeypatch.context() as patch:
        patch.setattr("ticketing.stores.snapshot.damage_of", lambda _: "")
        desk.back_up(file, unseen)
    with pytest.raises(InputError, match=r"The database in .*desk\.backup is damaged \(.+\); name"):
        restored(elsewhere, file, False, unseen)
    assert os.listdir(elsewhere.home) == []


@pytest.mark.parametrize("at", ["keep_content", "_take_files"])
def test_a_restore_that_fails_leaves_nothing_that_fills_the_disk(
    desk, file, elsewhere, monkeypatch, at
):
    desk.back_up(file, unseen)
    with closing(open_desk(elsewhere)) as other:
        other.store.put_tickets([Ticket("mine", "Mine")])
        other.store.put_file("report/j/report.html", [b"<p>good"])
    with monkeypatch.context() as patch, pytest.raises((OSError, StoreFull), match="full"):
        patch.setattr(restore, at, lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
        restored(elsewhere, file, True, unseen)
    assert not [name for name in os.listdir(elsewhere.home) if name.startswith(".")]
    with closing(open_desk(elsewhere)) as other:
        assert [x for x in other.findings() if "may read" not in x.what] == []
        named = {kept.sha256 for kept in other.store.files()}
    assert set(os.listdir(elsewhere.home / "files")) == named
    codes = os.listdir(elsewhere.home / "codes")
    assert len([name for name in codes if name.endswith(".bin")]) == (at == "_take_files")


def test_a_restore_that_fails_takes_no_file_that_both_desks_name(
    desk, file, elsewhere, monkeypatch
):
    desk.store.put_file("report/theirs/report.html", [b"<p>good"])
    desk.back_up(file, unseen)
    with closing(open_desk(elsewhere)) as other:
        other.store.put_file("report/ours/report.html", [b"<p>good"])
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(
                restore, "keep_content", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
            )
            restored(elsewhere, file, True, unseen)
        assert b"".join(other.store.file_chunks("report/ours/report.html")) == b"<p>good"
        assert len(os.listdir(elsewhere.home / "files")) == 1


def test_a_file_that_was_damaged_in_place_is_whole_after_a_restore(desk, file):
    desk.store.put_file("report/j/report.html", [b"<p>good"])
    desk.back_up(file, unseen)
    desk.store.file_at("report/j/report.html").write_bytes(b"<p>bad")
    restored(desk.settings, file, True, unseen)
    assert b"".join(desk.store.file_chunks("report/j/report.html")) == b"<p>good"


def test_a_file_that_is_dropped_during_a_restore_is_in_the_restored_desk(desk, file):
    """Its bytes were deleted as those of the old desk, and the new one named them."""
    desk.store.put_file("report/j/report.html", [b"<p>good"])
    desk.back_up(file, unseen)

    def dropping(what, total, unit=""):
        if what == "restored":
            desk.store.drop_file("report/j/report.html")
        return lambda count: None

    restored(desk.settings, file, True, dropping)
    assert b"".join(desk.store.file_chunks("report/j/report.html")) == b"<p>good"


def refusing(*_, **__):
    raise OSError(errno.EPERM, "Operation not permitted")


def test_a_disk_without_links_is_no_damage(desk, file, archive_tickets, monkeypatch):
    desk.back_up(file, unseen)
    monkeypatch.setattr(os, "link", refusing)
    restored(desk.settings, file, True, unseen)
    assert desk.store.count_tickets() == len(archive_tickets)
    assert desk.recommender().rank(QUERY)


def test_a_disk_that_refuses_leaves_the_desk_as_it_is(desk, file, archive_tickets, monkeypatch):
    desk.back_up(file, unseen)
    desk.close()
    with monkeypatch.context() as patch:
        patch.setattr(replacement, "link_or_copy", refusing)
        with pytest.raises(StoreError, match="Operation not permitted"):
            restored(desk.settings, file, True, unseen)
    with closing(open_desk(desk.settings)) as again:
        assert again.store.count_tickets() == len(archive_tickets)


def test_a_file_that_is_dropped_during_a_backup_is_not_named_in_it(
    desk, file, elsewhere, monkeypatch
):
    desk.store.put_file("report/j/report.html", [b"<p>good"])
    copied = snapshot.copy_database

    def copied_and_dropped(*given):
        copied(*given)
        desk.store.drop_file("report/j/report.html")

    monkeypatch.setattr(snapshot, "copy_database", copied_and_dropped)
    desk.back_up(file, unseen)
    restored(elsewhere, file, False, unseen)
    with closing(open_desk(elsewhere)) as again:
        assert again.store.files("report/") == []


@pytest.mark.parametrize("content", ["precious", "PK but no zip"])
def test_a_file_that_is_no_backup_is_not_replaced(desk, file, content):
    file.write_text(content)
    with pytest.raises(InputError, match=r"desk\.backup is no backup of this program; name"):
        desk.back_up(file, unseen)
    assert file.read_text() == content


def test_a_zip_of_somebody_else_is_not_replaced(desk, file):
    foreign(file)
    with pytest.raises(InputError, match=r"desk\.backup is no backup of this program; name"):
        desk.back_up(file, unseen)


@pytest.mark.parametrize("name", ["tickets.sqlite3", "new.backup"])
def test_nothing_in_the_home_becomes_a_backup(desk, name):
    before = sorted(os.listdir(desk.settings.home))
    with pytest.raises(InputError, match=f"{name} is in the home .*; name a file outside it"):
        desk.back_up(desk.settings.home / name, unseen)
    assert sorted(os.listdir(desk.settings.home)) == before
    assert desk.store.count_tickets()


def cut(file):
    os.truncate(file, file.stat().st_size // 2)


def flipped(file):
    """A byte of the first file's data, past its header."""
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 4
    file.write_bytes(data)


def foreign(file):
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x", "y")


def lacking(file):
    whole = file.with_suffix(".whole")
    file.rename(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist()[1:]:
            new.writestr(name, old.read(name))


def leaving(file):
    """It wants to write outside the home."""
    whole = file.with_suffix(".whole")
    file.rename(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                data = data.replace(b"store/tickets.sqlite3", b"store/../../tickets.x")
            new.writestr(name.replace("store/tickets.sqlite3", "store/../../tickets.x"), data)


@pytest.mark.parametrize("harm", [cut, flipped, foreign, lacking, leaving])
def test_what_is_no_whole_backup_touches_nothing(desk, file, elsewhere, harm):
    desk.back_up(file, unseen)
    harm(file)
    elsewhere.home.mkdir()
    (elsewhere.home / "secret_key").write_text("mine")
    with pytest.raises(InputError, match=r"desk\.backup"):
        restored(elsewhere, file, True, unseen)
    assert os.listdir(elsewhere.home) == ["secret_key"]
    assert not (file.parent.parent / "tickets.x").exists()


def test_a_flipped_bit_anywhere_is_harmless_or_said(file):
    """One clear sentence, whichever bit it is: of data, of a header or of the directory."""
    held = {"store/a": b"flame out, flame out, trip, flame trip. " * 4, "home/b": b"key"}
    digests = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in held.items()
    }
    facts = {"format": FORMAT, "version": VERSION, "created": "2026-01-01", "files": digests}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in held.items():
            archive.writestr(name, data)
        archive.writestr(MANIFEST, json.dumps(facts))
    whole, manifest = file.read_bytes(), verified(file, unseen)
    said = 0
    for bit in range(8 * len(whole)):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        file.write_bytes(data)
        try:
            assert verified(file, unseen) == manifest
        except InputError as error:
            said += 1
            assert "desk.backup" in str(error), bit
    assert said > len(whole), "most bits matter"


def test_a_home_that_is_not_empty_is_refused_or_moved_aside(desk, file, elsewhere):
    desk.back_up(file, unseen)
    with closing(open_desk(elsewhere)) as other:
        other.store.put_tickets([Ticket("mine", "Mine")])
    with pytest.raises(InputError, match=r"is there already; .* --replace"):
        restored(elsewhere, file, False, unseen)
    restored(elsewhere, file, True, unseen)
    with closing(open_desk(elsewhere)) as again:
        assert list(again.store.iter_tickets()) == list(desk.store.iter_tickets())
    [aside] = elsewhere.home.glob("replaced-*")
    with closing(open_desk(load_settings(home=aside))) as old:
        assert [ticket.id for ticket in old.store.iter_tickets()] == ["mine"]


def test_a_home_in_use_goes_on_as_the_restored_one(desk, file, elsewhere, archive_tickets):
    """Blocks of codes, pools of answers and models are those of the new desk at once."""
    desk.store.add_judgments([judgment(1)])
    desk.back_up(file, unseen)
    shutil.copytree(desk.models.folder, elsewhere.home / "models")
    with closing(open_desk(elsewhere)) as other:
        put_encoded(other, desk.store.serving(), archive_tickets[:12])
        bundle = other.store.serving()
        few = other.recommender().rank(QUERY, limit=50)
        assert len(other.best_of(QUERY, bundle)) == 10
        reader = iter(other.store.code_rows(bundle))
        next(reader)
        restored(elsewhere, file, True, unseen)
        assert len(few) == 12
        assert other.recommender().rank(QUERY, limit=50) == desk.recommender().rank(QUERY, limit=50)
        assert other.store.topic_counts(bundle) == desk.store.topic_counts(bundle)
        assert other.store.known_words(["turbine"]) == desk.store.known_words(["turbine"])
        assert list(other.store.code_rows(bundle)) == list(desk.store.code_rows(bundle))
        assert list(other.store.judgments()) == [judgment(1)]
        assert len(list(reader)) == 11, "what was begun is of the old desk"
        other.put_tickets([Ticket("new", "Flame out again")])
        assert other.store.stale_ids(bundle) == []
        assert [x for x in other.findings() if "may read" not in x.what] == []
    [aside] = elsewhere.home.glob("replaced-*")
    with closing(open_desk(load_settings(home=aside))) as old:
        assert old.recommender().rank(QUERY, limit=50) == few
        assert old.store.damaged_codes(bundle) == []
    assert len(list((elsewhere.home / "codes").iterdir())) == 1


def test_nobody_is_signed_in_after_a_restore_and_the_key_of_the_cookies_stays(
    desk, file, elsewhere
):
    (desk.settings.home / "secret_key").write_text("k" * 64)
    desk.back_up(file, unseen)
    with closing(open_desk(elsewhere)) as other:
        (elsewhere.home / "secret_key").write_text("m" * 64)
        with other.store.database.writing() as connection:
            connection.execute(
                "INSERT INTO accounts (name, password_hash, role, groups)"
                " VALUES ('ann', '', 'admin', '[]')"
            )
            connection.execute("INSERT INTO sessions VALUES ('key', 'ann', '2026', '2026')")
        restored(elsewhere, file, True, unseen)
        assert other.store.database.rows("SELECT * FROM sessions") == []
        assert other.store.accounts() == []
    assert (elsewhere.home / "secret_key").read_text() == "m" * 64


def test_pages_of_another_size_are_made_to_fit(desk, file, elsewhere):
    desk.back_up(file, unseen)
    elsewhere.home.mkdir()
    with closing(sqlite3.connect(elsewhere.home / "tickets.sqlite3")) as database:
        database.execute("PRAGMA page_size = 8192")
        database.execute("VACUUM")
    with closing(open_desk(elsewhere)) as other:
        restored(elsewhere, file, True, unseen)
        assert other.store.database.rows("PRAGMA page_size") == [(8192,)]
        assert other.store.database.rows("PRAGMA journal_mode") == [("wal",)]
        assert other.recommender().rank(QUERY) == desk.recommender().rank(QUERY)


def test_whoever_reads_sees_one_desk_and_its_codes_until_he_is_done(desk, file, elsewhere):
    desk.back_up(file, unseen)
    with closing(open_desk(elsewhere)) as other:
        other.store.put_tickets([Ticket("mine", "Mine")])
        with other.store.database.reading() as connection:
            count = "SELECT count(*) FROM tickets"
            assert connection.execute(count).fetchall() == [(1,)]
            person = threading.Thread(target=restored, args=(elsewhere, file, True, unseen))
            person.start()
            person.join()
            assert connection.execute(count).fetchall() == [(1,)]
        assert other.store.count_tickets() == desk.store.count_tickets()


def test_a_database_elsewhere_and_its_home_are_both_restored(desk, file, tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "base"
    settings = load_settings(
        home=tmp_path_factory.mktemp("h") / "home", store=f"sqlite:///{folder}"
    )
    desk.back_up(file, unseen)
    restored(settings, file, False, unseen)
    assert {"tickets.sqlite3", "codes"} <= set(os.listdir(folder))
    with closing(open_desk(settings)) as again:
        assert again.recommender().rank(QUERY) == desk.recommender().rank(QUERY)


@pytest.mark.parametrize("at", ["_add_bundles", "keep_content", "_take_files"])
def test_a_restore_that_is_interrupted_leaves_the_old_desk_or_the_new_one(
    desk, file, elsewhere, monkeypatch, at
):
    desk.back_up(file, unseen)
    with closing(open_desk(elsewhere)) as other:
        other.store.put_tickets([Ticket("mine", "Mine")])
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(restore, at, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            restored(elsewhere, file, True, unseen)
        new = list(desk.store.iter_tickets())
        assert list(other.store.iter_tickets()) == (
            new if at == "_take_files" else [Ticket("mine", "Mine")]
        )
        restored(elsewhere, file, True, unseen)
        assert other.recommender().rank(QUERY) == desk.recommender().rank(QUERY)
        assert [x for x in other.findings() if "may read" not in x.what] == []
    asides = list(elsewhere.home.glob("replaced-*"))
    assert len(asides) == (2 if at == "_take_files" else 1)
    assert not [name for name in os.listdir(elsewhere.home) if name.startswith(".")]


def test_a_folder_in_the_place_of_the_database_can_be_replaced_by_a_backup(desk, file, elsewhere):
    desk.back_up(file, unseen)
    (elsewhere.home / "tickets.sqlite3").mkdir(parents=True)
    with pytest.raises(InputError, match="is there already"):
        restored(elsewhere, file, False, unseen)
    restored(elsewhere, file, True, unseen)
    with closing(open_desk(elsewhere)) as other:
        assert other.store.count_tickets() == desk.store.count_tickets()


def test_a_damaged_database_in_use_is_refused(desk, file, elsewhere):
    desk.back_up(file, unseen)
    with closing(open_desk(elsewhere)) as other:
        with other.store.database.reading() as connection:
            connection.execute("SELECT count(*) FROM tickets").fetchall()
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(restore, "replace_content", broken)
                with pytest.raises(StoreError, match="is damaged and in use; end `ticketing"):
                    restored(elsewhere, file, True, unseen)
        assert other.store.count_tickets() == 0


def test_a_damaged_desk_can_be_replaced_by_its_backup(desk, file, elsewhere):
    desk.back_up(file, unseen)
    elsewhere.home.mkdir()
    (elsewhere.home / "tickets.sqlite3").write_bytes(b"no database" * 999)
    shutil.copytree(desk.models.folder, elsewhere.home / "models")
    restored(elsewhere, file, True, unseen)
    with closing(open_desk(elsewhere)) as again:
        assert [x for x in again.findings() if "may read" not in x.what] == []


@pytest.mark.parametrize("replace", [False, True])
def test_a_desk_that_lost_its_database_is_refused_until_it_is_restored(
    desk, file, elsewhere, replace
):
    desk.back_up(file, unseen)
    shutil.copytree(desk.settings.home, elsewhere.home)
    (elsewhere.home / "tickets.sqlite3").unlink()
    before = sorted(elsewhere.home.rglob("*"))
    with pytest.raises(StoreError, match=r"has lost its database: .*; restore a backup"):
        open_desk(elsewhere)
    assert sorted(elsewhere.home.rglob("*")) == before
    restored(elsewhere, file, replace, unseen)
    with closing(open_desk(elsewhere)) as again:
        assert [x for x in again.findings() if "may read" not in x.what] == []
        assert again.recommender().rank(QUERY) == desk.recommender().rank(QUERY)


def test_a_restore_to_servers_that_was_interrupted_goes_on_with_its_own_backup_alone(
    desk, file, elsewhere, tmp_path_factory, monkeypatch
):
    servers = tmp_path_factory.mktemp("servers")
    elsewhere = elsewhere.model_copy(update={"store": "http://127.0.0.1:9"})
    monkeypatch.setattr(restore, "open_store", lambda _: SQLiteStore(servers))
    desk.back_up(file, unseen)
    desk.store.add_judgments([judgment(1)])
    other = file.with_name("other.backup")
    desk.back_up(other, unseen)

    def dies(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(restore, "require_equal", dies)
        restored(elsewhere, file, False, unseen)
    with pytest.raises(InputError, match="began with another backup; name that one, or an empty"):
        restored(elsewhere, other, False, unseen)
    restored(elsewhere, file, False, unseen)
    with closing(SQLiteStore(servers)) as store:
        assert store.count_judgments() == 0
        assert store.count_tickets() == desk.store.count_tickets()
    restore.require_restored(elsewhere.home)


def test_two_backups_at_once_do_not_mix(desk, file):
    desk.back_up(file, unseen)
    before = file.read_bytes()
    with sole_folder(file.with_name(f".{file.name}.partial")), pytest.raises(Conflict):
        desk.back_up(file, unseen)
    assert file.read_bytes() == before


def test_two_restores_at_once_do_not_mix(desk, file, elsewhere):
    desk.back_up(file, unseen)
    with sole_folder(elsewhere.home / restore.UNPACKED):
        (elsewhere.home / restore.UNPACKED / "unpacked").write_text("by the other one")
        with pytest.raises(Conflict, match="Another command is at work"):
            restored(elsewhere, file, False, unseen)
        assert (elsewhere.home / restore.UNPACKED / "unpacked").exists()


def test_the_disk_that_is_full_is_the_one_of_the_backup(desk, file, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", "/home/tickets.sqlite3")

    monkeypatch.setattr("ticketing.desk.backup.snapshot", full)
    with pytest.raises(OSError, match="No space left") as error:
        desk.back_up(file, unseen)
    assert error.value.filename == str(file)


def test_a_backup_of_a_desk_that_takes_no_writes_stands(desk, file, monkeypatch):
    def full(*_):
        raise StoreFull("tickets.sqlite3 takes no writes; free some room.")

    monkeypatch.setenv("TICKETING_HOME", str(desk.settings.home))
    monkeypatch.setattr(SQLiteStore, "add_events", full)
    done = CliRunner().invoke(command, [str(file)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "compared." in done.stdout
    assert "The audit does not have this export: tickets.sqlite3 takes no writes" in done.stderr
