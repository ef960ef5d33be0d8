"""A desk whose encoder needs no model, and a worker process that works on it.

python encoding_desk.py HOME SECONDS_PER_TICKET
"""

import hashlib
import sys
import time
from pathlib import Path

from ticketing.settings import load_settings
from ticketing.stores.protocol import CodeRow
from ticketing.stores.sqlite import SQLiteStore
from worker.app import make_app
from worker.run import run_worker

BUNDLE = "bundle"
POISON = "poison"


class FakeDesk:
    """Codes are the digest of a ticket's id; a ticket of product `POISON` cannot be encoded."""

    def __init__(self, home: Path, seconds: float = 0.0):
        self.settings = load_settings(home=home)
        self.store = SQLiteStore(home)
        self.seconds = seconds
        self.encoded: list[str] = []

    def encode(self, bundle_id, tickets):
        time.sleep(self.seconds * len(tickets))
        for ticket in tickets:
            if ticket.product == POISON:
                raise ValueError("no such word")
        self.encoded += [ticket.id for ticket in tickets]
        return [CodeRow(t.id, t.version, code_of(t)) for t in tickets]

    def newest_bundle(self):
        return BUNDLE

    def promote(self, bundle_id):
        self.store.set_serving(bundle_id)
        return f"Bundle {bundle_id} serves now."

    def close(self):
        self.store.close()


def code_of(ticket) -> bytes:
    return hashlib.sha256(ticket.id.encode()).digest()


if __name__ == "__main__":
    desk = FakeDesk(Path(sys.argv[1]), float(sys.argv[2]))
    sys.exit(run_worker(make_app(desk.settings), desk))
