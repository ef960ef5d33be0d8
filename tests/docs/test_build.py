"""The documents build without a warning, and ask for nothing from elsewhere."""

import os
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from tests.docs.pages import ROOT

PLOTS = {"results/archive.html": 1, "results/labels.html": 2, "results/cost.html": 2}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", ROOT / "mkdocs.yml"]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONSAFEPATH": "1"}
    built = subprocess.run(
        [*command, "-d", folder], env=environment, capture_output=True, text=True, timeout=300
    )
    assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.slow
def test_the_reference_is_generated(site):
    assert "ticketing models rollback" in (site / "reference" / "commands.html").read_text()
    assert "TICKETING_HOME" in (site / "reference" / "settings.html").read_text()
    assert "/api/judgments" in (site / "reference" / "api.html").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("page", "count"), PLOTS.items())
def test_plots_are_drawn(site, page, count):
    assert (site / page).read_text().count('<svg role="img"') == count


@pytest.mark.browser
def test_a_page_asks_for_nothing_from_elsewhere(site, chromium):
    asked = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: asked.append(urlsplit(request.url).scheme))
        for name in ("index.html", "results/labels.html", "reference/commands.html"):
            page.goto((site / name).as_uri())
            page.wait_for_load_state("networkidle")
        browser.close()
    assert set(asked) <= {"file", "data", "blob"}
