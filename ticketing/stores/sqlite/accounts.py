"""Who may sign in."""

import json

from ticketing.people import Account, Role
from ticketing.stores.checks import require_account
from ticketing.stores.protocols import Accounts
from ticketing.stores.sqlite.database import DatabasePart, Row, json_list

_SELECT = "SELECT name, password_hash, role, groups FROM accounts"


class SQLiteAccounts(DatabasePart, Accounts):
    """A row for each account."""

    def put_account(self, account: Account) -> None:
        """Add an account, or replace that of the same name."""
        require_account(account)
        with self.database.writing(durable=True) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO accounts (name, password_hash, role, groups)"
                " VALUES (?, ?, ?, ?)",
                (
                    account.name,
                    account.password_hash,
                    account.role,
                    json_list(sorted(account.groups)),
                ),
            )

    def get_account(self, name: str) -> Account | None:
        """The account of a name."""
        rows = self.database.rows(f"{_SELECT} WHERE name = ?", name)
        return _account(rows[0]) if rows else None

    def accounts(self) -> list[Account]:
        """All accounts, by name."""
        return [_account(row) for row in self.database.rows(f"{_SELECT} ORDER BY name")]

    def delete_account(self, name: str) -> bool:
        """Delete an account; whether there was one."""
        with self.database.writing(durable=True) as connection:
            deleted = connection.execute("DELETE FROM accounts WHERE name = ?", (name,))
            return deleted.rowcount > 0


def _account(row: Row) -> Account:
    name, password_hash, role, groups = row
    return Account(name, password_hash, Role(role), frozenset(json.loads(groups)))
