"""What a person sees while he waits: something within a second on a terminal, nothing elsewhere."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

WAIT = """
import time
from ticketing.cli.waiting import shown_waiting
with shown_waiting("Loading the model"):
    time.sleep(0.9)
"""


def shown_on_a_terminal(arguments):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    subprocess.run([sys.executable, *arguments], stderr=slave, check=True)
    os.close(slave)
    shown = os.read(master, 10_000).decode()
    os.close(master)
    return shown


def test_on_a_terminal_it_says_what_is_done_and_leaves_nothing():
    shown = shown_on_a_terminal(["-c", WAIT])
    assert "Loading the model 00:00" in shown
    assert shown.rsplit("\r", 2)[1].strip() == ""


def test_elsewhere_it_is_quiet():
    done = subprocess.run([sys.executable, "-c", WAIT], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_bars_of_commands_are_drawn_on_a_terminal_and_in_no_file(home):
    file = home.with_name("tickets.csv")
    file.write_text("id,subject\nA-1,Printer jams\n")
    command = ["-m", "ticketing", "import", str(file)]
    assert "importing: 100%" in shown_on_a_terminal(command)
    done = subprocess.run([sys.executable, *command], capture_output=True, check=True)
    assert done.stdout and not done.stderr
