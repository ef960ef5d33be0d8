"""Draw the pictures of the page: `make screenshots`.

Serves the demonstration base below TICKETING_HOME (built there where it is missing), opens it in a
real Chromium, asks the example question and takes two pictures of the answer.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
SIZE = {"width": 1440, "height": 900}
COLOURS = 64


@contextmanager
def demonstration() -> Iterator[str]:
    """The address of the demonstration, served by a process that ends with the block."""
    command = [sys.executable, "-m", "ticketing", "demo"]
    environment = os.environ | {"TICKETING_PORT": "0"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as served:
        try:
            addresses = (re.search(r"http://\S+", line) for line in served.stdout)
            found = next(filter(None, addresses), None)
            if found is None:
                sys.exit("The demonstration did not start; its error stands above.")
            yield found[0]
        finally:
            served.terminate()


def draw(page: Page, address: str, folder: Path) -> None:
    """Ask the example question and write the two pictures: answer.png, the ten best tickets, and
    why.png, all about the first."""
    page.goto(address)
    with page.expect_navigation():  # else the button may be that of the empty form
        page.get_by_role("link", name="Try an example").click()
    with page.expect_navigation():
        page.get_by_role("button", name="Find solutions").click()
    page.wait_for_load_state("networkidle")
    page.screenshot(path=folder / "answer.png")
    page.locator(".detail:visible").screenshot(path=folder / "why.png")
    for name in ("answer.png", "why.png"):
        shrink(folder / name)


def shrink(picture: Path) -> None:
    """Write a picture again with as many colours as a page of text needs."""
    with Image.open(picture) as drawn:
        few = drawn.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(picture, optimize=True)


def main() -> None:
    """Serve the demonstration, and draw what a reader of the documents sees of it."""
    with demonstration() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        draw(browser.new_page(viewport=SIZE, color_scheme="light"), address, IMAGES)
        browser.close()


if __name__ == "__main__":
    main()
