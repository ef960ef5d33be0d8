"""Damage of many kinds, made on a real home: what `ticketing check` finds, and what it mends."""

import errno
import hashlib
import os
import shutil
import sqlite3
import tempfile

import pytest

from tests.commands import TIME
from ticketing.cli.check import command
from ticketing.desk import open_desk
from ticketing.encoders.transformer import transformer_folder
from ticketing.errors import BundleError, StoreFull
from ticketing.jobs import JobKind
from ticketing.settings import load_settings
from ticketing.stores.sqlite import SQLiteStore
from ticketing.stores.sqlite.code_files import code_file
from ticketing.tickets import Grade, Judgment, Query

QUERY = Query("burner flame out", "the turbine trips at start")


def harmed(desk, statement, *values):
    """What another program does to the database."""
    with sqlite3.connect(desk.settings.home / "tickets.sqlite3") as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(statement, values)
    connection.close()


def overwrite(path, place, data):
    with path.open("r+b") as file:
        file.seek(place)
        file.write(data)


def rows_of(desk):
    return code_file(desk.settings.home, 1)


def width(desk):
    return desk.store.codes(desk.store.serving()).codes.shape[1]


def presence(desk):
    """A last byte that names components which do not exist, with a checksum that holds."""
    path, wide = rows_of(desk), width(desk)
    overwrite(path, 3 * wide - 1, b"\xff")
    from zlib import crc32

    checksum = crc32(path.read_bytes()[2 * wide : 3 * wide])
    harmed(desk, "UPDATE codes SET checksum = ? WHERE row = 2", checksum)


def unreadable_event(desk):
    harmed(desk, "DROP TRIGGER history_stands")
    harmed(
        desk,
        "INSERT INTO history (event_id, kind, person, event) VALUES ('x', 'asking', 'ann', '{')",
    )


def unreadable_job(desk):
    desk.store.create_job(JobKind.IMPORT, "", 1)
    harmed(desk, "UPDATE jobs SET log = 'kaputt'")


def bundle_of(desk):
    return desk.models.folder / desk.store.serving()


def other_codes(desk):
    desk.store.put_codes("gone", [row for row in desk.store.code_rows(desk.store.serving())])


def lost_index_entry(desk):
    """An index is told to stand where it does not."""
    harmed(
        desk,
        "UPDATE sqlite_master SET sql = replace(sql, '(product, status, created',"
        " '(status, product, created') WHERE name = 'tickets_filters'",
    )


def zeroed_page(desk):
    """The last of the database's pages is nothing."""
    path = desk.settings.home / "tickets.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [page] = connection.execute(
            "SELECT max(rootpage) FROM sqlite_master WHERE name IN ('judgments', 'queries', 'jobs')"
        ).fetchone()
        [size] = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    overwrite(path, (page - 1) * size, b"\xee" * size)


MENDED = {
    "a byte of a row of codes": (
        lambda desk: overwrite(rows_of(desk), 5 * width(desk) + 3, b"\xa5\x5a"),
        "1 row changed",
    ),
    "a presence byte": (presence, "of more components than there are"),
    "codes cut short": (
        lambda desk: os.truncate(rows_of(desk), 10 * width(desk) + 1),
        "30 rows changed",
    ),
    "codes lost": (lambda desk: rows_of(desk).unlink(), "all rows were lost"),
    "an index of the database": (lost_index_entry, "index tickets_filters"),
    "the index of words": (
        lambda desk: harmed(desk, "DELETE FROM words_content WHERE id = 3"),
        "the index of words",
    ),
    "codes of no ticket": (
        lambda desk: harmed(
            desk,
            "INSERT INTO codes (file, ticket, row, version, checksum) VALUES (1, 4711, 99, 'x', 1)",
        ),
        "1 row of no row in tickets",
    ),
    "codes of no bundle": (other_codes, "codes of bundle gone"),
    "a file of codes of nobody": (
        lambda desk: code_file(desk.settings.home, 77).write_bytes(b"left"),
        "no bundle has these codes",
    ),
    "an event": (unreadable_event, "table history, row 1: it cannot be read"),
    "a job": (unreadable_job, "table jobs, row 1: it cannot be read"),
    "a ticket's text": (
        lambda desk: harmed(desk, "UPDATE tickets SET solution = 'Forged.' WHERE pk = 7"),
        "its text is not the one that was stored",
    ),
    "a message of the broker": (
        lambda desk: (desk.settings.home / "broker" / "1.ticketing.msg").write_bytes(b"{half"),
        "this is no message",
    ),
    "an open file": (
        lambda desk: (bundle_of(desk) / "manifest.json").chmod(0o644),
        "others may read 1 file, as manifest.json",
    ),
    "a ticket that nobody encoded": (
        lambda desk: harmed(desk, "DELETE FROM codes WHERE ticket = 5"),
        "they lack 1 ticket",
    ),
}


