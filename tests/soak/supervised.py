"""Processes that a supervisor starts again when they end, as systemd or Docker would."""

import contextlib
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

RESTART_SECONDS = 1.0
STOP_SECONDS = 60.0


class Supervised:
    """A process group that is there until `stop`; `restarts` counts the faults' kills too.

    `unasked` are the exit codes of processes that ended although nobody had killed them.
    """

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], log: Path
    ):
        self.name = name
        self.unasked: list[int] = []
        self._command, self._environment, self._log = command, dict(environment), log
        self._extra: Mapping[str, str] = {}
        self._stopping = False
        self._killed = False
        self._process = self._started()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def pids(self) -> list[int]:
        """The process and all below it."""
        found = [self._process.pid]
        for pid in found:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                with contextlib.suppress(OSError):
                    found += map(int, children.read_text().split())
        return found

    def kill(self, chance: random.Random) -> None:
        """SIGKILL one process of the group."""
        process, *_ = pids = self.pids()
        victim = chance.choice(pids)
        if victim == process:  # whose end alone is seen by the watcher
            self._killed = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def restart(self, extra: Mapping[str, str]) -> None:
        """End it as its supervisor does, and start it with more in its environment; returns when
        it has been started."""
        self._extra, self._killed, before = extra, True, self._process
        before.terminate()
        until = time.monotonic() + STOP_SECONDS
        while self._process is before:
            time.sleep(RESTART_SECONDS / 10)
            if time.monotonic() > until:
                self._signal(signal.SIGKILL)

    def stop(self) -> bool:
        """End it for good; whether it ended by itself when asked."""
        self._stopping = True
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        finally:
            self._signal(signal.SIGKILL)
            self._watcher.join(STOP_SECONDS)
        return True

    def _started(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            log.write(f"--- {time.strftime('%H:%M:%S', time.gmtime())} start\n".encode())
            log.flush()
            return subprocess.Popen(
                self._command,
                env={**self._environment, **self._extra},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _watch(self) -> None:
        while True:
            code = self._process.wait()
            self._signal(signal.SIGKILL)  # what it has left behind, as a supervisor does
            if self._stopping:
                return
            if not self._killed:
                self.unasked.append(code)
            time.sleep(RESTART_SECONDS)
            if self._stopping:
                return
            self._killed = False
            self._process = self._started()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)
