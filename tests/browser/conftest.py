"""A Chromium, a desk behind a real server, and pages that complain of what went wrong."""

import threading
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.fake_desk import FakeDesk
from ticketing.settings import Settings
from web.app import create_app
from web.cli import listening_socket
from web.server import Server

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 60_000
"""How long a page may take on a machine that does other things; what is right comes at once."""

expect.set_options(timeout=PATIENCE_MS)

LOADING_FAILED = "Failed to load resource"
"""What Chromium logs for any answer of 400 and more; some tests provoke one."""


@pytest.fixture(scope="module")
def browser(chromium):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def desk(tmp_path):
    return FakeDesk(Settings(home=tmp_path))


@pytest.fixture
def address(desk):
    """A running server's address."""
    listener = listening_socket("127.0.0.1", 0)
    server = Server(create_app(desk), listener)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield f"http://localhost:{listener.getsockname()[1]}"
    server.close()
    server.task_dispatcher.shutdown()
    thread.join(5)


@pytest.fixture
def open_page(browser, address):
    """Opens pages; at the end, no script has failed and nothing outside was asked for."""
    contexts, complaints = [], []

    def heard(message) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(LOADING_FAILED):
            complaints.append(message.text)

    def asked_for(request) -> None:
        if urlsplit(request.url).netloc != urlsplit(address).netloc:
            complaints.append(f"asked for {request.url}")

    def answered(response) -> None:
        if response.status >= 400 and "/static/" in response.url:
            complaints.append(f"{response.url} is missing")

    def open_(**options) -> Page:
        context = browser.new_context(base_url=address, **options)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", heard)
        page.on("request", asked_for)
        page.on("response", answered)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []
