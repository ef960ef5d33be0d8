"""A real Redis in a folder of its own, which tests may kill, freeze and start again."""

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from redis import Redis
from redis.exceptions import RedisError

from tests.servers import port_of_its_own


class RedisServer:
    """An append-only server; `url` contains its password, if any."""

    def __init__(self, folder: Path, port: int, password: str = "", tls: bool = False):
        self.port = port
        self.folder = folder
        self.password = password
        shown = f":{quote(password, safe='')}@" if password else ""
        self.authority = _certificate(folder) if tls else None
        scheme = "rediss" if tls else "redis"
        self.url = f"{scheme}://{shown}127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        """Start it, or restart it with its data."""
        options = {"port": self.port, "bind": "127.0.0.1", "appendonly": "yes", "save": ""}
        options |= {"dir": self.folder, "appendfsync": "always", "requirepass": self.password}
        if self.authority:
            options |= {"port": 0, "tls-port": self.port, "tls-auth-clients": "no"}
            options |= {"tls-cert-file": self.authority, "tls-ca-cert-file": self.authority}
            options |= {"tls-key-file": self.authority.with_suffix(".key")}
        command = ["redis-server", *(str(x) for k, v in options.items() for x in (f"--{k}", v))]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while not self._answers():
            assert time.monotonic() < end, "Redis does not start"
            time.sleep(0.02)

    def kill(self) -> None:
        """Kill it, like a power failure."""
        self._process.kill()
        self._process.wait()

    def freeze(self) -> None:
        """Suspend it, like a hanging network: connections stay open and nothing answers."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Resume it."""
        self._process.send_signal(signal.SIGCONT)

    def client(self) -> Redis:
        """A client for inspection."""
        trusted = {"ssl_ca_certs": str(self.authority)} if self.authority else {}
        return Redis.from_url(self.url, **trusted)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return client.ping()
        except RedisError:
            return False


def _certificate(folder: Path) -> Path:
    """A certificate of 127.0.0.1 that is its own authority, with its key beside it."""
    path = folder / "redis.crt"
    key = ("-newkey", "rsa:2048", "-nodes", "-keyout", str(path.with_suffix(".key")))
    name = ("-subj", "/CN=redis", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1")
    command = ["openssl", "req", "-x509", *key, *name, "-out", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return path


@contextmanager
def redis_server(password: str = "", tls: bool = False) -> Iterator[RedisServer]:
    """Context manager: a server that is deleted with its data at the end."""
    folder = Path(tempfile.mkdtemp(prefix="ticketing-redis-"))
    server = None
    try:
        server = RedisServer(folder, port_of_its_own(), password, tls)
        yield server
    finally:
        if server:
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)
