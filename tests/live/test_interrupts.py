"""Ctrl-C at any moment is one clean end, and nobody outlives the process that started him."""

import json
import random
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.live.commands import children_of, drained, runs, start, wait_for_main
from tests.live.encoding_desk import wait_until
from tests.tiny import put_encoded
from ticketing.desk import open_desk
from ticketing.settings import load_settings

pytestmark = [pytest.mark.slow, pytest.mark.worker]

TIMES = 12
AT_ONCE = 3


@pytest.fixture(scope="module")
def home(tmp_path_factory, trained, archive_tickets):
    """A home whose tiny bundle serves its forty tickets."""
    home = tmp_path_factory.mktemp("interrupted")
    shutil.copytree(trained[0], home / "models")
    desk = open_desk(load_settings(home=home))
    put_encoded(desk, trained[1], archive_tickets)
    desk.close()
    return home


def interrupted(home, *arguments, after, once="", **environment):
    """Exit code and both streams of a command and one Ctrl-C, so many seconds after its `main`
    has begun or after it has printed `once`."""
    process = start(home, *arguments, **environment)
    try:
        wait_for_main(process)
        first = process.stdout.readline() if once else ""
        assert once in first
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, first + output, errors.strip()


KEPT = "what was finished is kept, run it again for the rest."


def test_ctrl_c_at_any_moment_is_a_clean_end(home, tmp_path):
    chance = random.Random(15)
    moments = [chance.random() * 3 for _ in range(TIMES)]

    def press(number):
        fresh = {"PYTHONPYCACHEPREFIX": str(tmp_path / str(number))} if number % 4 == 0 else {}
        once = "Serving on" if number % 3 == 1 else ""
        return interrupted(home, "serve", after=moments[number], once=once, **fresh)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        ends = list(pool.map(press, range(TIMES)))
    assert [(code, errors) for code, _, errors in ends] == [(0, "")] * TIMES


@pytest.mark.parametrize(
    ("after", "arguments", "said"),
    [
        (1.0, ["train"], KEPT),
        (1.0, ["import", "tickets.jsonl"], KEPT),
        (1.0, ["import", "tickets.jsonl", "--dry-run"], "nothing was changed."),
        (1.0, ["reindex"], KEPT),
        (0.3, ["recommend", "a leak"], "nothing was changed."),
    ],
    ids=["train", "import", "dry run", "reindex", "recommend"],
)
def test_an_interrupted_piece_of_work_says_so_in_one_sentence(
    home, tmp_path, after, arguments, said
):
    shutil.copytree(home, tmp_path / "home")
    with open(tmp_path / "tickets.jsonl", "w") as file:
        for i in range(50_000):
            print(json.dumps({"id": f"X{i}", "subject": f"a leak at pump {i}"}), file=file)
    files = [str(tmp_path / word) if word.endswith(".jsonl") else word for word in arguments]
    code, _, errors = interrupted(tmp_path / "home", *files, after=after)
    assert code == 130
    assert errors.splitlines()[-1] == f"ticketing: Interrupted; {said}"
    assert "Traceback" not in errors
    assert "Aborted" not in errors


def test_a_worker_ends_in_one_sentence(home):
    process = start(home, "work")
    try:
        assert process.stdout.readline() == "Waiting for work (Ctrl-C ends it)\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30) == ("The worker has ended.\n", "")
        assert process.returncode == 0
    finally:
        process.kill()


def test_a_demo_that_is_killed_leaves_no_worker(home):
    process = start(home, "demo")
    drained(process.stderr)
    try:
        while "Serving on" not in process.stdout.readline():
            assert process.poll() is None
        [worker] = children_of(process.pid)
        process.kill()
        process.wait()
        wait_until(lambda: not runs(worker), seconds=10)
    finally:
        process.kill()
        process.wait()
