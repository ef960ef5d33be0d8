"""Security of the page: the secret key, response headers, and checks of requests.

Pages: every form carries Flask-WTF's token. The JSON API has no such token, so that scripts need no
cookie. Three rules keep other sites from using it through a visitor's browser. First, a request
with a body must be `application/json`, or `application/octet-stream` for a file, and DELETE is not
a form method. So a form of another site can send none of them, and a script there needs a
preflight, which is never granted. Second, a request from another origin is always refused. Third,
the Host header must be a known name, so that an attacker's name that resolves to this address (DNS
rebinding) is not treated as the same origin. Numeric addresses cannot be rebound.
"""

import ipaddress
import os
import secrets
import tempfile
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, request
from flask_wtf import CSRFProtect
from werkzeug.exceptions import BadRequest, Forbidden, UnsupportedMediaType

from ticketing.errors import StoreError
from ticketing.files import require_writes
from ticketing.settings import Settings
from web.uploads import FILE_IS_BODY, FILE_TYPE

READING = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing; their bodies are not read."""

KEY_BYTES = 32
LOOPBACK_NAMES = {"localhost", "127.0.0.1", "::1"}
YEAR = 365 * 24 * 3600
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
    """The key below `home` that signs cookies, created at first use and readable only by its owner.

    Raises StoreError for a file without a complete key, InputError if it cannot be written.
    """
    path = home / "secret_key"
    if not path.exists():
        require_writes(home)
        _write_once(path, secrets.token_hex(KEY_BYTES))
    key = path.read_text().strip()
    if len(key) < KEY_BYTES:
        raise StoreError(f"{path} holds no secret key; delete it and start again to get a new one.")
    return key


def _write_once(path: Path, text: str) -> None:
    """Create a complete private file, unless another process was faster."""
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


def protect(app: Flask, settings: Settings) -> None:
    """Configure signed cookies, host names and response headers."""
    app.config.update(
        SECRET_KEY=secret_key(settings.home),
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_HTTPONLY=True,
        PERMANENT_SESSION_LIFETIME=timedelta(hours=settings.session_life),
        SESSION_REFRESH_EACH_REQUEST=False,  # a late response would restore the former cookie
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session, for pages left open
    )
    app.before_request(partial(_guard_host, settings))
    app.after_request(_add_headers)


def demand_form_tokens(app: Flask, exempt: Iterable[Blueprint]) -> None:
    """Refuse forms without a token, except those sent to `exempt` blueprints."""
    tokens = CSRFProtect(app)
    for blueprint in exempt:
        tokens.exempt(blueprint)


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reachable only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def serves_others(settings: Settings) -> bool:
    """Whether others than people of this machine can reach the page, according to the settings."""
    return bool(
        settings.trusted_proxy
        or not is_loopback(settings.host)
        or allowed_hosts(settings) - LOOPBACK_NAMES
    )


def is_open(settings: Settings) -> bool:
    """Whether everybody is the local person as long as there are no accounts."""
    return not settings.openid_issuer and not serves_others(settings)


def allowed_hosts(settings: Settings) -> set[str]:
    """The names in TICKETING_ALLOWED_HOSTS."""
    return {name.strip().lower() for name in settings.allowed_hosts.split(",")} - {""}


def _guard_host(settings: Settings) -> None:
    """Raises BadRequest for an unknown host name."""
    try:
        name = urlsplit(f"//{request.host}").hostname or ""
    except ValueError:
        name = ""
    allowed = allowed_hosts(settings)
    if name in LOOPBACK_NAMES | {settings.host.lower()} | allowed:
        return
    if is_loopback(settings.host) or allowed or not _is_number(name):
        raise BadRequest(
            "This page is not served under that name; an admin can add it to "
            "TICKETING_ALLOWED_HOSTS."
        )


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _add_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", f"max-age={YEAR}")
    if not response.cache_control:
        response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def from_our_page() -> bool:
    """Whether the browser says that the request comes from a page of this site."""
    if site := request.headers.get("Sec-Fetch-Site"):
        return site == "same-origin"
    origin = request.headers.get("Origin", "")  # over http there is only this header
    return urlsplit(origin).netloc == request.host


def guard_api() -> None:
    """Refuse an API request that another site could have caused.

    Raises Forbidden (403) and UnsupportedMediaType (415).
    """
    if request.method in READING:
        return
    origin = request.headers.get("Origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.host
    if foreign or request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        raise Forbidden("This request comes from another site; the API answers its own pages only.")
    what, wanted = "JSON", "application/json"
    if request.endpoint in FILE_IS_BODY:
        what, wanted = "a file", FILE_TYPE
    if request.method != "DELETE" and request.mimetype != wanted:
        raise UnsupportedMediaType(f"Send the body as {what} with Content-Type: {wanted}.")
