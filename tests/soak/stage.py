"""Everything that runs: servers, desk processes with homes of their own, links and small disks."""

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from elasticsearch import Elasticsearch
from elasticsearch.exceptions import ApiError, TransportError

from tests.servers import free_port
from tests.soak.disks import SmallDisk, may_mount
from tests.soak.links import Link, Links
from tests.soak.servers import NODES, Node, kill_cluster, redis_command, start_cluster
from tests.soak.supervised import Supervised
from ticketing.settings import Settings, load_settings

PASSWORD = "soak"
WEBS = ("web1", "web2")
WORKERS = ("worker1", "worker2")
BESIDE = 10
"""Ports after those of the nodes, for Redis and the pages."""

NODE_DISK = 400
"""Megabytes of the last node's disk."""

HOME_DISK = 64
"""Megabytes of the second worker's and the second web process's home."""


class Stage:
    """What faults are done to and people talk to."""

    def __init__(self, folder: Path, port: int, stack: ExitStack):
        self.folder, self.port = folder, port
        self.links = Links()
        self.desk_links: dict[str, dict[str, list[Link]]] = {}
        """Of each desk process its links to the store and to the broker."""
        self.disks: dict[str, SmallDisk] = {}
        self.processes: dict[str, Supervised | Node] = {}
        self._web_ports = {name: port + BESIDE + 1 + i for i, name in enumerate(WEBS)}
        if may_mount():
            self._mount("node2", folder / "node2" / "data", NODE_DISK, stack)
            for name in (WORKERS[1], WEBS[1]):
                self._mount(name, folder / "homes" / name, HOME_DISK, stack)
        self._start_servers(stack)
        stack.callback(self.stop_desk)

    @property
    def pages(self) -> list[str]:
        """Addresses of the web processes."""
        return [f"http://127.0.0.1:{port}" for port in self._web_ports.values()]

    def settings(self, name: str) -> Settings:
        """Those of a program of the harness, which no fault reaches."""
        return load_settings(
            home=self.folder / "homes" / name,
            store=",".join(f"http://127.0.0.1:{self.port + i}" for i in range(NODES)),
            broker=f"redis://:{PASSWORD}@127.0.0.1:{self.port + BESIDE}/0",
            threads=1,
        )

    def start_desk(self) -> None:
        """The workers and the web processes."""
        for name in (*WORKERS, *WEBS):
            command = "serve" if name in WEBS else "work"
            self.processes[name] = Supervised(
                name,
                [sys.executable, "-m", "ticketing", command],
                self._environment(name),
                self.folder / f"{name}.log",
            )

    def stop_desk(self) -> list[str]:
        """Names of those that did not end when they were asked to."""
        stubborn = []
        for name in (*WEBS, *WORKERS):
            if name in self.processes and not self.processes.pop(name).stop():
                stubborn.append(name)
        return stubborn

    def cluster_is_whole(self) -> bool:
        """All nodes are in and every copy of every shard is there."""
        for number in range(NODES):
            address = f"http://127.0.0.1:{self.port + number}"
            with (
                Elasticsearch(address, request_timeout=3, max_retries=0) as client,
                contextlib.suppress(ApiError, TransportError),
            ):
                health = client.cluster.health()
                return health["number_of_nodes"] == NODES and health["status"] == "green"
        return False

    def retry_shards(self) -> None:
        """As the admin of a cluster does once a full disk has room again: what could not be put
        on it five times is tried once more."""
        addresses = [f"http://127.0.0.1:{self.port + i}" for i in range(NODES)]
        with (
            Elasticsearch(addresses, request_timeout=10) as client,
            contextlib.suppress(ApiError, TransportError),
        ):
            client.cluster.reroute(retry_failed=True, metric="none")

    def of_themselves(self) -> dict[str, dict[str, int]]:
        """What each desk process did that nobody asked of it: how often it ended, and how many
        tracebacks it has written to its log."""
        logs = {
            name: (self.folder / f"{name}.log").read_text(errors="replace")
            for name in (*WORKERS, *WEBS)
        }
        return {
            name: {
                "ended": len(self.processes[name].unasked),
                "tracebacks": log.count("Traceback ("),
            }
            for name, log in logs.items()
        }

    def pages_answer(self) -> bool:
        """Every web process is alive and reaches the store."""
        return all(map(_is_well, self.pages))

    def _mount(self, name: str, folder: Path, megabytes: int, stack: ExitStack) -> None:
        self.disks[name] = SmallDisk(folder, megabytes)
        stack.callback(self.disks[name].unmount)

    def _start_servers(self, stack: ExitStack) -> None:
        stack.callback(kill_cluster, self.folder)
        start_cluster(self.folder, self.port)
        for number in range(NODES):
            node = Node(self.folder, number)
            self.processes[node.name] = node
            stack.callback(node.stop)
        command = redis_command(self.folder / "redis", self.port + BESIDE, PASSWORD)
        redis = Supervised("redis", command, os.environ, self.folder / "redis.log")
        self.processes["redis"] = redis
        stack.callback(redis.stop)

    def _environment(self, name: str) -> dict[str, str]:
        store = [self.links.to(self.port + i) for i in range(NODES)]
        broker = self.links.to(self.port + BESIDE)
        self.desk_links[name] = {"store": store, "broker": [broker]}
        return {
            **os.environ,
            "TICKETING_HOME": str(self.folder / "homes" / name),
            "TICKETING_STORE": ",".join(f"http://127.0.0.1:{link.port}" for link in store),
            "TICKETING_BROKER": f"redis://:{PASSWORD}@127.0.0.1:{broker.port}/0",
            "TICKETING_PORT": str(self._web_ports.get(name, 0)),
            "TICKETING_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }


def wait_until(condition: Callable[[], object], seconds: float, every: float = 1.0) -> float | None:
    """Seconds until it held, or None if it did not in time."""
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        if condition():
            return time.monotonic() - began
        time.sleep(every)
    return None


def _is_well(page: str) -> bool:
    try:
        with urlopen(f"{page}/readyz", timeout=5) as answer:
            return answer.status == 200
    except (URLError, OSError):
        return False


@contextmanager
def stage() -> Iterator[Stage]:
    """The servers, gone with all that they hold at the end of the block; their logs stay."""
    folder = Path(tempfile.mkdtemp(prefix="ticketing-soak-", dir="/var/tmp"))
    folder.chmod(0o755)  # Elasticsearch runs as a user of its own
    with free_port(NODES) as port, ExitStack() as stack:
        yield Stage(folder, port, stack)
    for data in folder.glob("*/"):
        if not data.name.startswith("node"):
            shutil.rmtree(data)
    for data in folder.glob("node*/data"):
        shutil.rmtree(data)
