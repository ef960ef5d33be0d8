"""Ctrl-C while a module is being loaded, where no exception may be raised."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
sys.argv[1:] = [{command!r}]
sys.path.insert(0, {folder!r})
from ticketing.cli.interruption import Interruption
Interruption().expect()
import interrupted
"""
MODULE = """
import os, signal, time
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
except BaseException:
    os._exit(77)  # as a library that cannot bear an exception here
"""


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("serve", 0, ""),
        (
            "train",
            130,
            "ticketing: Interrupted; what was finished is kept, run it again for the rest.",
        ),
    ],
)
def test_amid_an_import_the_process_ends_at_once(tmp_path, command, code, said):
    (tmp_path / "interrupted.py").write_text(MODULE)
    program = PROGRAM.format(command=command, folder=str(tmp_path))
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr.strip()) == (code, said)


ENDING = """
import os, signal
from ticketing.cli.interruption import Interruption
interruption = Interruption()
interruption.expect()
class Kept:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
import builtins
builtins.kept = Kept()  # goes after Python has given the signals back
interruption.leave(0)
"""


def test_once_all_is_done_nothing_is_interrupted():
    ended = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
