"""The command line: every command is documented, errors are one sentence."""

import errno
import os
import subprocess
import sys
from importlib.metadata import entry_points

import click
import pytest

from ticketing import cli
from ticketing.cli.commands import commands
from ticketing.errors import InputError, NotReady, TicketingError
from ticketing.stores.sqlite import SQLiteStore


@pytest.mark.parametrize("name", sorted(p.name for p in entry_points(group="ticketing.commands")))
def test_every_command_says_what_it_does(name):
    command = commands.get_command(None, name)
    assert command.help or command.short_help


def options_without_help(command, name):
    if isinstance(command, click.Group):
        for inner in command.list_commands(None):
            yield from options_without_help(command.get_command(None, inner), f"{name} {inner}")
    for option in command.params:
        if isinstance(option, click.Option) and not option.help:
            yield f"{name} {option.opts[0]}"


def test_every_option_says_what_it_is_for():
    assert list(options_without_help(commands, "ticketing")) == []


def test_every_experiment_says_what_it_does():
    papers = commands.get_command(None, "experiments")
    assert papers.list_commands(None) == ["gupta2018", "malstm", "neculoiu2016"]
    for name in papers.list_commands(None):
        assert papers.get_command(None, name).help
    tables = papers.get_command(None, "gupta2018")
    assert tables.list_commands(None) == ["feedback", "labels", "rows", "topics"]
    assert all(tables.get_command(None, name).help for name in tables.list_commands(None))


def test_a_group_imports_no_command_that_was_not_asked_for():
    code = (
        "import sys; from ticketing.cli.commands import commands; "
        "commands.get_command(None, 'experiments').get_command(None, 'gupta2018'); "
        "sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (InputError("The file is empty."), "ticketing: The file is empty.\n"),
        (
            OSError(errno.ENOSPC, "No space left on device", "/home/x"),
            "ticketing: The disk that holds /home/x is full; free some room and run it again.\n",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device"),  # a printed line names no file
            "ticketing: The disk that holds what this writes is full; "
            "free some room and run it again.\n",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied", "/x"),
            "ticketing: /x cannot be used (Permission denied); let the user who runs this read and "
            "write it, or name another one.\n",
        ),
    ],
)
def test_what_a_person_can_act_on_is_one_sentence(monkeypatch, capsys, error, sentence):
    def fail(**_):
        raise error

    monkeypatch.setattr(commands, "main", fail)
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 1
    assert capsys.readouterr().err == sentence


def test_a_defect_is_not_hidden(monkeypatch):
    def fail(**_):
        raise OSError("no number, no file")

    monkeypatch.setattr(commands, "main", fail)
    with pytest.raises(OSError, match="no number"):
        cli.main()


def test_the_program_prints_one_sentence_and_ends_with_1(home, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ticketing", "models", "rollback"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("ticketing: No other bundle has served before")
    assert issubclass(NotReady, TicketingError)


@pytest.mark.parametrize(
    "command",
    [("jobs",), ("models", "list"), ("recommend", "Printer jams"), ("reindex",), ("train",)],
    ids=" ".join,
)
def test_what_finds_nothing_in_a_home_names_the_home(home, monkeypatch, capsys, command):
    """TICKETING_HOME is easily forgotten in a new terminal; `ticketing train` then said that there
    were no tickets, and not where it had looked for them."""
    monkeypatch.setattr(sys, "argv", ["ticketing", *command])
    with pytest.raises(SystemExit):
        cli.main()
    said = "".join(capsys.readouterr()).strip()
    assert said.endswith(f"The home is {home}; TICKETING_HOME names another.")


@pytest.mark.parametrize(
    ("encoding", "name", "shown"),
    [("latin-1", b"a.csv", "10 \\u20ac"), ("utf-8:strict", b"\xff.csv", "\\udcff.csv:2")],
)
def test_what_a_terminal_cannot_show_is_shown_by_its_number(home, encoding, name, shown):
    file = home.with_name(os.fsdecode(name))
    file.write_text("id,subject\nA-1,Costs 10 €\nA-1,Costs 10 €\n", encoding="utf-8")
    for options in (["--dry-run"], []):
        command = [sys.executable, "-m", "ticketing", "import", os.fsencode(file), *options]
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(command, env=environment, check=True, capture_output=True)
        said = done.stdout.decode(encoding.partition(":")[0])
        assert "id: A-1 was already given at" in said
        assert shown in said or not options


@pytest.mark.parametrize("closed", ["2>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"])
def test_closed_streams_hinder_no_command(home, closed):
    SQLiteStore(home).close()
    file = home.with_name("desk.backup")
    backup = f"{sys.executable} -m ticketing backup {file}"
    subprocess.run(f"{backup} {closed}", shell=True, check=True)
    assert file.stat().st_size


@pytest.mark.parametrize("words", ["backup {}/b.zip", "check", "labels export {}/labels"])
def test_a_home_without_a_desk_is_refused_where_a_new_one_would_be_empty(tmp_path, words):
    """A forgotten TICKETING_HOME put an empty backup in the place of a good one."""
    (tmp_path / "b.zip").write_text("the good one")
    command = [sys.executable, "-m", "ticketing", *words.format(tmp_path).split()]
    environment = {**os.environ, "TICKETING_HOME": str(tmp_path / "mistyped")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    said = f"There is no desk in {tmp_path}/mistyped; set TICKETING_HOME to its home."
    assert done.stderr == f"ticketing: {said}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["b.zip"]
    assert (tmp_path / "b.zip").read_text() == "the good one"


def test_an_empty_date_is_none(home):
    """An unset variable, as of no date, had a training learn from all there is."""
    command = [sys.executable, "-m", "ticketing", "train", "--before", ""]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "it is empty; give a date, or leave the option out" in done.stderr
