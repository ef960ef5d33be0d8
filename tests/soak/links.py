"""TCP links between a desk process and its servers, which can be cut."""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

CHUNK = 2**16


class Link:
    """A port that leads to a server's port; a cut link ends connections and takes no new ones."""

    def __init__(self, target: int):
        self.target = target
        self.port = 0
        self._cut = False
        self._writers: set[asyncio.StreamWriter] = set()

    async def listen(self) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Whoever is connected is reset, and whoever connects."""
        self._cut = True
        for writer in list(self._writers):
            writer.transport.abort()

    async def mend(self) -> None:
        self._cut = False

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.transport.abort()
            return
        try:
            there, onward = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:  # the server is down, so its port refuses
            writer.transport.abort()
            return
        await asyncio.gather(self._pump(reader, onward), self._pump(there, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            with suppress(OSError):
                while chunk := await reader.read(CHUNK):
                    writer.write(chunk)
                    await writer.drain()
        finally:
            self._writers.discard(writer)
            writer.close()


class Links:
    """All links, served by one thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def to(self, port: int) -> Link:
        """A new link to a port of this machine."""
        link = Link(port)
        self._do(link.listen())
        return link

    def cut(self, links: list[Link]) -> None:
        for link in links:
            self._do(link.cut())

    def mend(self, links: list[Link]) -> None:
        for link in links:
            self._do(link.mend())

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)
