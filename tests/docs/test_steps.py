"""The commands of the pages are run, step by step, and print what the pages say."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, Step, steps
from tests.servers import free_port
from ticketing.tickets import Query

pytestmark = pytest.mark.slow

WITH_STEPS = [page for page in PAGES if steps(page)]
END = "::step::"
QUERY = Query("Turning gear does not rotate the shaft")
"""What the tutorial asks through the API."""


@pytest.mark.parametrize("page", WITH_STEPS, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_steps_of_a_page_do_what_it_says(page, tmp_path):
    if page.name == "index.md":
        for path in page.parent.glob("*.csv"):
            shutil.copy(path, tmp_path)
    wanted = steps(page)
    for step, printed in zip(wanted, run(wanted, tmp_path), strict=True):
        pattern = (
            re.escape(step.printed.strip()).replace("…", "(.|\n)*").replace("QUERYID", QUERY.id)
        )
        assert re.fullmatch(pattern, printed.strip()), f"$ {step.command}\n{printed}"


def run(wanted: list[Step], folder: Path) -> list[str]:
    """Run commands one after the other in one shell; returns what each printed.

    Anything that fails ends the shell; the page's port becomes a free one.
    """
    with free_port() as port:
        return run_at(port, wanted, folder)


def run_at(port: int, wanted: list[Step], folder: Path) -> list[str]:
    """See `run`."""
    bin_folder = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "TICKETING_HOME": str(folder / "home"),
        "TICKETING_PORT": str(port),
    }
    script = "set -e\n" + "".join(f"{_line(step)}\necho '{END}'\n" for step in wanted)
    script = script.replace("127.0.0.1:8000", f"127.0.0.1:{port}").replace("QUERYID", QUERY.id)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout.split(END)[:-1]


def _line(step: Step) -> str:
    """A command; one in the background writes to a file, and ends with the shell."""
    if step.command.endswith("&"):
        return (
            f"{step.command[:-1]} > background.log 2>&1 &\ntrap 'kill $! 2>/dev/null || true' EXIT"
        )
    return step.command
