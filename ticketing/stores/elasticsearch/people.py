"""Accounts, sessions and API tokens in Elasticsearch."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from ticketing.files import Json
from ticketing.people import Account, ApiToken, Permission, Role, Session
from ticketing.stores.checks import require_account, require_text
from ticketing.stores.elasticsearch.actions import deletion, replacement, writing
from ticketing.stores.elasticsearch.connection import MISSING, ConnectionPart
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.elasticsearch.records import key_of, of_kind
from ticketing.stores.people import PeopleStore


class ElasticsearchPeople(ConnectionPart, PeopleStore):
    """A record per account, session and token; `name` is the account's in all of them."""

    def put_account(self, account: Account) -> None:
        require_account(account)
        source = {"kind": "account", **asdict(account), "groups": sorted(account.groups)}
        self.connection.write(RECORDS, writing(key_of("account", account.name), source))

    def get_account(self, name: str) -> Account | None:
        source = self._record(key_of("account", name))
        return _account(source) if source else None

    def has_accounts(self) -> bool:
        return self.connection.count(RECORDS, of_kind("account")) > 0

    def accounts(self) -> list[Account]:
        return [_account(hit["_source"]) for hit in self._people("account")]

    def add_session(self, session: Session) -> None:
        source = {
            "kind": "session",
            "key": session.key,
            "name": session.name,
            "created": session.created.isoformat(),
            "seen": session.seen.isoformat(),
        }
        self.connection.write(RECORDS, writing(f"session:{session.key}", source))

    def get_session(self, key: str) -> Session | None:
        source = self._record(f"session:{key}")
        return _session(source) if source else None

    def touch_session(self, key: str, at: datetime) -> None:
        if found := self.connection.find(RECORDS, f"session:{key}"):
            source = found["_source"] | {"seen": at.isoformat()}
            action = replacement(found, found["_id"], source)
            self.connection.write(RECORDS, action, refresh=False)

    def end_session(self, key: str) -> None:
        self._delete([f"session:{key}"])

    def end_sessions(self, name: str) -> int:
        return self._delete(hit["_id"] for hit in self._people("session", name))

    def drop_sessions(self, seen_before: datetime, created_before: datetime) -> int:
        self.connection.refresh(RECORDS)  # `touch_session` does not refresh
        sessions = ((hit["_id"], _session(hit["_source"])) for hit in self._people("session"))
        return self._delete(
            id
            for id, session in sessions
            if session.seen < seen_before or session.created < created_before
        )

    def add_token(self, token: ApiToken) -> None:
        require_text((token.label,))
        source = {
            "kind": "token",
            "name": token.owner,
            "id": token.id,
            "key": token.key,
            "label": token.label,
            "scopes": sorted(token.scopes),
            "created": token.created.isoformat(),
            "expires": token.expires.isoformat(),
        }
        self.connection.write(RECORDS, writing(f"token:{token.id}", source))

    def get_token(self, token_id: str) -> ApiToken | None:
        source = self._record(f"token:{token_id}")
        return _token(source) if source else None

    def tokens(self, owner: str = "") -> list[ApiToken]:
        tokens = [_token(hit["_source"]) for hit in self._people("token", owner)]
        return sorted(tokens, key=lambda token: token.created)

    def revoke_token(self, token_id: str) -> bool:
        return self._delete([f"token:{token_id}"]) > 0

    def _record(self, id: str) -> Json | None:
        found = self.connection.find(RECORDS, id)
        return found and found["_source"]

    def _people(self, kind: str, name: str = "") -> list[Json]:
        """All records of a kind, optionally of one account, by the account's name."""
        query = of_kind(kind, *([{"term": {"name": name}}] if name else []))
        sort = [{"name": "asc"}, {"_seq_no": "asc"}]
        return list(self.connection.pages(RECORDS, sort, query=query))

    def _delete(self, ids: Iterable[str]) -> int:
        """Delete records; returns how many there were."""
        answers = self.connection.bulk(RECORDS, map(deletion, ids))
        return sum(answer["status"] != MISSING for answer in answers)


def _account(source: Json) -> Account:
    return Account(
        source["name"],
        source["password_hash"],
        Role(source["role"]),
        frozenset(source["groups"]),
        source.get("disabled", False),  # records of an older version know neither
        source.get("identity", ""),
    )


def _session(source: Json) -> Session:
    created, seen_at = (datetime.fromisoformat(source[field]) for field in ("created", "seen"))
    return Session(source["key"], source["name"], created, seen_at)


def _token(source: Json) -> ApiToken:
    return ApiToken(
        source["id"],
        source["key"],
        source["name"],
        source["label"],
        frozenset(map(Permission, source["scopes"])),
        datetime.fromisoformat(source["created"]),
        datetime.fromisoformat(source["expires"]),
    )
