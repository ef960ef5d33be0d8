"""Accounts, sessions and API tokens: their interface.

Passwords, session ids and tokens reach a store only as hashes. All methods may raise StoreAway (try
again later) or StoreError.
"""

from datetime import datetime
from typing import Protocol

from ticketing.people import Account, ApiToken, Session


class PeopleStore(Protocol):
    """The accounts with which people sign in, their sessions, and tokens with which programs act
    for them."""

    def put_account(self, account: Account) -> None:
        """Add an account, or replace that of the same name. Raises InputError for an empty name and
        for an unpaired surrogate."""

    def get_account(self, name: str) -> Account | None:
        """The account with exactly this name."""

    def has_accounts(self) -> bool:
        """Whether there is any account."""

    def accounts(self) -> list[Account]:
        """All accounts, by name."""

    def add_session(self, session: Session) -> None:
        """Keep a new session."""

    def get_session(self, key: str) -> Session | None:
        """The session of a key, unless it was ended."""

    def touch_session(self, key: str, at: datetime) -> None:
        """Record that a session was used; an ended session stays ended."""

    def end_session(self, key: str) -> None:
        """End a session if it exists."""

    def end_sessions(self, name: str) -> int:
        """End all sessions of an account; returns how many there were."""

    def drop_sessions(self, seen_before: datetime, created_before: datetime) -> int:
        """End all sessions last used, or begun, before a time; returns how many there were."""

    def add_token(self, token: ApiToken) -> None:
        """Keep a new token. Raises InputError for an unpaired surrogate in its label."""

    def get_token(self, token_id: str) -> ApiToken | None:
        """The token with an id, unless it was revoked."""

    def tokens(self, owner: str = "") -> list[ApiToken]:
        """All tokens, optionally of one account, oldest first."""

    def revoke_token(self, token_id: str) -> bool:
        """Delete a token; returns whether it existed."""
