"""What keeps the page safe: the secret key, response headers and the guards on requests.

Pages: every form carries Flask-WTF's token. The JSON API carries no token, so that a
script needs no cookie; three things keep other sites from using it through a visitor's
browser. A request with a body must be `application/json` and DELETE is no form method,
so a form of another site can send neither, and a script there needs a preflight that is
never granted. A request that names another origin is refused in any case. On a loopback
address the Host header must be a loopback name, so that a name of the attacker's that
resolves to 127.0.0.1 (DNS rebinding) doesn't pass as the same origin.
"""

import ipaddress
import os
import secrets
import tempfile
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask, Response, request
from flask_wtf import CSRFProtect
from werkzeug.exceptions import BadRequest, Forbidden, UnsupportedMediaType

from ticketing.errors import StoreError

KEY_BYTES = 32
LOOPBACK_NAMES = {"localhost", "127.0.0.1", "::1"}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def secret_key(home: Path) -> str:
    """The key below `home` that signs cookies, made on first use and readable by its owner only.

    Raises StoreError for a file that holds no whole key.
    """
    path = home / "secret_key"
    if not path.exists():
        _write_once(path, secrets.token_hex(KEY_BYTES))
    key = path.read_text().strip()
    if len(key) < KEY_BYTES:
        raise StoreError(f"{path} holds no secret key; delete it and start again to get a new one.")
    return key


def _write_once(path: Path, text: str) -> None:
    """Put a complete private file there, unless another process was quicker."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent)  # mode 0600
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)


def protect(app: Flask, home: Path, host: str) -> CSRFProtect:
    """Sign cookies, demand form tokens, pin loopback host names and send the headers."""
    app.config.update(
        SECRET_KEY=secret_key(home),
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_HTTPONLY=True,
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session, so that a page left open still works
    )
    if is_loopback(host):
        app.before_request(partial(_guard_host, LOOPBACK_NAMES | {host}))
    app.after_request(_add_headers)
    return CSRFProtect(app)


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _guard_host(names: set[str]) -> None:
    if urlsplit(f"//{request.host}").hostname not in names:
        raise BadRequest(
            "This page is served to this machine only, as localhost; "
            "set TICKETING_HOST=0.0.0.0 to serve it under other names."
        )


def _add_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if not response.cache_control:
        response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def guard_api() -> None:
    """Refuse an API request that another site could have caused.

    Raises Forbidden (403) and UnsupportedMediaType (415).
    """
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    origin = request.headers.get("Origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.host
    if foreign or request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        raise Forbidden("This request comes from another site; the API answers its own pages only.")
    if request.method != "DELETE" and request.mimetype != "application/json":
        raise UnsupportedMediaType("Send the body as JSON with Content-Type: application/json.")
