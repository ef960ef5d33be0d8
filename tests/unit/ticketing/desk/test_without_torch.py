"""What serves, works or lists jobs never loads torch, which costs a process two seconds and 300 MB,
nor what else is large and needed by few."""

import os
import subprocess
import sys

import pytest

SERVES = """
from ticketing.tickets import Query
from web.app import create_app
desk = open_desk(settings)
desk.warm_up()
client = create_app(desk).test_client()
answer = client.post("/api/recommend", json={"subject": "unit vibration"})
assert answer.status_code == 200 and '"rank"' in answer.text, answer.text
assert client.get("/topics").status_code == 200
"""
WORKS = """
import worker.cli.work, worker.run, worker.tasks, worker.workplace
desk = open_desk(settings)
tickets = list(desk.store.iter_tickets())[:9]
assert len(desk.encode(desk.store.serving(), tickets)) == 9
"""
LISTS = """
from click.testing import CliRunner
from worker.cli.jobs import command
assert CliRunner().invoke(command, []).exit_code == 0
"""
RUN = """
import sys
from ticketing.desk import open_desk
from ticketing.settings import load_settings
settings = load_settings()
{}
absent = "torch", "gensim", "sklearn", "matplotlib", "scipy.stats", "authlib", "requests"
heavy = [name for name in absent if name in sys.modules]
assert not heavy, heavy
"""


@pytest.mark.parametrize("part", [SERVES, WORKS, LISTS], ids=["serves", "works", "lists jobs"])
def test_it_never_loads_torch(part, desk):
    subprocess.run(
        [sys.executable, "-c", RUN.format(part)],
        env={**os.environ, "TICKETING_HOME": str(desk.settings.home)},
        check=True,
    )
