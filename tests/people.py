"""People who are signed in, without the time that passwords take."""

from collections.abc import Iterable

from flask.testing import FlaskClient

from ticketing.desk import Desk
from ticketing.people import PERMISSIONS, Account, Actor, Permission, Role
from web.app import create_app
from web.sessions import KEY

GOOD = "four words that rhyme"
"""A password that is good enough."""


def account(desk: Desk, name: str, role: Role = Role.ADMIN, groups: Iterable[str] = ()) -> Account:
    """Somebody's account, which is made where it is missing; nobody knows its password."""
    found = desk.store.get_account(name) or Account(name, "", role, frozenset(groups))
    desk.store.put_account(found)
    return found


def signed_in(
    desk: Desk, name: str, role: Role = Role.ADMIN, groups: Iterable[str] = ()
) -> FlaskClient:
    """A browser of their own in which somebody signed in."""
    client = create_app(desk).test_client()
    with client.session_transaction() as session:
        session[KEY] = desk.begin_session("127.0.0.1", account(desk, name, role, groups))
    return client


def token_of(desk: Desk, name: str, role: Role = Role.ADMIN, scopes: Iterable[str] = ()) -> str:
    """A token of somebody's, with all that their role may do unless scopes are named."""
    owner = account(desk, name, role)
    chosen = frozenset(map(Permission, scopes)) or PERMISSIONS[role]
    return desk.make_token(Actor(name, "a test"), owner.name, "a test", chosen, 1).secret