@pytest.fixture
def home(desk, monkeypatch):
    """A home in which nothing is damaged, and that nobody holds open."""
    os.umask(0o077)
    (desk.settings.home / "broker").mkdir()
    for path in desk.settings.home.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    monkeypatch.setenv("TICKETING_HOME", str(desk.settings.home))
    return desk.settings.home


def checked(capsys, *options):
    """Exit code and lines of the command."""
    with pytest.raises(SystemExit) as ended:
        command.main(list(options), standalone_mode=False)
    return ended.value.code, capsys.readouterr().out.splitlines()


def test_nothing_is_found_where_nothing_is_damaged(desk, home, capsys):
    desk.store.add_judgments([Judgment("e", QUERY, "gone", Grade.YES, "ann", TIME)])
    code, lines = checked(capsys)
    assert code == 0
    assert lines == [
        "1 judged ticket not here any more, which is no damage.",
        "Nothing is damaged.",
    ]


@pytest.mark.parametrize(("harm", "said"), MENDED.values(), ids=MENDED)
def test_damage_is_found_said_and_mended(desk, home, capsys, harm, said):
    before = desk.recommender().rank(QUERY)
    harm(desk)
    desk.close()
    code, lines = checked(capsys)
    assert code == 1
    assert any(said in line for line in lines), lines
    code, lines = checked(capsys, "--repair")
    assert code == 0, lines
    assert all("Mended: " in line for line in lines[:-1])
    assert checked(capsys) == (0, ["Nothing is damaged."])
    again = open_desk(load_settings(home=home))
    if "Forged." not in {ticket.solution for ticket in again.store.iter_tickets()}:
        assert again.recommender().rank(QUERY) == before
    again.close()


def forget_query(desk):
    desk.store.add_judgments([Judgment("e", QUERY, "T", Grade.YES, "ann", TIME)])
    harmed(desk, "DELETE FROM queries")


def no_database(desk):
    desk.close()
    (desk.settings.home / "tickets.sqlite3").write_bytes(b"no database" * 999)


KEPT = {
    "a page of the database": (zeroed_page, "restore a backup"),
    "a judgment of no query": (forget_query, "table judgments: 1 row of no row in queries"),
    "the serving bundle": (lambda desk: shutil.rmtree(bundle_of(desk)), "it serves (ranking)"),
    "a file that is no database": (
        no_database,
        "file is not a database",
    ),
}


@pytest.mark.parametrize(("harm", "said"), KEPT.values(), ids=KEPT)
def test_what_cannot_be_mended_here_says_what_to_do(desk, home, capsys, harm, said):
    harm(desk)
    desk.close()
    for options in ((), ("--repair",)):
        code, lines = checked(capsys, *options)
        assert code == 1
        assert any(said in line for line in lines), lines
        assert all("restore" in line or "train" in line for line in lines[:1])


@pytest.mark.parametrize("harm", [zeroed_page, no_database], ids=["a page", "no database"])
def test_the_advice_for_damage_is_given_once(desk, home, capsys, harm):
    harm(desk)
    desk.close()
    _, lines = checked(capsys)
    assert all(line.count("restore a backup") == 1 for line in lines[:-1]), lines


def test_no_backup_is_advised_where_a_file_cannot_be_opened(desk, home, capsys):
    desk.close()
    (home / "tickets.sqlite3-wal").mkdir()
    code, [line] = checked(capsys)
    assert code == 3
    assert "takes no writes (unable to open database file); free some room on its disk, or" in line
    assert "restore" not in line


@pytest.mark.parametrize("name", ["SQLITE_READONLY", "SQLITE_IOERR_SHMSIZE", "SQLITE_FULL"])
def test_a_disk_that_takes_no_writes_is_no_damage(desk, home, capsys, monkeypatch, name):
    def refuse(self, statement, *values):
        with self.plain_errors():
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorname = name
            raise error

    monkeypatch.setattr("ticketing.stores.sqlite.database.Database.rows", refuse)
    with pytest.raises(StoreFull, match=r"takes no writes \(disk I/O error\); free some room"):
        list(desk.whole.findings())
    code, [line] = checked(capsys)
    assert code == 3
    assert line.startswith(f"Not everything can be checked: {home}/tickets.sqlite3 takes no writes")


