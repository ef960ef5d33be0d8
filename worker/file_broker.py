"""kombu's filesystem transport with whole messages only.

The original writes a message under its final name, where a worker may read half of
it, and takes one by moving it to the system's temporary folder, which may be another
file system, where moving is copying. Here both are one rename within one folder.
"""

import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

from worker.discarding import UNREADABLE, discarded, require_message


class Channel(filesystem.Channel):
    """Messages are files `<time>_<random>.<queue>.msg` in one folder, oldest first."""

    def _put(  # type: ignore[override]  # kombu's two classes differ in the name of the payload
        self, queue: str, payload: dict[str, Any], **options: Any
    ) -> None:
        name = f"{time.time_ns():020}_{uuid.uuid4().hex}"
        unfinished = Path(self.data_folder_out, f"{name}.unfinished")
        unfinished.write_text(dumps(payload))
        unfinished.rename(unfinished.with_name(f"{name}.{queue}.msg"))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for path in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
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

    def _queue_bind(self, *binding: Any) -> None:
        """Nothing to write down: a message goes to the queue that its routing key names."""


class Transport(filesystem.Transport):
    """The transport that `worker.app` uses unless a Redis server is named."""

    Channel = Channel
