"""Time of results while a query is written: `python -m tests.benchmarks.as_you_type [queries]`.

Serves the desk of TICKETING_HOME as `ticketing serve` does and asks it, over HTTP, what the page
asks while the subjects of the desk's own tickets, evenly spread, are written: their first third,
their first two thirds and the whole. The 150 ms that the page waits after the last key are not
counted.
"""

import threading
import time
from collections.abc import Callable
from http.cookiejar import CookieJar
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import numpy as np
import torch

from tests.benchmarks.arguments import arguments
from tests.forms import token_in
from ticketing.desk import open_desk
from ticketing.settings import load_settings
from web.app import create_app
from web.cli import listening_socket
from web.server import Server


def main() -> None:
    """Print median and 95th percentile in milliseconds."""
    count = arguments(__doc__, queries=60).queries
    torch.set_num_threads(1)  # as `ticketing serve` does
    desk = open_desk(load_settings())
    desk.warm_up()
    subjects = [ticket.subject for ticket in desk.store.iter_tickets() if len(ticket.subject) > 11]
    chosen = subjects[:: max(len(subjects) // count, 1)][:count]
    written = [subject[: len(subject) * part // 3] for subject in chosen for part in (1, 2, 3)]
    listener = listening_socket("127.0.0.1", 0)
    server = Server(create_app(desk), listener)
    threading.Thread(target=server.run, daemon=True).start()
    look = form(f"http://127.0.0.1:{listener.getsockname()[1]}")
    look(written[0])
    taken = [look(text) for text in written]
    print(f"{desk.store.count_tickets()} tickets, {len(taken)} pieces of text")
    print(f"median {np.median(taken):.0f} ms, 95th percentile {np.quantile(taken, 0.95):.0f} ms")
    server.task_dispatcher.shutdown()
    server.close()


def form(address: str) -> Callable[[str], float]:
    """What asks for the results of a subject and returns the milliseconds it took."""
    opener = build_opener(HTTPCookieProcessor(CookieJar()))
    page = opener.open(address).read().decode()
    token = token_in(page)

    def look(subject: str) -> float:
        body = urlencode({"csrf_token": token, "subject": subject, "description": ""})
        start = time.perf_counter()
        opener.open(f"{address}/preview", body.encode()).read()
        return (time.perf_counter() - start) * 1000

    return look


if __name__ == "__main__":
    main()
