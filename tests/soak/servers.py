"""Three Elasticsearch nodes and a Redis that come back when they die."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.servers import SCRIPT
from ticketing.files import PRIVATE

NODES = 3
HEAP = "320m"
START_SECONDS = 90.0
STARTS = 4
"""How often the cluster is tried to be started; the script waits two minutes each time."""

LAST_WORDS = 2000
"""Characters of what the script said last."""


class Node:
    """One node of the cluster, which a supervisor starts again."""

    starting = threading.Lock()
    """`es start` starts all that are down, so that two at once would start a node twice."""

    def __init__(self, folder: Path, number: int):
        self.name = f"node{number}"
        self.unasked: list[int] = []
        self._folder = folder
        self._number = number
        self._stopping = False
        self._killed = False
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def pids(self) -> list[int]:
        try:
            pid = int((self._folder / self.name / "pid").read_text())
            running = b"elasticsearch" in Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return []
        return [pid] if running else []

    def kill(self, chance: random.Random) -> None:
        """SIGKILL."""
        self._killed = True
        self._signal(signal.SIGKILL)

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def stop(self) -> bool:
        """No longer start it again."""
        self._stopping = True
        self._watcher.join()
        return True

    def _signal(self, number: int) -> None:
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _watch(self) -> None:
        while not self._stopping:
            if not self.pids():
                if not self._killed:
                    self.unasked.append(0)
                self._killed = False
                self._start()
            time.sleep(1)

    def _start(self) -> None:
        with self.starting:
            if self.pids():
                return
            starter = subprocess.Popen(
                [SCRIPT, "start", self._folder],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            end = time.monotonic() + START_SECONDS
            while not self.pids() and time.monotonic() < end and not self._stopping:
                time.sleep(0.2)
            starter.kill()  # it would wait until the cluster is green
            starter.wait()


def start_cluster(folder: Path, port: int) -> None:
    """All nodes, tried again where the machine is busy. Exits with what the script says."""
    options = ["--nodes", str(NODES), "--port", str(port), "--heap", HEAP]
    for _ in range(STARTS):
        started = subprocess.run(
            [SCRIPT, "start", folder, *options], capture_output=True, text=True
        )
        if started.returncode == 0:
            return
    sys.exit(started.stderr[-LAST_WORDS:])


def kill_cluster(folder: Path) -> None:
    """SIGKILL to all nodes."""
    subprocess.run([SCRIPT, "kill", folder], check=False)


def redis_command(folder: Path, port: int, password: str) -> list[str]:
    """A Redis that keeps what it has said yes to."""
    folder.mkdir(mode=0o777 & ~PRIVATE)
    options = {"port": port, "bind": "127.0.0.1", "dir": folder, "requirepass": password}
    options |= {"appendonly": "yes", "appendfsync": "always", "save": ""}
    return ["redis-server", *(str(x) for k, v in options.items() for x in (f"--{k}", v))]
