"""The pictures of the documents can be drawn from the page as it is."""

import importlib.util
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

DOCS = Path(__file__).resolve().parents[2] / "docs"
MOST_BYTES = 200_000


def test_both_pictures_are_drawn(open_page, address, tmp_path):
    spec = importlib.util.spec_from_file_location("screenshots", DOCS / "screenshots.py")
    screenshots = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(screenshots)
    screenshots.draw(open_page(viewport=screenshots.SIZE), address, tmp_path)
    assert {path.name for path in tmp_path.glob("*.png")} == {"answer.png", "why.png"}


@pytest.mark.parametrize("name", ["answer.png", "why.png"])
def test_the_pictures_of_the_documents_are_small(name):
    assert (DOCS / "images" / name).stat().st_size < MOST_BYTES
