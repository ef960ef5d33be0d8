"""`ticketing backup` and `ticketing restore`, killed at random moments: nothing half is left."""

import random
import signal
import time
from contextlib import closing

import numpy as np
import pytest

from tests.live.commands import start
from ticketing.desk import open_desk
from ticketing.desk.backup import verified
from ticketing.errors import StoreError
from ticketing.settings import load_settings
from ticketing.stores.blocks import CodeRow
from ticketing.tickets import Ticket

pytestmark = pytest.mark.slow

TICKETS = [Ticket(f"{i:05}", f"ticket {i} " + "word " * 200) for i in range(4000)]
KILLED = 4


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home that takes a second or so to pack."""
    home = tmp_path_factory.mktemp("killed") / "home"
    chance = np.random.default_rng(1)
    with closing(open_desk(load_settings(home=home))) as desk:
        desk.store.put_tickets(TICKETS)
        for begin in range(0, len(TICKETS), 500):
            rows = [
                CodeRow(t.id, t.version, chance.bytes(3000)) for t in TICKETS[begin : begin + 500]
            ]
            desk.store.put_codes("b", rows)
    return home


def done(home, *arguments):
    """Seconds that a command took which is left alone."""
    began = time.monotonic()
    process = start(home, *arguments)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return time.monotonic() - began


def killed(home, chance, seconds, *arguments):
    """A command, killed somewhere between its beginning and its end; whether it was in time."""
    process = start(home, *arguments)
    time.sleep(chance.uniform(0.3, 0.95) * seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    return process.returncode == -signal.SIGKILL


def ids(home):
    with closing(open_desk(load_settings(home=home))) as desk:
        return [ticket.id for ticket in desk.store.iter_tickets()]


def unseen(what, total, unit=""):
    return lambda count: None


def test_a_killed_backup_leaves_the_older_one_whole(home, tmp_path):
    file, chance, times = tmp_path / "desk.backup", random.Random(1), 0
    seconds = min(done(home, "backup", str(file)) for _ in range(2))
    for _ in range(KILLED):
        times += killed(home, chance, seconds, "backup", str(file))
        assert verified(file, unseen).files
    done(home, "backup", str(file))
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert times, "none was killed in time"
    print(f"{times} backups killed within {seconds:.1f} s, and the file was whole each time")


def test_a_killed_restore_leaves_the_old_desk_or_says_so_and_is_finished_by_the_next(
    home, tmp_path
):
    file, chance, said = tmp_path / "desk.backup", random.Random(2), 0
    times = 0
    done(home, "backup", str(file))
    fresh = tmp_path / "fresh"
    seconds = done(fresh, "restore", str(file))
    seconds = min(seconds, done(tmp_path / "again", "restore", str(file)))
    new = ids(fresh)
    assert new == [ticket.id for ticket in TICKETS]
    other = tmp_path / "other"
    for _ in range(KILLED):
        with closing(open_desk(load_settings(home=other))) as desk:
            old = [ticket.id for ticket in desk.store.iter_tickets()]
        times += killed(other, chance, seconds, "restore", str(file), "--replace")
        try:
            assert ids(other) in (old, new)
        except StoreError as error:
            assert "was interrupted" in str(error)
            said += 1
            done(other, "restore", str(file))
            assert ids(other) == new
    done(other, "restore", str(file), "--replace")
    assert ids(other) == new
    assert times, "none was killed in time"
    print(f"{times} restores killed within {seconds:.1f} s, {said} of them as they moved in")
