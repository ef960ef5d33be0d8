"""Signed-in people for tests, without the time that password hashes take."""

from collections.abc import Iterable

from flask.testing import FlaskClient

from ticketing.desk import Desk
from ticketing.people import PERMISSIONS, Account, Actor, Permission, Role
from web.app import create_app
from web.sessions import KEY

GOOD = "four words that rhyme"
"""A password that is strong enough."""


def account(desk: Desk, name: str, role: Role = Role.ADMIN, groups: Iterable[str] = ()) -> Account:
    """The account of a name, created if it is missing; its password is unknown."""
    found = desk.store.get_account(name) or Account(name, "", role, frozenset(groups))
    desk.store.put_account(found)
    return found


def signed_in(
    desk: Desk, name: str, role: Role = Role.ADMIN, groups: Iterable[str] = ()
) -> FlaskClient:
    """A test client of its own with a person signed in."""
    client = create_app(desk).test_client()
    with client.session_transaction() as session:
        session[KEY] = desk.begin_session("127.0.0.1", account(desk, name, role, groups))
    return client


def token_of(desk: Desk, name: str, role: Role = Role.ADMIN, scopes: Iterable[str] = ()) -> str:
    """A token of a person, with all scopes of their role by default."""
    owner = account(desk, name, role)
    chosen = frozenset(map(Permission, scopes)) or PERMISSIONS[role]
    return desk.make_token(Actor(name, "a test"), owner.name, "a test", chosen, 1).secret
