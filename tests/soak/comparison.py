"""What was acknowledged against what is there, once all is well again."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from urllib.request import Request, urlopen

import numpy as np

from tests.soak.ledger import ANSWERED, Judged, Ledger
from tests.soak.programs import AWAY
from ticketing.desk import Desk
from ticketing.jobs import JobState
from ticketing.retrieval.verify import ALIKE
from ticketing.tickets import Judgment, Query, Ticket

PAGE = 128
DEFECT = re.compile(r"\w+: ")
"""Begins what a job says of an error that is for no person."""

SERVER_ERROR = re.compile(r"5\d\d")
"""What an answer came to that is no answer; only those of AWAY may come while faults last."""

OfThemselves = Mapping[str, Mapping[str, int]]
"""Of each process of the desk, how often it did what nobody had asked of it."""

MOST_NAMED = 3
"""Of what is wrong so many examples are told."""


class Comparison:
    """Figures of what was compared, and sentences of what is wrong."""

    def __init__(self, desk: Desk, ledger: Ledger):
        self.figures: dict[str, int] = {}
        self.wrong: list[str] = []
        self._desk, self._ledger = desk, ledger

    def judgments(self, before: set[str]) -> None:
        """Each acknowledged one is there once, as it was sent; none that nobody sent. `before` are
        the events that were there before anybody began."""
        sent = self._ledger.judgments
        events = [e for e in self._desk.store.judgments() if e.event_id not in before]
        found = {event.event_id: _what_it_says(event) for event in events}
        times = Counter(event.event_id for event in events)
        self.figures |= {
            "judgments sent": len(sent),
            "judgments acknowledged": len(self._ledger.acknowledged),
            "judgments stored": len(events),
        }
        self._wrong("acknowledged judgments are lost", self._ledger.acknowledged - found.keys())
        self._wrong("judgments are stored twice", [id for id, n in times.items() if n > 1])
        self._wrong("judgments were never sent", found.keys() - sent.keys())
        changed = [id for id, judged in found.items() if id in sent and sent[id] != judged]
        self._wrong("judgments differ from what was sent", changed)

    def tickets(self, source: Mapping[str, Ticket]) -> None:
        """The archive is as its source says, and each ticket of people as they left it."""
        found = {ticket.id: ticket for ticket in self._desk.store.iter_tickets()}
        files = self._imported()
        whole = [ticket for file in files for ticket in file]
        fates = self._ledger.tickets
        for ticket in whole:
            fates[ticket.id].acknowledged = ticket
        self.figures |= {
            "tickets of the source": len(source),
            "puts acknowledged": self._ledger.puts,
            "deletes acknowledged": self._ledger.deletes,
            "files imported": len(files),
            "tickets stored": len(found),
            "tickets without an acknowledged end": sum(
                found.get(id) != fate.acknowledged for id, fate in fates.items()
            ),
        }
        same = [id for id, ticket in source.items() if found.get(id) != ticket]
        self._wrong("tickets differ from the source", same)
        lost = [id for id, fate in fates.items() if not fate.allows(found.get(id))]
        self._wrong("acknowledged puts or deletes are lost", lost)
        missing = [ticket.id for ticket in whole if found.get(ticket.id) != ticket]
        self._wrong("tickets of files whose import is done are lost", missing)
        self._wrong("tickets were never put", found.keys() - source.keys() - fates.keys())

    def _imported(self) -> list[list[Ticket]]:
        """The tickets of each file whose import is done."""
        jobs = ((self._desk.store.get_job(id), file) for id, file in self._ledger.files.items())
        return [file for job, file in jobs if job and job.state == JobState.DONE]

    def codes(self) -> None:
        """Every ticket has codes under the serving bundle, those of a fresh encoding."""
        bundle = self._desk.store.serving()
        rows = {row.ticket_id: row for row in self._desk.store.code_rows(bundle)}
        tickets = list(self._desk.store.iter_tickets())
        other = [
            fresh.ticket_id
            for page in _pages(tickets)
            for fresh in self._desk.encode(bundle, page)
            if (kept := rows.get(fresh.ticket_id))
            and (kept.version != fresh.version or not _alike(kept.code, fresh.code))
        ]
        self.figures["codes stored"] = len(rows)
        self._wrong("tickets have no codes", {ticket.id for ticket in tickets} - rows.keys())
        self._wrong("codes are of no ticket", rows.keys() - {ticket.id for ticket in tickets})
        self._wrong("codes differ from a fresh encoding", other)

    def jobs(self) -> None:
        """Every job that was begun is known, and all have ended."""
        jobs = {job.id: job for job in self._desk.store.jobs(limit=1000)}
        states = Counter(str(job.state) for job in jobs.values())
        self.figures |= {f"jobs {state}": number for state, number in sorted(states.items())}
        failed = [job.message for job in jobs.values() if job.state == JobState.FAILED]
        self._wrong("jobs have failed without a sentence", list(filter(DEFECT.match, failed)))
        self._wrong("jobs have not ended", [job.id for job in jobs.values() if not job.finished])
        self._wrong("jobs that were begun are lost", self._ledger.jobs - jobs.keys())

    def pages(self, addresses: Sequence[str], token: str, queries: Sequence[Query]) -> None:
        """All web processes give the same answer, that of the desk itself."""
        other = []
        for query in queries:
            here = [item.ticket.id for item in self._desk.preview(query).items]
            for address in addresses:
                there = _asked(address, token, query)
                if there != here:
                    other.append(f"{query.id} at {address} ({there} and not {here})")
        self.figures["queries asked of every page"] = len(queries)
        self._wrong("answers differ from page to page", other)

    def answers(self, kinds: Collection[str]) -> None:
        """Each of these kinds of request was answered at least once; no answer was given that
        cannot be right, or that tells of a defect; and nobody broke off."""
        came_to = self._ledger.outcomes
        answered = {kind for kind, outcomes in came_to.items() if outcomes[ANSWERED]}
        broken = {
            f"{kind} {said}"
            for kind, outcomes in came_to.items()
            for said in outcomes
            if SERVER_ERROR.fullmatch(said) and int(said) not in AWAY
        }
        self._wrong("kinds of request were never answered", set(kinds) - answered)
        self._wrong("answers cannot be right", self._ledger.inconsistent)
        self._wrong("kinds of answer tell of a defect", broken)
        self._wrong("people or programs broke off", self._ledger.broken_off)

    def faults(self, met: int, recovered: bool, of_themselves: OfThemselves) -> None:
        """At least one was met, all is well after the last one, and no process of the desk did
        what nobody had asked of it."""
        if not met:
            self.wrong.append("no fault was met")
        if not recovered:
            self.wrong.append("not all is well again")
        unasked = [
            f"{name} ({', '.join(f'{what} {times}' for what, times in said.items())})"
            for name, said in of_themselves.items()
            if any(said.values())
        ]
        self._wrong("processes of the desk ended unasked or wrote tracebacks", unasked)

    def _wrong(self, what: str, which: Sequence[str] | set[str]) -> None:
        if which:
            self.wrong.append(f"{len(which)} {what}: {', '.join(sorted(which)[:MOST_NAMED])}")


def _what_it_says(event: Judgment) -> Judged:
    grade = "" if event.grade is None else event.grade.name
    return Judged(event.query.id, event.ticket_id, grade, event.judge)


def _pages(tickets: Sequence[Ticket]) -> Iterator[Sequence[Ticket]]:
    for start in range(0, len(tickets), PAGE):
        yield tickets[start : start + PAGE]


def _alike(kept: bytes, fresh: bytes) -> bool:
    """Whether they are the same, but for roundings."""
    if len(kept) != len(fresh):
        return False
    return bool(np.mean(np.frombuffer(kept, "u1") == np.frombuffer(fresh, "u1")) >= ALIKE)


def _asked(page: str, token: str, query: Query) -> list[str]:
    body = json.dumps({"subject": query.subject, "description": query.description}).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urlopen(Request(f"{page}/api/recommend", body, headers), timeout=60) as answer:
        return [item["ticket"]["id"] for item in json.load(answer)["items"]]
