"""A real OpenID provider (npm's oidc-provider) on this machine, and the steps through its forms."""

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin

import requests

FOLDER = Path(__file__).parent / "openid"
CLIENT, SECRET = "desk", "not-so-secret"


def is_installed() -> bool:
    """Whether the provider can be started here."""
    return bool(shutil.which("node")) and (FOLDER / "node_modules" / "oidc-provider").is_dir()


@contextmanager
def openid_provider(redirect_uri: str) -> Iterator[str]:
    """Context manager: the issuer of a running provider that redirects to `redirect_uri`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        ["node", FOLDER / "provider.mjs", str(port), redirect_uri],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        while not (line := process.stdout.readline()).startswith("http"):
            assert line or process.poll() is None, "the provider does not start"
        yield line.strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def sign_in(session: requests.Session, begin: str, name: str) -> requests.Response:
    """Follow all redirects and fill in the provider's forms as a person; returns the desk's
    response."""
    answer = session.get(begin, timeout=10)
    while "/interaction/" in answer.url:
        form = re.search(r'<form[^>]*action="([^"]+)"', answer.text)
        prompt = re.search(r'name="prompt" value="(\w+)"', answer.text)
        given = {"prompt": prompt[1], "login": name, "password": "any"}
        answer = session.post(urljoin(answer.url, form[1]), given, timeout=10)
    return answer
