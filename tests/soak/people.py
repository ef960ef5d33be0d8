"""Fifty people: most ask and judge, some bring tickets in and take them out."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from tests.soak.ledger import Judged, Ledger
from tests.soak.programs import TRIES, Program, Refused, Routine, Unanswered
from ticketing.tickets import Query, Ticket

IMPORTED = "soak-"
"""Begins the ids of tickets that people bring in."""

GRADES = "YES", "REL", "NO"
ASK_PAUSE = 30.0
IMPORT_PAUSE = 30.0
"""Mean seconds between two deeds of somebody."""


class Asker(Routine):
    """Asks, looks again at what was answered, and judges some of it."""

    def __init__(
        self, name: str, program: Program, queries: Sequence[Query], pause: float = ASK_PAUSE
    ):
        super().__init__(program, pause)
        self._name, self._queries = name, queries
        self._judged = 0

    def act(self) -> None:
        chance = self.program.chance
        query = chance.choice(self._queries)
        asked = {"subject": query.subject, "description": query.description}
        answer = self.program.send("ask", "POST", "/api/recommend", asked)
        look_at(answer, self.program.ledger)
        query_id = answer["query"]["id"]
        if chance.random() < 0.2:
            again = self.program.send("look again", "GET", f"/api/queries/{query_id}")
            look_at(again, self.program.ledger)
        for item in answer["items"]:
            if chance.random() < 0.15 and not item["ticket"]["id"].startswith(IMPORTED):
                self._judge(query_id, item)

    def _judge(self, query_id: str, item: dict[str, Any]) -> None:
        self._judged += 1
        event_id = f"{self._name}-{self._judged}"
        judged = Judged(
            query_id, item["ticket"]["id"], self.program.chance.choice(GRADES), self._name
        )
        body = {"query_id": query_id, "ticket_id": judged.ticket_id, "grade": judged.grade}
        body |= {"event_id": event_id, "rank": item["rank"]}
        self.program.ledger.judging(event_id, judged)
        self.program.send("judge", "POST", "/api/judgments", body)
        self.program.ledger.judged(event_id)


def look_at(answer: dict[str, Any], ledger: Ledger) -> None:
    """Note what no answer may be: without tickets, with one twice, or without a bundle."""
    ids = [item["ticket"]["id"] for item in answer["items"]]
    if not ids or len(set(ids)) < len(ids) or not answer["bundle_id"]:
        ledger.doubt(f"the answer to {answer['query']['id']} has {ids} of {answer['bundle_id']!r}")


class Importer(Routine):
    """Puts tickets, changes them and deletes them, each its own."""

    def __init__(self, name: str, program: Program, examples: Sequence[Ticket]):
        super().__init__(program, IMPORT_PAUSE)
        self._name, self._examples = name, examples
        self._mine: list[str] = []
        self._made = 0

    def act(self) -> None:
        chance = self.program.chance
        if self._mine and chance.random() < 0.2:
            self._delete(self._mine.pop(chance.randrange(len(self._mine))))
        elif self._mine and chance.random() < 0.4:
            self._put(chance.choice(self._mine))
        else:
            self._made += 1
            self._mine.append(f"{IMPORTED}{self._name}-{self._made}")
            self._put(self._mine[-1])

    def _put(self, ticket_id: str) -> None:
        example = self.program.chance.choice(self._examples)
        ticket = replace(
            example, id=ticket_id, description=f"{example.description} {datetime.now():%H:%M:%S.%f}"
        )
        body = {**asdict(ticket), "created": ticket.created and ticket.created.isoformat()}
        del body["id"], body["groups"]
        self._change("put", "PUT", ticket_id, body, ticket)

    def _delete(self, ticket_id: str) -> None:
        try:
            self._change("delete", "DELETE", ticket_id, None, None)
        except Refused as error:
            if not str(error).startswith("404"):
                raise
            # an earlier try has deleted it, unseen
            self.program.ledger.changed(ticket_id, None)

    def _change(
        self, kind: str, method: str, ticket_id: str, body: object, wanted: Ticket | None
    ) -> None:
        ledger = self.program.ledger
        path = f"/api/tickets/{ticket_id}"
        for _ in range(TRIES):
            if self.program.leaving.is_set():
                return
            try:
                self.program.send(kind, method, path, body, tries=1)
            except Unanswered:
                ledger.attempt(ticket_id, wanted)
            else:
                ledger.changed(ticket_id, wanted)
                return
