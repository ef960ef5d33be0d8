"""What acts for a person over HTTP: with a token, patient, and sent again where nothing came."""

import http.client
import json
import random
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from tests.soak.ledger import ANSWERED, Ledger

TIMEOUT = 20.0
"""Seconds that somebody waits for an answer."""

TRIES = 30
PAUSES = 1.0, 5.0
"""Seconds between two tries."""

AWAY = 503, 502, 504
"""What these say may be sent again."""


class Refused(Exception):
    """The desk said no, and would say so again."""


class Unanswered(Exception):
    """Nothing came that one could rely on."""


@dataclass
class Program:
    """Sends what a person wants to one web process after the other."""

    pages: list[str]
    token: str
    ledger: Ledger
    chance: random.Random
    leaving: threading.Event = field(default_factory=threading.Event)
    """Set when its person leaves, who tries what was not answered no more."""

    def send(
        self, kind: str, method: str, path: str, body: object = None, tries: int = TRIES
    ) -> Any:
        """The answer, read as JSON.

        Raises Refused for an error that stays, Unanswered after so many tries, or when leaving.
        """
        page = self.chance.randrange(len(self.pages))
        for attempt in range(tries):
            address = self.pages[(page + attempt) % len(self.pages)] + quote(path, safe="/?=&")
            began = time.monotonic()
            try:
                answer = self._once(method, address, body)
            except Unanswered as error:
                self.ledger.outcome(kind, str(error), time.monotonic() - began)
                if self.leaving.wait(self.chance.uniform(*PAUSES)):
                    break
            except Refused as error:
                self.ledger.outcome(kind, str(error).partition(" ")[0], time.monotonic() - began)
                raise
            else:
                self.ledger.outcome(kind, ANSWERED, time.monotonic() - began)
                return answer
        raise Unanswered("no answer")

    def _once(self, method: str, address: str, body: object) -> Any:
        headers, data = {"Authorization": f"Bearer {self.token}"}, None
        if body is not None:
            headers["Content-Type"], data = "application/json", json.dumps(body).encode()
        request = Request(address, data, headers, method=method)
        try:
            with urlopen(request, timeout=TIMEOUT) as answer:
                return json.loads(answer.read() or b"null")
        except HTTPError as error:
            with error:
                said = error.read().decode(errors="replace")[:160]
            if error.code in AWAY:
                raise Unanswered(str(error.code)) from None
            raise Refused(f"{error.code} {said}") from None
        except TimeoutError:
            raise Unanswered("timeout") from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            name = type(reason).__name__
            raise Unanswered("timeout" if name == "TimeoutError" else name) from None


class Crowd:
    """Threads of people until the block ends; each waits for the answer to what it has sent."""

    def __init__(self, people: list["Routine"]):
        self._people = people
        self._threads = [threading.Thread(target=p.live, daemon=True) for p in people]

    def __enter__(self) -> "Crowd":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for person in self._people:
            person.program.leaving.set()
        for thread in self._threads:
            thread.join()


class Routine:
    """Somebody who does something again and again, with a pause between."""

    def __init__(self, program: Program, pause: float):
        self.program = program
        self._pause = pause
        """Mean seconds between two deeds."""

    def live(self) -> None:
        with self.program.ledger.watching(type(self).__name__):
            while not self.program.leaving.wait(self.program.chance.expovariate(1 / self._pause)):
                with suppress(Refused, Unanswered):
                    self.act()

    def act(self) -> None:
        raise NotImplementedError
