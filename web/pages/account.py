"""Signing in and out, and one's own account: password and tokens."""

import uuid

from flask import Blueprint, flash, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import generate_csrf
from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Response

from ticketing.desk.tokens import MOST_DAYS, NewToken
from ticketing.errors import Conflict, InputError
from ticketing.people import OPENS, PERMISSIONS, Account, one_form
from ticketing.plurals import counted
from web.addresses import own
from web.context import client_address, current_actor, current_person, known_person, served_desk
from web.openid import openid_is_set
from web.pages.forms import valid
from web.schemas.people import TokenIn
from web.sessions import start_session, stop_session
from web.throttle import current_throttle

account_pages = Blueprint("account", __name__)


@account_pages.get("/sign-in")
def sign_in() -> ResponseReturnValue:
    """The sign-in form; a person who is already signed in is redirected."""
    next_ = own(request.args.get("next", ""))
    return redirect(next_, 303) if known_person() else _form(next_)


@account_pages.post("/sign-in")
def sign_in_now() -> ResponseReturnValue:
    """Sign in and redirect, or show the form again; it never says whether the name exists."""
    name, next_ = request.form.get("name", ""), own(request.form.get("next", ""))
    account = _proven(name, request.form.get("password", ""))
    if account is None:
        return _form(next_, name, "Name and password do not belong together; try again."), 401
    start_session(account)
    return redirect(next_, 303)


@account_pages.post("/sign-out")
def sign_out() -> Response:
    """End this browser's session. Cached pages are cleared too, but not the browser's storage,
    which only holds whether keyboard shortcuts are on."""
    stop_session()
    answer = redirect(url_for("account.sign_in"), 303)
    answer.headers["Clear-Site-Data"] = '"cache"'
    return answer


@account_pages.get("/account")
def overview() -> Response:
    """The person's role, permissions and tokens."""
    return _page()


@account_pages.get("/account/form-token")
def form_token() -> Response:
    """The forms' token of this session; also shows, before a form is sent, whether the person is
    still signed in."""
    return jsonify(csrf_token=generate_csrf())


@account_pages.post("/account/password")
def change_password() -> Response:
    """Change the password; all other browsers are signed out, and tokens are revoked unless they
    are to be kept."""
    account = _own_account()
    _require_password(account, "That is not your present password; nothing was changed.")
    desk, new = served_desk(), request.form.get("new_password", "")
    keep = bool(request.form.get("keep_tokens"))
    ended = desk.set_password(current_actor(), account.name, new, keep_tokens=keep)
    start_session(desk.known_account(account.name))
    tokens = f", and {counted(ended, 'token')} ended" if ended else ""
    flash(f"Your password is changed; every other browser was signed out{tokens}.")
    return redirect(url_for("account.overview"), 303)


@account_pages.post("/account/tokens")
def make_token() -> Response:
    """Create a token and show it once; sending the form again creates none. People with a password
    must type it, so that a browser left open cannot be used to create lasting access."""
    given = valid(
        TokenIn,
        {
            "label": request.form.get("label", ""),
            "scopes": request.form.getlist("scopes"),
            "days": request.form.get("days", ""),
            "event_id": request.form.get("event_id", ""),
        },
    )
    account = _own_account()
    if account.password_hash:
        _require_password(account, "That is not your password; no token was made.")
    try:
        made = served_desk().make_token(
            current_actor(), account.name, given.label, given.scopes, given.days, given.event_id
        )
    except Conflict as error:
        flash(str(error), "problem")
        return redirect(url_for("account.overview"), 303)
    return _page(made)


@account_pages.post("/account/tokens/<token_id>/revoke")
def revoke_token(token_id: str) -> Response:
    """Revoke one of the person's own tokens."""
    served_desk().revoke_token(current_actor(), _own_account().name, token_id)
    return redirect(url_for("account.overview"), 303)


def _form(next_: str, name: str = "", problem: str = "") -> str:
    return render_template(
        "sign_in.html",
        next=next_,
        name=name,
        problem=problem,
        openid=openid_is_set(),
        nobody=not openid_is_set() and not served_desk().has_accounts(),
    )


def _page(made: NewToken | None = None) -> Response:
    person, desk = current_person(), served_desk()
    page = render_template(
        "account.html",
        account=desk.store.get_account(person.name),
        tokens=desk.store.tokens(person.name),
        scopes={
            scope: opens for scope, opens in OPENS.items() if scope in PERMISSIONS[person.role]
        },
        most_days=MOST_DAYS,
        made=made,
        event_id=uuid.uuid4().hex,
    )
    return Response(page, mimetype="text/html", headers={"Cache-Control": "no-store"})


def _proven(name: str, password: str) -> Account | None:
    """The account with this password. Raises TooManyRequests."""
    throttle, address, name = current_throttle(), client_address(), one_form(name)
    throttle.attempt(address, name)
    account = served_desk().sign_in(address, name, password)
    if account:
        throttle.succeeded(address, name)
    return account


def _require_password(account: Account, otherwise: str) -> None:
    """Raises InputError if the form does not have the account's password, TooManyRequests."""
    if _proven(account.name, request.form.get("password", "")) is None:
        raise InputError(otherwise)


def _own_account() -> Account:
    """The account of the person. Raises Forbidden for the local person, who has none."""
    account = served_desk().store.get_account(current_person().name)
    if account is None:
        raise Forbidden("Nobody has an account here; add one with `ticketing users add`.")
    return account
