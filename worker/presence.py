"""Finds live workers, including those that wait for a store that is away.

With Redis they answer Celery's ping. With the filesystem broker each locks its own file, and the
system releases the lock however the process ends.
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
    """Whether a worker of the queue is alive. Raises BrokerAway."""
    return bool(live_workers(app, queue, most=1))


def live_workers(app: Celery, queue: str = QUEUE, most: int | None = None) -> set[str]:
    """Names of the queue's live workers: all of them, waiting for their answers, or at least `most`
    as soon as there are so many. Raises BrokerAway."""
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
    """Context manager: be visible as a worker of this name, `queue@place`."""
    if app.conf.worker_enable_remote_control:
        yield
        return
    path = _folder(app) / f"{name}.worker"
    unlocked = path.with_suffix(".unlocked")
    with unlocked.open("w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)  # held by this process; forked ones do not inherit it
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
        path.unlink(missing_ok=True)  # left by a killed worker
        return False
    finally:
        os.close(file)
