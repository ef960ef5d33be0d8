"""Which tests run: fast ones always, marked ones with `--marked` (as CI does).

Where something a marked test needs is missing, it fails in CI (`CI` is set) and is
skipped with a reason elsewhere; what was left out is said in the last lines.
"""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

# How long an example takes depends on what else the machine does; tests measure no time. The
# same examples in every run of CI; on a laptop new ones, which is where bugs are found.
hypothesis_settings.register_profile(
    "untimed",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
hypothesis_settings.load_profile("untimed")

MARKED = ("slow", "worker", "browser", "corpus")
SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_addoption(parser):
    parser.addoption("--marked", action="store_true", help=f"also run tests marked {MARKED}")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--marked"):
        return
    left_out = [item for item in items if any(item.get_closest_marker(mark) for mark in MARKED)]
    config.stash[LEFT_OUT] = len(left_out)
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


LEFT_OUT = pytest.StashKey[int]()


def pytest_terminal_summary(terminalreporter, config):
    if left_out := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(
            f"{left_out} tests marked {', '.join(MARKED)} were not run; "
            "`make test MARKED=1` runs them.",
            yellow=True,
        )


def missing(what: str):
    """Fail in CI, skip loudly elsewhere."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{what} is missing on this machine")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout."""
    if not (SHARED / "data").is_dir():
        missing(f"the folder {SHARED / 'data'}")
    return SHARED


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium that Playwright can drive."""
    return shutil.which("chromium") or missing("Chromium (apt-get install chromium)")
