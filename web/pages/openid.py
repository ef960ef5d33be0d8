"""Sign-in with OpenID Connect: to the provider, and back."""

from flask import Blueprint, redirect, request, session, url_for
from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Response

from web.addresses import own, short_address
from web.context import client_address, served_desk
from web.openid import current_openid
from web.sessions import start_session

openid_pages = Blueprint("openid", __name__)

NEXT = "next"
"""Key in the cookie of the address to continue at."""

MOST_IN_COOKIE = 1500
"""Characters of an address that a cookie of 4 kB holds beside Authlib's state."""

STATE = "_state_openid_"
"""Prefix of the keys under which Authlib keeps its state in the cookie."""


@openid_pages.get("/sign-in/openid")
def begin() -> Response:
    """Redirect to the provider; the state of an earlier attempt is dropped, so that the cookie
    stays small."""
    for key in [key for key in session if key.startswith(STATE)]:
        del session[key]
    session[NEXT] = short_address(own(request.args.get("next", "")), MOST_IN_COOKIE)
    return current_openid().to_provider(url_for("openid.back", _external=True))


@openid_pages.get("/sign-in/openid/back")
def back() -> Response:
    """Sign in the person whom the provider has authenticated, and redirect."""
    account = served_desk().vouched_account(client_address(), current_openid().vouched())
    if account is None:
        raise Forbidden("Your account is disabled here; ask an admin.")
    next_ = session.get(NEXT, "/")
    start_session(account)
    return redirect(next_, 303)
