"""kombu's filesystem transport, with atomic writes and reads of messages.

The original writes a message under its final name, where a worker may read half of it. It takes a
message by moving it to the system's temporary folder, which may be on another file system, where a
move is a copy. Here both are one rename within one folder.

The original also waits a polling interval before it looks for the next message. Here the next one
is taken at once, and the folder is read again only when all messages found are taken.
"""

import threading
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads
from kombu.utils.scheduling import FairCycle

from worker.discarding import UNREADABLE, discarded, require_message

LEFT_SECONDS = 3600
"""Age after which a temporary file is abandoned; writing and taking a message are much faster."""


class Channel(filesystem.Channel):
    """Messages are files `<time>_<random>.<queue>.msg` in one folder, oldest first."""

    connection: "Transport"

    def __init__(self, *given: Any, **named: Any):
        super().__init__(*given, **named)
        self._found: dict[str, deque[Path]] = defaultdict(deque)

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        """Acknowledge a message; the next is taken at once. After a message was handed back, this
        worker waits, so that others can take it first."""
        super().basic_ack(delivery_tag, multiple)
        self.connection.may_take.set()

    def _put(  # type: ignore[override]  # kombu's two classes differ in the name of the payload
        self, queue: str, payload: dict[str, Any], **options: Any
    ) -> None:
        name = f"{time.time_ns():020}_{uuid.uuid4().hex}"
        unfinished = Path(self.data_folder_out, f"{name}.unfinished")
        try:
            unfinished.write_text(dumps(payload))
            unfinished.rename(unfinished.with_name(f"{name}.{queue}.msg"))
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for path in self._waiting(queue):
            taken = path.with_suffix(".taken")
            try:
                path.rename(taken)
            except FileNotFoundError:  # another worker was faster
                continue
            try:
                data = taken.read_bytes()
                taken.unlink()
                payload = loads(data)
                require_message(payload)
                return payload
            except (OSError, *UNREADABLE) as error:
                discarded(taken.name, error)
        raise Empty

    def _waiting(self, queue: str) -> Iterator[Path]:
        """Messages found before, then those that are in the folder now."""
        found = self._found[queue]
        while found:
            yield found.popleft()
        folder = Path(self.data_folder_in)
        _drop_left(folder)
        found.extend(sorted(folder.glob(f"*.{queue}.msg")))
        while found:
            yield found.popleft()

    def _queue_bind(self, *binding: Any) -> None:
        """Does nothing: a message goes to the queue named by its routing key."""


def _drop_left(folder: Path) -> None:
    """Delete files of processes killed while they wrote or took a message; the jobs' records hold
    what is left to do."""
    for path in [*folder.glob("*.taken"), *folder.glob("*.unfinished")]:
        with suppress(FileNotFoundError):  # still in use
            if path.stat().st_ctime < time.time() - LEFT_SECONDS:  # time of the rename
                path.unlink()


class Transport(filesystem.Transport):
    """The transport that `worker.app` uses unless a Redis server is set."""

    Channel = Channel
    cycle: FairCycle

    def __init__(self, *given: Any, **named: Any):
        super().__init__(*given, **named)
        self.may_take = threading.Event()

    def drain_events(  # type: ignore[override]  # kombu's two classes differ in what it is given
        self, connection: Any, timeout: float | None = None
    ) -> None:
        """Wait for a message and deliver it. Raises TimeoutError after `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            self.may_take.clear()
            try:
                self.cycle.get(self._deliver, timeout=timeout)
            except Empty:
                if end is not None and time.monotonic() >= end:
                    raise TimeoutError from None
                self.may_take.wait(self.polling_interval)
            else:
                return
