"""`ticketing restore --replace` while `ticketing serve` and `ticketing work` go on."""

import json
import random
import shutil
import signal
import threading
import time
import urllib.request
from contextlib import closing, contextmanager

import pytest

from tests.live.commands import drained, start
from tests.live.encoding_desk import wait_until
from tests.tiny import other_bundle, put_encoded
from ticketing.desk import open_desk
from ticketing.settings import load_settings
from ticketing.tickets import Query

pytestmark = [pytest.mark.slow, pytest.mark.worker]

QUERY = Query("turbine trips at start", "flame out of a burner")
KILLED = 4


@pytest.fixture
def homes(tmp_path, trained, archive_tickets):
    """A desk that serves, and the backup of another one: another bundle, other tickets but ten."""
    home, other, file = tmp_path / "home", tmp_path / "other", tmp_path / "desk.backup"
    for folder, tickets in ((home, archive_tickets[:25]), (other, archive_tickets[15:])):
        shutil.copytree(trained[0], folder / "models")
        with closing(open_desk(load_settings(home=folder))) as desk:
            bundle = other_bundle(desk, trained[1]) if folder == other else trained[1]
            put_encoded(desk, bundle, tickets)
            desk.store.put_query(QUERY)
            if folder == other:
                desk.back_up(file, lambda *_: lambda count: None)
    return home, file, archive_tickets[20].id


@contextmanager
def served(home):
    """The address of a page, beside a worker; both run until the end."""
    processes = [start(home, name) for name in ("serve", "work")]
    try:
        line = processes[0].stdout.readline()
        lines = [drained(stream) for x in processes for stream in (x.stdout, x.stderr)]
        yield line.split()[2].rstrip("/.")
        assert [process.poll() for process in processes] == [None, None], lines
        assert not [line for some in lines for line in some if "Traceback" in line]
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait(30)


def posted(address, path, **content):
    request = urllib.request.Request(
        f"{address}/api/{path}",
        json.dumps(content).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:  # raises unless 200
        return json.load(answer)


def answered(address):
    """The bundle and the tickets of an answer."""
    found = posted(address, "recommend", subject=QUERY.subject, description=QUERY.description)
    return found["bundle_id"], tuple(item["ticket"]["id"] for item in found["items"])


class Repeated(threading.Thread):
    """Something done again and again until the block ends; its results, and what it raised."""

    def __init__(self, act):
        super().__init__()
        self.act, self.results, self.error, self.ended = act, [], None, False

    def run(self):
        try:
            while not self.ended:
                self.results.append(self.act())
        except Exception as error:
            self.error = error

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.join()
        assert self.error is None, (self.error, getattr(self.error, "read", bytes)())


def restore(home, file):
    process = start(home, "restore", str(file), "--replace")
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors


def judged(home):
    with closing(open_desk(load_settings(home=home))) as desk:
        return {judgment.event_id for judgment in desk.store.judgments()}


def judging(address, ticket):
    """A function that has a judgment acknowledged and gives its event's id."""

    def judge():
        judge.count += 1
        event = f"{judge.begun}-{judge.count}"
        said = {"query_id": QUERY.id, "ticket_id": ticket, "event_id": event}
        posted(address, "judgments", grade="REL", **said)  # a YES changes answers
        return event

    judge.count, judge.begun = 0, time.monotonic_ns()
    return judge


def all_judged(home):
    kept = list(home.glob("replaced-*"))
    return set().union(*map(judged, [home, *kept])), kept


def test_a_page_answers_from_the_old_desk_then_from_the_new_one_and_loses_no_judgment(homes):
    home, file, ticket = homes
    with served(home) as address:
        old = answered(address)
        with (
            Repeated(lambda: answered(address)) as asker,
            Repeated(judging(address, ticket)) as judge,
        ):
            wait_until(lambda: len(asker.results) > 3 and len(judge.results) > 3)
            restore(home, file)
            so_far = len(asker.results), len(judge.results)
            wait_until(lambda: len(asker.results) > so_far[0] + 3)
            wait_until(lambda: len(judge.results) > so_far[1] + 3)
        new = answered(address)
        switched = asker.results.index(new)
        assert set(asker.results[:switched]) == {old}
        assert set(asker.results[switched:]) == {new}
        assert new[0] != old[0]
        assert posted(address, "judgments", query_id=QUERY.id, ticket_id=ticket, grade="NO")
    kept, asides = all_judged(home)
    assert len(asides) == 1
    assert set(judge.results) <= kept
    assert set(judge.results) & judged(asides[0])
    with closing(open_desk(load_settings(home=asides[0]))) as desk:
        assert desk.preview(QUERY).bundle_id == old[0]
    with closing(open_desk(load_settings(home=home))) as desk:
        assert [x for x in desk.findings() if "may read" not in x.what] == []
    assert not [path for path in home.iterdir() if path.name.startswith(".")]


def test_a_killed_restore_leaves_the_old_desk_or_the_new_one_and_nothing_stops(homes):
    home, file, ticket = homes
    chance = random.Random(3)
    with served(home) as address:
        old = answered(address)
        before = time.monotonic()
        restore(home, file)
        seconds = time.monotonic() - before
        new = answered(address)
        with Repeated(judging(address, ticket)) as judge:
            for _ in range(KILLED):
                process = start(home, "restore", str(file), "--replace")
                time.sleep(chance.uniform(0.6, 1.0) * seconds)
                process.kill()
                process.communicate(timeout=60)
                assert answered(address) in (old, new)
                with closing(open_desk(load_settings(home=home))) as desk:
                    damage = [x for x in desk.findings() if "may read" not in x.what]
                    assert {x.what for x in damage} <= {"no bundle has these codes"}
        restore(home, file)
        assert answered(address) == new
    assert set(judge.results) <= all_judged(home)[0]
    with closing(open_desk(load_settings(home=home))) as desk:
        assert [x for x in desk.findings() if "may read" not in x.what] == []
    assert not [path for path in home.iterdir() if path.name.startswith(".")]