def test_a_check_goes_on_where_a_record_cannot_be_read(desk, home, monkeypatch):
    def kaputt():
        raise KeyError("kaputt")

    monkeypatch.setattr(desk.whole, "findings", kaputt)
    monkeypatch.setattr(desk.whole, "accounts", kaputt)
    harmed(desk, "DELETE FROM codes WHERE ticket = 5")
    assert [finding.where for finding in desk.findings()] == [
        "store",
        "accounts",
        f"codes of bundle {desk.store.serving()}",
    ]


@pytest.mark.parametrize("error", [BundleError("It is foreign."), OSError(28, "No space left")])
def test_a_repair_goes_on_where_something_cannot_be_mended(desk, home, capsys, monkeypatch, error):
    def refuse(*_):
        raise error

    monkeypatch.setattr(SQLiteStore, "drop_codes", refuse)
    other_codes(desk)
    harmed(desk, "DELETE FROM codes WHERE ticket = 5")
    desk.close()
    code, [first, second, last] = checked(capsys, "--repair")
    assert code == 1
    assert first.endswith(f"delete them. Not mended: {error}")
    assert second.endswith("Mended: 1 ticket encoded anew.")
    assert last == "2 findings, 1 left."


def test_a_damaged_bundle_is_moved_aside_and_the_one_before_serves(desk, home, capsys):
    from tests.tiny import other_bundle, put_encoded

    first = desk.store.serving()
    second = other_bundle(desk, first)
    put_encoded(desk, second, list(desk.store.iter_tickets()))
    place = next((desk.models.folder / second).glob("*.safetensors"))
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 1
    place.write_bytes(data)
    desk.close()
    code, lines = checked(capsys)
    assert (code, f"bundle {second}: {place} is truncated or was changed" in lines[0]) == (1, True)
    code, lines = checked(capsys, "--repair")
    assert code == 0, lines
    again = open_desk(load_settings(home=home))
    assert again.store.serving() == first
    assert again.models.ids() == [first]
    assert again.store.bundles() == [first]
    again.close()


def shared_after(desk):
    """The bundle that served and the one that serves now, both in the store."""
    from tests.tiny import other_bundle, put_encoded

    first = desk.store.serving()
    second = other_bundle(desk, first)
    put_encoded(desk, second, list(desk.store.iter_tickets()))
    desk.models.share_all()
    return first, second


def emptied(desk, bundle_id):
    """What this home and the store share, as one file on the disk."""
    os.truncate(desk.models.folder / bundle_id / "network.safetensors", 0)


def half_in_the_store(desk, bundle_id):
    """A machine that is gone had it, and the store lost one of its files."""
    shutil.rmtree(desk.models.folder / bundle_id)
    desk.store.drop_file(f"bundle/{bundle_id}/network.safetensors")


def damaged_in_the_store(desk, bundle_id):
    emptied(desk, bundle_id)
    shutil.rmtree(desk.models.folder / bundle_id)


@pytest.mark.parametrize("harm", [emptied, half_in_the_store, damaged_in_the_store])
def test_a_bundle_damaged_in_the_store_lets_the_one_before_serve(desk, home, capsys, harm):
    first, second = shared_after(desk)
    harm(desk, second)
    desk.close()
    code, lines = checked(capsys)
    assert (code, lines[-1][-6:]) == (1, " left.")
    assert any(f"bundle {second}: " in line for line in lines), lines
    code, lines = checked(capsys, "--repair")
    assert code == 0, lines
    assert any(line.endswith(f" Mended: Bundle {first} serves again.") for line in lines), lines
    assert checked(capsys)[0] == 0
    again = open_desk(load_settings(home=home))
    assert again.store.serving() == first
    assert again.models.ids() == [first]
    again.close()


def test_a_bundle_that_is_whole_here_is_put_again_where_the_store_lost_a_file(desk, home, capsys):
    _, second = shared_after(desk)
    [lost] = desk.store.files(f"bundle/{second}/network")
    (home / "files" / lost.sha256).unlink()
    desk.close()
    assert checked(capsys, "--repair")[0] == 0
    again = open_desk(load_settings(home=home))
    assert second not in again.models.shared()
    again.models.share_all()
    assert second in again.models.shared()
    assert again.store.serving() == second
    again.close()
    assert checked(capsys) == (0, ["Nothing is damaged."])


