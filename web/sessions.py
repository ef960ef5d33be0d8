"""Who asks: the session that a browser's cookie names, or the token that a program sends.

The cookie is signed and holds a random id and the forms' token; the session itself lies in the
store, where it can be ended.
"""

from flask import Flask, request, session
from flask.sessions import SecureCookieSessionInterface

from ticketing.history import Deed
from ticketing.people import LOCAL, Account, Person
from web.context import audit, client_address, current_person, sent_token, served_desk
from web.security import is_open

KEY = "id"
"""Where the cookie holds the session's id."""


class CookieInterface(SecureCookieSessionInterface):
    """The cookie goes over https alone, and to this host alone, where the page itself does."""

    def get_cookie_secure(self, app: Flask) -> bool:
        """Whether the browser may send it over https only."""
        return request.is_secure

    def get_cookie_name(self, app: Flask) -> str:
        """A name that browsers take from this very host, over https, if it can be had."""
        return "__Host-session" if request.is_secure else "session"


def start_session(account: Account) -> None:
    """Sign somebody in to this browser: what the cookie held before is gone, forms' token too."""
    _drop_session()
    session.permanent = True
    session[KEY] = served_desk().begin_session(client_address(), account)


def stop_session() -> None:
    """Sign whoever asks out of this browser."""
    if KEY in session:
        audit(Deed.SIGNED_OUT, current_person().name)
    _drop_session()


def _drop_session() -> None:
    """Forget all that the cookie held, and end the session that it named."""
    served_desk().end_session(session.get(KEY, ""))
    session.clear()


def find_person() -> Person | None:
    """Whoever asks: the token's owner, else whoever signed in, else, on a desk without accounts
    that serves its own machine only, the local person."""
    desk = served_desk()
    token = sent_token()
    if token is not None:
        return desk.person_of_token(token)
    if not desk.has_accounts():
        return LOCAL if is_open(desk.settings) else None
    return desk.person_of_session(session[KEY]) if KEY in session else None
