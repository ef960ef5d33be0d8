"""Identifies the person of a request, by the session in the browser's cookie or by a program's
token.

The signed cookie holds a random session id and the forms' token. The session itself is in the
store, where it can be ended.
"""

from flask import Flask, request, session
from flask.sessions import SecureCookieSessionInterface

from ticketing.history import Deed
from ticketing.people import LOCAL, Account, Person
from web.context import audit, client_address, current_person, sent_token, served_desk
from web.security import is_open

KEY = "id"
"""Key of the session's id in the cookie."""


class CookieInterface(SecureCookieSessionInterface):
    """The cookie is sent only over https, and only to this host, if the page itself is."""

    def get_cookie_secure(self, app: Flask) -> bool:
        """Whether the browser may send the cookie over https only."""
        return request.is_secure

    def get_cookie_name(self, app: Flask) -> str:
        """A cookie name with the prefix `__Host-` if possible, which browsers accept only from this
        host over https."""
        return "__Host-session" if request.is_secure else "session"


def start_session(account: Account) -> None:
    """Sign a person in with this browser; former content of the cookie is removed, including the
    forms' token."""
    _drop_session()
    session.permanent = True
    session[KEY] = served_desk().begin_session(client_address(), account)


def stop_session() -> None:
    """Sign the person out of this browser."""
    if KEY in session:
        audit(Deed.SIGNED_OUT, current_person().name)
    _drop_session()


def _drop_session() -> None:
    """Clear the cookie, and end its session."""
    served_desk().end_session(session.get(KEY, ""))
    session.clear()


def find_person() -> Person | None:
    """The person of the request: the token's owner, else the person signed in, else, on a desk
    without accounts for this machine only, the local person."""
    desk = served_desk()
    token = sent_token()
    if token is not None:
        return desk.person_of_token(token)
    if not desk.has_accounts():
        return LOCAL if is_open(desk.settings) else None
    return desk.person_of_session(session[KEY]) if KEY in session else None
