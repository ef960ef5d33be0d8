"""The store frozen just after the encoding, and the terminal that asked killed: still promoted."""

import multiprocessing
import os
import subprocess
import time
import uuid
from pathlib import Path

import pytest

from tests.live.encoding_desk import BUNDLE, DigestDesk, finished, wait_until, workers
from tests.servers import SCRIPT, elasticsearch_server
from ticketing.errors import StoreAway
from ticketing.tickets import Ticket
from worker.app import make_app
from worker.follow import encode_and_promote

pytestmark = [pytest.mark.elasticsearch, pytest.mark.redis, pytest.mark.worker]

AWAY_SECONDS = 6.0


class FreezingDesk(DigestDesk):
    """Freezes the server that the file `freeze` of its home names when it first compares."""

    def compared(self, bundle_id: str) -> tuple[bool, str]:
        order = Path(self.settings.home, "freeze")
        if order.exists():
            subprocess.run([SCRIPT, "freeze", order.read_text()], check=True, timeout=60)
            order.unlink()
        return super().compared(bundle_id)


def ask_in_a_terminal(home: Path, environment: dict[str, str]) -> None:
    os.environ.update(environment)
    desk = DigestDesk(home)
    encode_and_promote(desk, make_app(desk.settings), BUNDLE)


def test_the_bundle_is_promoted_all_the_same(
    elasticsearch_program, redis_url, tmp_path, monkeypatch
):
    with elasticsearch_server() as server:
        monkeypatch.setenv("TICKETING_STORE", server.url)
        monkeypatch.setenv("TICKETING_STORE_PREFIX", f"t{uuid.uuid4().hex}")
        monkeypatch.setenv("TICKETING_STORE_TIMEOUT", "5")
        monkeypatch.setenv("TICKETING_BROKER", redis_url)
        desk = DigestDesk(tmp_path)
        desk.store.put_tickets([Ticket(f"{i:04}", f"ticket {i}") for i in range(300)])
        order = tmp_path / "freeze"
        order.write_text(str(server.folder))
        named = {name: x for name, x in os.environ.items() if name.startswith("TICKETING_")}
        terminal = multiprocessing.get_context("spawn").Process(
            target=ask_in_a_terminal, args=(tmp_path, named)
        )
        with workers(tmp_path, FreezingDesk) as start:
            start()
            terminal.start()
            wait_until(lambda: not order.exists())
            terminal.kill()
            terminal.join()
            with pytest.raises(StoreAway):
                desk.store.serving()
            time.sleep(AWAY_SECONDS)  # the store is frozen for as long
            server.do("thaw")
            [job] = wait_until(desk.store.jobs)
            assert finished(desk, job).message == f"Bundle {BUNDLE} serves now."
            assert desk.store.serving() == BUNDLE
        desk.close()
