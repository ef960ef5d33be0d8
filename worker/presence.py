"""Which workers live, whatever they are doing: also one that waits for a store that is away.

Over Redis they answer a ping, as Celery's do. Beside the filesystem broker each holds a lock on
a file of its own, which the system takes from it however it ends.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from celery import Celery

from worker.connection import connected
from worker.queues import QUEUE

ANSWER_SECONDS = 1.0
"""How long a worker may take to answer a ping."""


def workers_live(app: Celery, queue: str = QUEUE) -> bool:
    """Whether a worker of the queue lives. Raises BrokerAway."""
    if app.conf.worker_enable_remote_control:
        with connected(app) as connection:
            return bool(
                app.control.ping(
                    timeout=ANSWER_SECONDS,
                    connection=connection,
                    pattern=f"{queue}@*",
                    matcher="glob",
                    limit=1,
                )
            )
    return any(map(_is_locked, _folder(app).glob(f"{queue}@*.worker")))


def live_workers(app: Celery, queue: str = QUEUE) -> set[str]:
    """The names of all workers of the queue that live. Raises BrokerAway."""
    if app.conf.worker_enable_remote_control:
        with connected(app) as connection:
            answers = app.control.ping(
                timeout=ANSWER_SECONDS,
                connection=connection,
                pattern=f"{queue}@*",
                matcher="glob",
            )
        return {name for answer in answers or [] for name in answer}
    found = _folder(app).glob(f"{queue}@*.worker")
    return {path.name.removesuffix(".worker") for path in found if _is_locked(path)}


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
