"""Real servers for marked tests, each in a folder of its own on ports of its own."""

import random
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

SCRIPT = Path(__file__).resolve().parents[2] / "shared" / "elasticsearch" / "es"


LOCKS = Path(tempfile.gettempdir()) / "ticketing-test-ports"


@contextmanager
def free_port(count: int = 1) -> Iterator[int]:
    """Context manager: the first of `count` consecutive free ports, with those of the cluster.

    They stay reserved until the end of the block, also while their server is down, since a test
    that kills it must be able to restart it.
    """
    LOCKS.mkdir(exist_ok=True)
    for first in range(19_200, 29_000, 300):
        lock = FileLock(LOCKS / f"{first}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        try:
            ports = [first + step + i for step in (0, 100) for i in range(count)]
            if not any(map(_is_open, ports)):
                yield first
                return
        finally:
            lock.release()
    raise OSError("no free port between 19200 and 29000")


def port_of_its_own() -> int:
    """A free port below the range of ephemeral ports, which this process has probably not used
    before: its pools hold connections to such a port."""
    chance = random.SystemRandom()
    while _is_open(port := chance.randrange(29_100, 32_700)):
        pass
    return port


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class ElasticsearchServer:
    """A server, or several nodes, managed by `es`; `url` lists all nodes' addresses."""

    def __init__(self, folder: Path, port: int, *options: str, nodes: int = 1):
        self.folder = folder
        scheme = "https" if "--tls" in options else "http"
        self.url = ",".join(f"{scheme}://127.0.0.1:{port + i}" for i in range(nodes))
        self.start("--nodes", str(nodes), "--port", str(port), "--heap", "512m", *options)

    def start(self, *options: str) -> None:
        """Start it, or restart the nodes that are down."""
        self._run("start", *options)

    def do(self, action: str, *node: int) -> None:
        """`stop`, `kill`, `freeze` or `thaw` one node or all."""
        self._run(action, *map(str, node))

    def _run(self, action: str, *arguments: str) -> None:
        subprocess.run(
            [SCRIPT, action, self.folder, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=180,
        )


@contextmanager
def elasticsearch_server(*options: str, nodes: int = 1) -> Iterator[ElasticsearchServer]:
    """Context manager: a server with options of `es start`, deleted with its data at the end."""
    folder = Path(tempfile.mkdtemp(prefix="ticketing-es-", dir="/var/tmp"))
    folder.chmod(0o755)  # the server runs as a user of its own
    server = None
    with free_port(nodes) as port:
        try:
            server = ElasticsearchServer(folder, port, *options, nodes=nodes)
            yield server
        finally:
            if server:
                server.do("kill")
            shutil.rmtree(folder, ignore_errors=True)
