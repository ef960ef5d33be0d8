"""Where the processor time of a search goes: `TICKETING_HOME=… python -m tests.benchmarks.parts`.

Asks the JSON API of that desk, in this process and in one thread, what the desk's own tickets ask,
and prints the milliseconds of processor that each part of a search took, those of its own parts
left out. TICKETING_STORE is honoured.
"""

import functools
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any
from unittest import mock

from threadpoolctl import threadpool_limits

from tests.benchmarks.arguments import arguments
from ticketing.desk import Desk, open_desk
from ticketing.retrieval import recommend
from ticketing.retrieval.answers import Answers
from ticketing.retrieval.encode import QueryEncoder
from ticketing.retrieval.explain import Explainer
from ticketing.retrieval.folding import Folder
from ticketing.retrieval.reasons import Reasons
from ticketing.settings import load_settings
from web.app import create_app

SEARCHES = 200
WARM_UP = 20


class Stopwatch:
    """Seconds by part, each without those of parts within it: of this thread's processor time, or
    by another clock."""

    def __init__(self, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self.seconds: Counter[str] = Counter()
        self._within = [0.0]

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """What the block takes belongs to a part."""
        self._within.append(0.0)
        began = self._clock()
        try:
            yield
        finally:
            taken = self._clock() - began
            self.seconds[name] += taken - self._within.pop()
            self._within[-1] += taken

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, whose time belongs to a part."""

        @functools.wraps(function)
        def timed(*arguments: Any, **named: Any) -> Any:
            with self.part(name):
                return function(*arguments, **named)

        return timed


def parts(desk: Desk) -> list[tuple[str, Any, str]]:
    """The parts of a search: a name, and the function that does it with its owner."""
    store = type(desk.store)
    return [
        ("encode the query", QueryEncoder, "__call__"),
        ("find candidates", store, "candidates"),
        ("scan codes", recommend, "scan_distances"),
        ("read tickets", store, "read_tickets"),
        ("fold near-copies", Folder, "fold"),
        ("reasons", Reasons, "reasons"),
        ("answers", Answers, "answers"),
        ("topics and parts", Explainer, "explain"),
        ("usual distances", recommend, "typical_parts"),
        ("remember the query", store, "put_query"),
        ("else of the ranking", recommend.Recommender, "recommend"),
    ]


def main() -> None:
    """Print a line a part, the largest first."""
    count = arguments(__doc__, queries=SEARCHES).queries
    threadpool_limits(1)  # as where the desk is served
    with closing(open_desk(load_settings())) as desk:
        total = desk.store.count_tickets()
        tickets = [t for t in desk.store.iter_tickets() if t.subject][:: max(total // count, 1)]
        bodies = [{"subject": t.subject, "description": t.description} for t in tickets]
        client = create_app(desk).test_client()
        for body in bodies[:WARM_UP]:
            client.post("/api/recommend", json=body)
        watch = Stopwatch()
        with watched(watch, parts(desk)):
            for body in bodies:
                with watch.part("http and JSON"):
                    assert client.post("/api/recommend", json=body).status_code == 200
    for name, seconds in watch.seconds.most_common():
        print(f"{1000 * seconds / len(bodies):6.2f} ms  {name}")
    print(f"{1000 * watch.seconds.total() / len(bodies):6.2f} ms  a search of {len(bodies)}")


@contextmanager
def watched(watch: Stopwatch, parts: Sequence[tuple[str, Any, str]]) -> Iterator[None]:
    """The parts, named as `parts` has them, are timed in the block."""
    patches = [
        mock.patch.object(owner, name, watch.timed(part, getattr(owner, name)))
        for part, owner, name in parts
    ]
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in patches:
            patch.stop()


if __name__ == "__main__":
    main()
