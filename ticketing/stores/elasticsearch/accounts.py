"""Who may sign in."""

import hashlib
from collections.abc import Mapping
from typing import Any

from ticketing.people import Account, Role
from ticketing.stores.checks import require_account
from ticketing.stores.elasticsearch.connection import MISSING, ConnectionPart
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.protocols import Accounts

MOST = 10_000
"""Accounts that are listed."""


class ElasticsearchAccounts(ConnectionPart, Accounts):
    """A record for each account."""

    def put_account(self, account: Account) -> None:
        """Add an account, or replace that of the same name."""
        require_account(account)
        source = {
            "kind": "account",
            "name": account.name,
            "password_hash": account.password_hash,
            "role": account.role,
            "groups": sorted(account.groups),
        }
        self.connection.write(RECORDS, _key(account.name), source)

    def get_account(self, name: str) -> Account | None:
        """The account of a name."""
        found = self.connection.get(RECORDS, [_key(name)])
        return _account(found[_key(name)]) if found else None

    def accounts(self) -> list[Account]:
        """All accounts, by name."""
        answer = self.connection.search(
            RECORDS, query={"term": {"kind": "account"}}, sort=[{"name": "asc"}], size=MOST
        )
        return [_account(hit) for hit in answer["hits"]["hits"]]

    def delete_account(self, name: str) -> bool:
        """Delete an account; whether there was one."""
        index = self.connection.alias(RECORDS)
        action = {"_op_type": "delete", "_index": index, "_id": _key(name)}
        [answer] = self.connection.bulk([action])
        return bool(answer["status"] != MISSING)


def _key(name: str) -> str:
    return f"account:{hashlib.sha256(name.encode()).hexdigest()}"


def _account(doc: Mapping[str, Any]) -> Account:
    source = doc["_source"]
    groups = frozenset(source["groups"])
    return Account(source["name"], source["password_hash"], Role(source["role"]), groups)
