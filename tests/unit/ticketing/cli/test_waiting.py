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


def test_on_a_terminal_it_says_what_is_done_and_leaves_nothing():
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    subprocess.run([sys.executable, "-c", WAIT], stderr=slave, check=True)
    os.close(slave)
    shown = os.read(master, 10_000).decode()
    os.close(master)
    assert "Loading the model 00:00" in shown
    assert shown.rsplit("\r", 2)[1].strip() == ""


def test_elsewhere_it_is_quiet():
    done = subprocess.run([sys.executable, "-c", WAIT], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
