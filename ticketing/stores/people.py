"""What every store does with people: who may sign in, who did, and which programs act for whom.

Of passwords, sessions and tokens only hashes come here. All methods may raise StoreAway (try again
later) or StoreError.
"""

from datetime import datetime
from typing import Protocol

from ticketing.people import Account, ApiToken, Session


class Accounts(Protocol):
    """Who may sign in."""

    def put_account(self, account: Account) -> None:
        """Add an account, or replace that of the same name. Raises InputError for an empty name
        and for half a surrogate pair."""

    def get_account(self, name: str) -> Account | None:
        """The account of a name, letter by letter."""

    def has_accounts(self) -> bool:
        """Whether there is any account."""

    def accounts(self) -> list[Account]:
        """All accounts, by name."""


class Sessions(Protocol):
    """Who is signed in, and since when."""

    def add_session(self, session: Session) -> None:
        """Keep a new session."""

    def get_session(self, key: str) -> Session | None:
        """The session of a key, unless it was ended."""

    def touch_session(self, key: str, at: datetime) -> None:
        """Say that a session was used; one that was ended stays ended."""

    def end_session(self, key: str) -> None:
        """End a session, if there is one."""

    def end_sessions(self, name: str) -> int:
        """End all sessions of an account; how many there were."""

    def drop_sessions(self, seen_before: datetime, created_before: datetime) -> int:
        """End all sessions that were last used, or begun, before a time; how many there were."""


class ApiTokens(Protocol):
    """Which programs may act for whom."""

    def add_token(self, token: ApiToken) -> None:
        """Keep a new token. Raises InputError for half a surrogate pair in its label."""

    def get_token(self, token_id: str) -> ApiToken | None:
        """The token of an id, unless it was revoked."""

    def tokens(self, owner: str = "") -> list[ApiToken]:
        """All tokens, of one account where given, the oldest first."""

    def revoke_token(self, token_id: str) -> bool:
        """Delete a token; whether there was one."""


class PeopleStore(Accounts, Sessions, ApiTokens, Protocol):
    """All that a store knows of people."""
