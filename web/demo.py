"""`ticketing demo`: the main job from nothing to a page, on embedded parts."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime

import click
from tqdm import tqdm

from ticketing.demo.generator import DemoBase, generate
from ticketing.desk import Desk, open_desk
from ticketing.errors import InputError
from ticketing.settings import load_settings
from ticketing.tickets import Judgment
from web.cli import listening_socket, require_account, serve_desk
from worker.app import make_app
from worker.follow import encode_and_promote

NOTICE = (
    "This is a demonstration: the knowledge base, its tickets and its labels are generated. "
    "No plant, person or event in it is real."
)
JUDGED = datetime(2018, 1, 1)
GRACE_SECONDS = 10


@click.command()
def demo() -> None:
    """Build, train and serve the demonstration knowledge base; finished parts are kept."""
    settings = load_settings()
    with (
        listening_socket(settings.host, settings.port) as listener,
        closing(open_desk(settings)) as desk,
    ):
        require_account(desk)
        with worker_process():
            if not desk.store.serving():
                build(desk)
            serve_desk(desk, listener)


def build(desk: Desk) -> None:
    """Do everything that comes before serving; completed parts of an interrupted run are not
    repeated."""
    if desk.store.count_tickets() and desk.notice != NOTICE:
        raise InputError(
            f"{desk.settings.home} holds a desk's own tickets; set TICKETING_HOME to another "
            "folder for the demonstration."
        )
    fill(desk, generate())
    bundle_id = desk.train()
    encode_and_promote(desk, make_app(desk.settings), bundle_id)


def fill(desk: Desk, base: DemoBase) -> None:
    """Store the generated tickets and the judgments of their labelled pairs."""
    (desk.settings.home / "notice.txt").write_text(NOTICE + "\n")
    with tqdm(total=len(base.tickets), desc="knowledge base", unit=" tickets") as bar:
        desk.put_tickets(base.tickets)
        bar.update(len(base.tickets))
    desk.store.add_judgments(
        [
            Judgment(
                event_id=f"demo-{label.query.id}-{label.ticket_id}",
                query=label.query,
                ticket_id=label.ticket_id,
                grade=label.grade,
                judge="demonstration",
                time=JUDGED,
            )
            for label in base.labels
        ]
    )


@contextmanager
def worker_process() -> Iterator[None]:
    """Context manager: a worker process with the same settings; it ends with this process.

    It has its own process group, so that only this process passes it a Ctrl-C of the terminal.
    """
    worker = subprocess.Popen(
        [sys.executable, "-m", "ticketing", "work", "--while-fed"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        process_group=0,
    )
    try:
        yield
    finally:
        if worker.stdin:
            worker.stdin.close()
        try:
            worker.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
