"""Accounts, sessions and API tokens in SQLite."""

import json
from datetime import datetime

from ticketing.people import Account, ApiToken, Permission, Role, Session
from ticketing.stores.checks import require_account, require_text
from ticketing.stores.people import PeopleStore
from ticketing.stores.sqlite.database import DatabasePart, Row, json_list

_ACCOUNT = "SELECT name, password_hash, role, groups, disabled, identity FROM accounts"
_SESSION = "SELECT key, name, created, seen FROM sessions"
_TOKEN = "SELECT id, key, owner, label, scopes, created, expires FROM tokens"


class SQLitePeople(DatabasePart, PeopleStore):
    """A row per account, session and token; sessions and tokens are deleted with their account."""

    def put_account(self, account: Account) -> None:
        require_account(account)
        with self.database.writing(durable=True) as connection:
            connection.execute(
                "INSERT INTO accounts (name, password_hash, role, groups, disabled, identity)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET"
                " password_hash = excluded.password_hash, role = excluded.role,"
                " groups = excluded.groups, disabled = excluded.disabled,"
                " identity = excluded.identity",
                (
                    account.name,
                    account.password_hash,
                    account.role,
                    json_list(sorted(account.groups)),
                    account.disabled,
                    account.identity,
                ),
            )

    def get_account(self, name: str) -> Account | None:
        rows = self.database.rows(f"{_ACCOUNT} WHERE name = ?", name)
        return _account(rows[0]) if rows else None

    def has_accounts(self) -> bool:
        [(found,)] = self.database.rows("SELECT EXISTS (SELECT * FROM accounts)")
        return bool(found)

    def accounts(self) -> list[Account]:
        return [_account(row) for row in self.database.rows(f"{_ACCOUNT} ORDER BY name")]

    def add_session(self, session: Session) -> None:
        self._changed(
            "INSERT INTO sessions (key, name, created, seen) VALUES (?, ?, ?, ?)",
            session.key,
            session.name,
            session.created.isoformat(),
            session.seen.isoformat(),
        )

    def get_session(self, key: str) -> Session | None:
        rows = self.database.rows(f"{_SESSION} WHERE key = ?", key)
        return _session(rows[0]) if rows else None

    def touch_session(self, key: str, at: datetime) -> None:
        self._changed("UPDATE sessions SET seen = ? WHERE key = ?", at.isoformat(), key)

    def end_session(self, key: str) -> None:
        self._changed("DELETE FROM sessions WHERE key = ?", key)

    def end_sessions(self, name: str) -> int:
        return self._changed("DELETE FROM sessions WHERE name = ?", name)

    def drop_sessions(self, seen_before: datetime, created_before: datetime) -> int:
        return self._changed(
            "DELETE FROM sessions WHERE seen < ? OR created < ?",
            seen_before.isoformat(),
            created_before.isoformat(),
        )

    def add_token(self, token: ApiToken) -> None:
        require_text((token.label,))
        self._changed(
            "INSERT INTO tokens (id, key, owner, label, scopes, created, expires)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            token.id,
            token.key,
            token.owner,
            token.label,
            json_list(sorted(token.scopes)),
            token.created.isoformat(),
            token.expires.isoformat(),
        )

    def get_token(self, token_id: str) -> ApiToken | None:
        rows = self.database.rows(f"{_TOKEN} WHERE id = ?", token_id)
        return _token(rows[0]) if rows else None

    def tokens(self, owner: str = "") -> list[ApiToken]:
        rows = self.database.rows(f"{_TOKEN} WHERE ? IN ('', owner) ORDER BY number", owner)
        return [_token(row) for row in rows]

    def revoke_token(self, token_id: str) -> bool:
        return self._changed("DELETE FROM tokens WHERE id = ?", token_id) > 0

    def _changed(self, statement: str, *values: object) -> int:
        """Run one writing statement; returns the number of changed rows."""
        with self.database.writing(durable=True) as connection:
            return connection.execute(statement, values).rowcount


def _account(row: Row) -> Account:
    name, password_hash, role, groups, disabled, identity = row
    groups = frozenset(json.loads(groups))
    return Account(name, password_hash, Role(role), groups, bool(disabled), identity)


def _session(row: Row) -> Session:
    key, name, created, seen = row
    return Session(key, name, datetime.fromisoformat(created), datetime.fromisoformat(seen))


def _token(row: Row) -> ApiToken:
    id, key, owner, label, scopes, created, expires = row
    return ApiToken(
        id,
        key,
        owner,
        label,
        frozenset(map(Permission, json.loads(scopes))),
        datetime.fromisoformat(created),
        datetime.fromisoformat(expires),
    )
