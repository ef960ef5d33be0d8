"""The main job on real tickets, command by command, with a real worker: import to export."""

import gzip
import json
import subprocess
import sys
from datetime import datetime
from itertools import islice

import pytest

from ticketing.desk import open_desk
from ticketing.settings import load_settings
from ticketing.tickets import Grade, Query

pytestmark = [pytest.mark.corpus, pytest.mark.worker]

TICKETS = 400
SMALL = (
    "network.hidden=8",
    "network.word_dims=24",
    "network.character_dims=8",
    "network.topics=8",
    "training.epochs=1",
    "training.topic_epochs=1",
    "training.batch_size=64",
)
GRADES = ("Duplicate=YES", "Relates=REL", "Depends=REL", "Blocks=REL", "Includes=REL")


@pytest.fixture(scope="module")
def archive(shared, tmp_path_factory):
    """The archive's first tickets, as a file of their own, and the links among them."""
    folder = tmp_path_factory.mktemp("archive")
    source = shared / "data" / "titanium"
    with gzip.open(source / "tickets.jsonl.gz", "rt", encoding="utf-8") as lines:
        first = list(islice(lines, TICKETS))
    (folder / "tickets.jsonl").write_text("".join(first), encoding="utf-8")
    ids = {json.loads(line)["id"] for line in first}
    header, *links = (source / "links.tsv").read_text(encoding="utf-8").splitlines()
    kept = [link for link in links if set(link.split("\t")[:2]) <= ids]
    (folder / "links.tsv").write_text("\n".join([header, *kept]) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def ticketing(home):
    """Runs a command in a process of its own and returns what it printed."""

    def run(*arguments):
        result = subprocess.run(
            [sys.executable, "-m", "ticketing", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=300,
            env={"TICKETING_HOME": str(home), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"},
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


@pytest.fixture(scope="module")
def worker(home):
    command = [sys.executable, "-m", "ticketing", "work"]
    environment = {"TICKETING_HOME": str(home), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as process:
        yield process
        process.terminate()


def test_main_job(archive, home, ticketing, worker, tmp_path):
    """Import, label, train, reindex, recommend, judge and export a real archive."""
    tickets = archive / "tickets.jsonl"
    assert f"{TICKETS} tickets would be stored" in ticketing("import", tickets, "--dry-run")
    assert f"{TICKETS} tickets added" in ticketing("import", tickets)
    assert f"0 tickets added, 0 changed, {TICKETS} unchanged" in ticketing("import", tickets)
    options = [option for grade in GRADES for option in ("--grade", grade)]
    columns = ("--query", "newer", "--ticket", "older", "--grade-column", "type")
    ticketing("labels", "import", archive / "links.tsv", *columns, *options)
    settings = [option for setting in SMALL for option in ("--set", setting)]
    trained = ticketing("train", *settings)
    bundle = trained.split()[1].rstrip(":")
    assert f"{bundle} serves now" in trained
    assert f"{bundle} serves already" in ticketing("reindex")

    desk = open_desk(load_settings(home=home))
    assert desk.store.count_codes(bundle) == TICKETS
    some = next(ticket for ticket in desk.store.iter_tickets() if ticket.description)
    assert some.subject in ticketing("recommend", some.subject, some.description).splitlines()[1]

    asked = Query(some.subject, some.description)
    first = desk.recommend(asked).items[0]
    assert first.ticket.id == some.id
    assert sum(part.distance for part in first.parts) == pytest.approx(first.distance, abs=1e-4)
    desk.judge(asked.id, some.id, Grade.YES, "tester", rank=1, score=first.score)
    folder = tmp_path / "out"
    ticketing("labels", "export", folder)
    assert f"{asked.id} 0 {some.id} 2" in (folder / "qrels.txt").read_text().splitlines()
    events = (folder / "judgments.jsonl").read_text().splitlines()
    assert datetime.fromisoformat(json.loads(events[-1])["time"])
    desk.close()
