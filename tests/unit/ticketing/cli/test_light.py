"""What lists and exports loads no model: short commands are short."""

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from ticketing.cli.commands import SENTENCES, commands
from ticketing.cli.groups import first_sentence

HEAVY = ("celery", "flask", "gensim", "kombu", "matplotlib", "numba", "scipy", "sklearn", "torch")
RUN = f"""
import sys
from pathlib import Path
from ticketing.cli.commands import run
sys.argv[:1] = []
assert run() == 0
heavy = [name for name in {HEAVY} if name in sys.modules]
peak = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
print(peak, *heavy)
"""


@pytest.mark.parametrize(
    ("arguments", "megabytes"),
    [("--help", 60), ("jobs", 100), ("models list", 100), ("labels export {home}/out", 100)],
)
def test_a_short_command_loads_nothing_heavy(tmp_path, arguments, megabytes):
    (tmp_path / "models").mkdir()  # it is a desk
    done = subprocess.run(
        [sys.executable, "-c", RUN, "ticketing", *arguments.format(home=tmp_path).split()],
        env={"TICKETING_HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    kilobytes, *heavy = done.stdout.splitlines()[-1].split()
    assert heavy == []
    assert int(kilobytes) < megabytes * 1024


def test_the_list_of_commands_says_what_each_says_itself():
    said = {
        name: first_sentence(commands.get_command(None, name))
        for name in commands.list_commands(None)
    }
    assert said == SENTENCES


def every_command(command, path=()):
    yield path
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield from every_command(command.get_command(None, name), (*path, name))


@pytest.mark.parametrize("path", list(every_command(commands)), ids="-".join)
def test_help_sentences_are_whole(path):
    result = CliRunner().invoke(commands, [*path, "--help"])
    assert result.exit_code == 0
    assert "..." not in re.sub(r"(\[\w+\]|[A-Z]+)\.\.\.", "", result.output)  # FILES... is a usage
    command = commands
    for name in path:
        command = command.get_command(None, name)
    said = first_sentence(command)
    assert said.endswith(".") and said.count("(") == said.count(")")