def test_damaged_codes_are_never_ranked_and_monitoring_is_told(desk, home):
    best = desk.recommender().rank(QUERY)[0][0]
    block = desk.store.codes(desk.store.serving())
    row = int(block.live[block.ids.index(best)])
    overwrite(rows_of(desk), row * block.codes.shape[1], b"\xa5\x5a\xa5")
    desk.close()
    again = open_desk(load_settings(home=home))
    assert best not in {id for id, _ in again.recommender().rank(QUERY, limit=40)}
    assert again.trouble() == [
        "The codes of some tickets are damaged, and left out of answers; run `ticketing check"
        " --repair`."
    ]
    again.close()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_disk_that_takes_no_writes_is_said(desk, monkeypatch, number):
    def no_room(*_):
        raise OSError(number, os.strerror(number))

    assert desk.trouble() == []
    monkeypatch.setattr(os, "posix_fallocate", no_room)
    [said] = desk.trouble()
    assert os.strerror(number) in said and "refused until then" in said


def test_a_disk_that_takes_no_file_is_named_by_its_folder(desk, home, monkeypatch):
    """It was named by a file that was not there, another one each time."""

    def read_only(dir):
        raise OSError(errno.EROFS, "Read-only file system", f"{dir}/tmp0_jr1ynf")

    monkeypatch.setattr(tempfile, "TemporaryFile", read_only)
    assert desk.trouble() == [
        f"{home} takes no writes (Read-only file system); free some room on its disk, or let it be"
        " written to. Judgments and new tickets are refused until then."
    ]


def test_an_encoder_that_is_gone_is_to_be_copied_back(desk, tmp_path, monkeypatch):
    """The check said to restore a backup, which has no folder of an encoder."""
    gone = tmp_path / "encoder"
    monkeypatch.setattr(desk, "recommender", lambda _: transformer_folder(str(gone)))
    found = [str(finding) for finding in desk.findings()]
    assert found[-1] == (
        f"codes: {gone} is no sentence-transformers folder, as its model.safetensors cannot be"
        " read (No such file or directory); copy the encoder there."
    )


def test_what_was_just_being_written_is_not_mended_away(desk, home):
    """Codes and files lie on the disk a moment before their row is there."""
    codes, files = home / "codes", home / "files"
    number = 1 + max(int(path.stem) for path in codes.glob("[0-9]*.bin"))
    (codes / f"{number}.bin").write_bytes(b"")
    digest = hashlib.sha256(b"new").hexdigest()
    files.mkdir(exist_ok=True)
    (files / digest).write_bytes(b"new")
    found = [finding for finding in desk.findings() if finding.mend]
    other_codes(desk)
    desk.store.put_file("import/new", [b"new"])
    said = [finding.mend() for finding in found]
    assert said == ["a bundle has it by now", "it has a name by now"]
    assert desk.store.count_codes("gone") == desk.store.count_tickets()
    assert b"".join(desk.store.file_chunks("import/new")) == b"new"


def test_a_file_that_goes_meanwhile_is_nothing_found(desk, home, monkeypatch):
    gone = home / "broker" / "gone.msg"
    walk = os.walk
    monkeypatch.setattr(os, "walk", lambda top: [*walk(top), (str(gone.parent), [], [gone.name])])
    assert list(desk.findings()) == []


def test_what_killed_processes_began_to_write_is_found_and_deleted(desk):
    """It stayed for ever, up to a bundle or a file of vectors each time."""
    home = desk.settings.home
    file, folder, new = (
        home / "files" / ".half",
        home / "models" / ".half",
        home / "models" / ".new",
    )
    for path in (file.parent, folder, new):
        path.mkdir(mode=0o700, exist_ok=True)
    for path in (file, folder / "arrays"):
        path.write_bytes(b"half")
        path.chmod(0o600)
    for path in (file, folder):
        os.utime(path, (1, 1))
    (home / "files" / ".gone").symlink_to("what another process has given its name by now")
    found = [x for x in desk.findings() if "others may read" not in x.what]
    assert {x.where: x.what for x in found} == dict.fromkeys(
        (str(file.parent), str(folder.parent)), "1 piece that nobody ended writing"
    )
    for finding in found:
        finding.mend()
    assert not file.exists() and not folder.exists() and new.exists()
    assert not [x for x in desk.findings() if "ended writing" in x.what]
