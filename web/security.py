"""What keeps the page safe: the secret key, response headers and the guards on requests.

Pages: every form carries Flask-WTF's token. The JSON API carries no token, so that a
script needs no cookie; three things keep other sites from using it through a visitor's
browser. A request with a body must be `application/json`, or for a file
`application/octet-stream`, and DELETE is no form method, so a form of another site can send none
of them, and a script there needs a preflight that is never granted. A request that names another
origin is refused in any case. The Host header must be a name of ours, so that a name of the
attacker's that resolves to our address (DNS rebinding) doesn't pass as the same origin. An address
in numbers is nobody's to rebind.
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
"""Methods that change nothing; no body of theirs is read."""

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
    """The key below `home` that signs cookies, made on first use and readable by its owner only.

    Raises StoreError for a file that holds no whole key, InputError where none can be written.
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


def protect(app: Flask, settings: Settings) -> None:
    """Sign cookies, pin host names and send the headers."""
    app.config.update(
        SECRET_KEY=secret_key(settings.home),
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_HTTPONLY=True,
        PERMANENT_SESSION_LIFETIME=timedelta(hours=settings.session_life),
        SESSION_REFRESH_EACH_REQUEST=False,  # a late answer would bring back the cookie of before
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session, so that a page left open still works
    )
    app.before_request(partial(_guard_host, settings))
    app.after_request(_add_headers)


def demand_form_tokens(app: Flask, exempt: Iterable[Blueprint]) -> None:
    """Refuse a form without its token, but not what is sent to the `exempt`."""
    tokens = CSRFProtect(app)
    for blueprint in exempt:
        tokens.exempt(blueprint)


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def serves_others(settings: Settings) -> bool:
    """Whether more than this machine's own people can reach the page, as far as settings tell."""
    return bool(
        settings.trusted_proxy
        or not is_loopback(settings.host)
        or allowed_hosts(settings) - LOOPBACK_NAMES
    )


def is_open(settings: Settings) -> bool:
    """Whether, as long as nobody has an account, everybody is the local person."""
    return not settings.openid_issuer and not serves_others(settings)


def allowed_hosts(settings: Settings) -> set[str]:
    """The names in TICKETING_ALLOWED_HOSTS."""
    return {name.strip().lower() for name in settings.allowed_hosts.split(",")} - {""}


def _guard_host(settings: Settings) -> None:
    """Raises BadRequest for a name that is not one of the page's."""
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
    """Whether a browser says that a page of ours sent this."""
    if site := request.headers.get("Sec-Fetch-Site"):
        return site == "same-origin"
    origin = request.headers.get("Origin", "")  # over http, a browser says no more
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
