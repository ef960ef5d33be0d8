"""What a desk owns is its owner's alone."""

import errno
import os
import stat
from pathlib import Path

import pytest

from ticketing import cli
from ticketing.desk import open_desk, open_known_desk
from ticketing.errors import Conflict, InputError
from ticketing.files import (
    file_name,
    private_folder,
    require_target,
    require_target_folder,
    sole_folder,
    write_atomically,
)
from ticketing.settings import load_settings


def open_to_others(folder):
    return [path for path in (folder, *folder.rglob("*")) if path.stat().st_mode & 0o077]


def test_a_new_home_and_all_below_it_are_private(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.argv", ["ticketing", "jobs"])
    with pytest.raises(SystemExit):
        cli.main()
    assert (tmp_path / "home" / "tickets.sqlite3").exists()
    assert open_to_others(tmp_path / "home") == []


def test_a_home_that_was_open_is_closed(tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    open_desk(load_settings(home=home)).close()
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


@pytest.mark.parametrize("opened", [open_desk, open_known_desk])
def test_a_home_that_may_not_be_entered_is_said(tmp_path, monkeypatch, opened):
    """Of the home of another user it was said that there is no desk in it."""

    def denied(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    settings = load_settings(home=tmp_path / "home")
    open_desk(settings).close()
    monkeypatch.setattr(Path, "exists", denied)  # root may do anything
    with pytest.raises(InputError) as refused:
        opened(settings)
    assert str(refused.value) == (
        f"The home {tmp_path}/home cannot be used (Permission denied); let the user who runs this"
        " enter it and write to it, or name another with TICKETING_HOME."
    )


def shared_folder(tmp_path, *names):
    home = tmp_path / "shared"
    home.mkdir()
    for name in names:
        (home / name).write_text("")
    home.chmod(0o1777)
    return home


def test_a_folder_that_others_share_is_no_home(tmp_path):
    home = shared_folder(tmp_path, "thesis.odt")
    for settings in ({"home": home}, {"home": tmp_path / "own", "store": f"sqlite:///{home}"}):
        with pytest.raises(InputError, match="shared is open to others and holds other things, as"):
            open_desk(load_settings(**settings))
    assert stat.S_IMODE(home.stat().st_mode) == 0o1777
    assert os.listdir(home) == ["thesis.odt"]


@pytest.mark.parametrize("names", [(), ("lost+found",), ("secret_key", "thesis.odt")])
def test_an_empty_folder_and_that_of_a_desk_are_homes(tmp_path, names):
    home = shared_folder(tmp_path, *names)
    open_desk(load_settings(home=home)).close()
    assert stat.S_IMODE(home.stat().st_mode) == 0o1700


def test_a_folder_is_made_with_its_parents_and_others_files_stay(tmp_path):
    private_folder(tmp_path / "a" / "b")
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700


def test_a_written_file_is_private_whatever_the_umask(tmp_path):
    os.umask(0)
    write_atomically(tmp_path / "x", "text")
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o600


def test_only_a_plain_file_is_replaced(tmp_path):
    pipe, folder, link = tmp_path / "pipe", tmp_path / "folder", tmp_path / "link"
    os.mkfifo(pipe)
    folder.mkdir()
    link.symlink_to(tmp_path / "x")
    for path in (pipe, folder, link):
        for write in (require_target, lambda path: write_atomically(path, "text")):
            with pytest.raises(InputError, match=f"{path} is no plain file"):
                write(path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["folder", "link", "pipe"]
    require_target(tmp_path / "new" / "x")


def test_a_target_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=rf"in {tmp_path}/file; name another folder"):
        require_target(tmp_path / "file" / "x")


@pytest.mark.parametrize("folder", ["", "sub", "a/b"])
def test_a_folder_that_takes_no_files_is_refused(tmp_path, monkeypatch, folder):
    require_target_folder(tmp_path / folder)
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)  # root may do anything
    with pytest.raises(InputError) as refused:
        require_target_folder(tmp_path / folder)
    assert str(refused.value) == f"No file can be written in {tmp_path}; name another folder."


def test_an_error_names_the_file_that_was_asked_for(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space") as raised:
        write_atomically(tmp_path / "x", "text")
    assert raised.value.filename == str(tmp_path / "x")
    assert os.listdir(tmp_path) == []


def test_a_folder_to_work_in_is_one_process_s_and_begins_empty(tmp_path):
    folder = tmp_path / "work"
    (folder / "of a killed one").mkdir(parents=True)
    (folder / "half").write_text("of a killed one")
    with sole_folder(folder):
        assert os.listdir(folder) == ["lock"]
        (folder / "mine").write_text("")
        with pytest.raises(Conflict, match="Another command is at work"), sole_folder(folder):
            raise AssertionError("two at once")
        assert (folder / "mine").exists()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("заявки.csv", "заявки.csv"),
        ("C:\\mail\\my file.CSV", "my file.CSV"),
        ("../../x.tsv.gz", "x.tsv.gz"),
        ("..", "tickets"),
        ("a\0\n.csv", "a.csv"),
        ("工" * 300 + ".jsonl.gz", "工" * 48 + ".jsonl.gz"),
        ("x." + "工" * 300, "x." + "工" * 58),
    ],
)
def test_a_file_that_somebody_sends_keeps_its_name_as_far_as_a_disk_takes_it(tmp_path, said, name):
    assert file_name(said) == name
    (tmp_path / name).write_text("")
