"""Real `ticketing` processes, and the signals that end them."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

CATCHES_SIGTERM = 1 << (signal.SIGTERM - 1)


def start(home: Path, *arguments: str, **environment: str) -> subprocess.Popen:
    """`ticketing` with these arguments, on any free port; a shell's "&" must not shield it."""
    return subprocess.Popen(
        [sys.executable, "-m", "ticketing", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TICKETING_HOME": str(home), "TICKETING_PORT": "0", **environment},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def drained(stream: IO[str]) -> list[str]:
    """The lines of a stream, as they come: its writer stops where nobody reads."""
    lines: list[str] = []
    threading.Thread(target=lines.extend, args=(stream,), daemon=True).start()
    return lines


def wait_for_main(process: subprocess.Popen, seconds: float = 60.0) -> None:
    """Until its `main` has begun, which is when SIGTERM is caught; python itself catches none."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name == "SigCgt" and int(value, 16) & CATCHES_SIGTERM:
                return
        time.sleep(0.005)
    raise AssertionError(f"main did not begin: {process.communicate(timeout=5)}")


def children_of(pid: int) -> list[int]:
    """Processes that this one has started and that still run."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
