"""Which workers live, whatever they are doing: also one that waits for a store that is away.

Over Redis they answer a ping, as Celery's do. Beside the filesystem broker each holds a lock on
a file of its own, which the system takes from it however it ends.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from celery import Celery

from worker.connection import connected
from worker.queues import QUEUE

NO_WORKER = "No worker is at it; start one with `ticketing work`."

ANSWER_SECONDS = 1.0
"""How long a worker may take to answer a ping."""


def workers_live(app: Celery, queue: str = QUEUE) -> bool:
    """Whether a worker of the queue lives. Raises BrokerAway."""
    return bool(live_workers(app, queue, most=1))


def live_workers(app: Celery, queue: str = QUEUE, most: int | None = None) -> set[str]:
    """The names of the queue's workers that live: all, for which their time to answer is waited
    for, or as soon as there are `most`. Raises BrokerAway."""
    if app.conf.worker_enable_remote_control:
        with connected(app) as connection:
            answers = app.control.ping(
                timeout=ANSWER_SECONDS,
                connection=connection,
                pattern=f"{queue}@*",
                matcher="glob",
                limit=most,
            )
        return {name for answer in answers or [] for name in answer}
    found = (path for path in _folder(app).glob(f"{queue}@*.worker") if _is_locked(path))
    return {path.name.removesuffix(".worker") for path in islice(found, most)}


@contextmanager
def sign_of_life(app: Celery, name: str) -> Iterator[None]:
    """Be known as a worker of this name, `queue@place`, during the block."""
    if app.conf.worker_enable_remote_control:
        yield
        return
    path = _folder(app) / f"{name}.worker"
    unlocked = path.with_suffix(".unlocked")
    with unlocked.open("w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)  # of this process; none that it forks inherits it
        unlocked.rename(path)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _folder(app: Celery) -> Path:
    return Path(app.conf.broker_transport_options["data_folder_in"])


def _is_locked(path: Path) -> bool:
    try:
        file = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        path.unlink(missing_ok=True)  # of one that was killed
        return False
    finally:
        os.close(file)
