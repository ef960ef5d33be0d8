"""What people asked of the desk, and what it promised them."""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from ticketing.tickets import Ticket

ANSWERED = "answered"


@dataclass(frozen=True)
class Judged:
    """What a judgment said."""

    query_id: str
    ticket_id: str
    grade: str
    judge: str


@dataclass
class Fate:
    """What a ticket may be at the end: what was acknowledged last, or what was sent and never
    acknowledged, whose request may be carried out at any time. None is a ticket that is gone."""

    acknowledged: Ticket | None = None
    uncertain: list[Ticket | None] = field(default_factory=list)

    def allows(self, found: Ticket | None) -> bool:
        return found == self.acknowledged or found in self.uncertain


class Ledger:
    """Written by all people at once."""

    def __init__(self) -> None:
        self.outcomes: dict[str, Counter[str]] = defaultdict(Counter)
        """Of each kind of request, how many came to what."""
        self.seconds: dict[str, list[float]] = defaultdict(list)
        """Of each kind of request, how long the answered ones took."""
        self.judgments: dict[str, Judged] = {}
        """Sent, by event id."""
        self.acknowledged: set[str] = set()
        """Event ids of judgments."""
        self.tickets: dict[str, Fate] = defaultdict(Fate)
        """Put, changed or deleted by people."""
        self.puts = self.deletes = 0
        """Acknowledged."""
        self.jobs: set[str] = set()
        """Ids of the jobs whose start was acknowledged."""
        self.files: dict[str, list[Ticket]] = {}
        """Of each job whose start was acknowledged and that imports a file, its tickets."""
        self.inconsistent: list[str] = []
        """Answers that cannot be right."""
        self.broken_off: list[str] = []
        """Who ended by an exception that nobody expected, and by which."""
        self._lock = threading.Lock()

    def outcome(self, kind: str, came_to: str, seconds: float) -> None:
        """A request of a kind was answered, or came to an error of a kind."""
        with self._lock:
            self.outcomes[kind][came_to] += 1
            if came_to == ANSWERED:
                self.seconds[kind].append(seconds)

    def judging(self, event_id: str, judged: Judged) -> None:
        with self._lock:
            self.judgments[event_id] = judged

    def judged(self, event_id: str) -> None:
        with self._lock:
            self.acknowledged.add(event_id)

    def attempt(self, ticket_id: str, wanted: Ticket | None) -> None:
        """A request was sent that came to nothing that one can know."""
        with self._lock:
            self.tickets[ticket_id].uncertain.append(wanted)

    def changed(self, ticket_id: str, wanted: Ticket | None) -> None:
        """A put or a delete was acknowledged."""
        with self._lock:
            self.tickets[ticket_id].acknowledged = wanted
            if wanted is None:
                self.deletes += 1
            else:
                self.puts += 1

    def started(self, job_id: str, file: Sequence[Ticket] = ()) -> None:
        """A job was begun, which imports a file where one is given."""
        with self._lock:
            self.jobs.add(job_id)
            if file:
                self.files[job_id] = list(file)

    def doubt(self, sentence: str) -> None:
        with self._lock:
            self.inconsistent.append(sentence)

    @contextmanager
    def watching(self, who: str) -> Iterator[None]:
        """Note an exception of the block, which is raised on and ends the thread of who did it."""
        try:
            yield
        except Exception as error:
            with self._lock:
                self.broken_off.append(f"{who} by {error!r}")
            raise
