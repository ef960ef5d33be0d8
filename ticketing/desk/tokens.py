"""API tokens, which let programs act for a person; each change is audited."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta

from ticketing.desk.audit import Audit
from ticketing.desk.leases import HeldLease, held
from ticketing.errors import Conflict, InputError, NotFound
from ticketing.history import Deed
from ticketing.limits import half_fault
from ticketing.people import PERMISSIONS, Account, Actor, ApiToken, Permission, Person
from ticketing.times import utc_now

MOST_DAYS = 366
"""Longest life of an API token in days."""

TOKEN_PREFIX = "tick"


@dataclass(frozen=True)
class NewToken:
    """A new token. `secret` is shown once and not stored."""

    token: ApiToken
    secret: str


class Tokens(Audit):
    """Tokens and their owners' accounts."""

    def known_account(self, name: str) -> Account:
        """The account of a name. Raises NotFound."""
        account = self.store.get_account(name)
        if account is None:
            raise NotFound(f"Nobody is called {name[:80]}.")
        return account

    def _one_change(self) -> AbstractContextManager[HeldLease]:
        """Context manager: only one change of people or tokens at a time, so that two admins cannot
        remove each other's rights at once. Raises Conflict."""
        busy = Conflict("Somebody else is changing people just now; try again.")
        return held(self.store, "people", or_raise=busy)

    def make_token(
        self,
        by: Actor,
        owner: str,
        label: str,
        scopes: Collection[Permission],
        days: int,
        event_id: str = "",
    ) -> NewToken:
        """Create a token for a person. Raises NotFound, InputError for a disabled person or scopes
        that their role does not allow, and Conflict if `by` has already made a token with this
        `event_id`."""
        account, label = self.known_account(owner), " ".join(label.split())
        if account.disabled:
            raise InputError(f"{owner} is disabled; let them sign in again first.")
        if not label or len(label) > 80:
            raise InputError("A token needs a name of 1 to 80 characters that says what it is for.")
        if fault := half_fault(label):
            raise InputError(f"The name of the token {fault}.")
        if not scopes:
            raise InputError("A token needs a scope: what it may do.")
        if beyond := sorted(set(scopes) - PERMISSIONS[account.role]):
            raise InputError(f"The role {account.role} does not allow {', '.join(beyond)}.")
        if not 1 <= days <= MOST_DAYS:
            raise InputError(f"A token lives 1 to {MOST_DAYS} days.")
        now, secret = utc_now(), secrets.token_urlsafe(32)
        id = key_of(f"{by.name}: {event_id}")[:12] if event_id else secrets.token_hex(6)
        expires = now + timedelta(days=days)
        token = ApiToken(id, key_of(secret), owner, label, frozenset(scopes), now, expires)
        which = f"{id} of {owner}: {', '.join(sorted(scopes))}"
        with self._one_change():
            if self.known_account(owner) != account:
                raise Conflict(f"{owner} was changed just now; try again.")
            is_new = self.record(by, Deed.TOKEN_MADE, which, event_id)
            if self.store.get_token(id) or not (is_new or self._was_never_kept(id)):
                raise Conflict(
                    "This token was made already, and was shown that once; if it was not copied,"
                    " revoke it and make another one."
                )
            self.store.add_token(token)
        return NewToken(token, f"{TOKEN_PREFIX}_{id}_{secret}")

    def _was_never_kept(self, token_id: str) -> bool:
        """Whether a missing token was never stored, because the store failed while it was made.
        Otherwise it was revoked."""
        return not any(
            entry.deed == Deed.TOKEN_REVOKED and entry.which.split()[0] == token_id
            for entry in self.audit_entries()
        )

    def person_of_token(self, text: str) -> Person | None:
        """The person that a token acts for, with the token's scopes; None for an invalid or expired
        token."""
        prefix, _, rest = text.partition("_")
        id, _, secret = rest.partition("_")
        token = self.store.get_token(id) if prefix == TOKEN_PREFIX and id else None
        if token is None or not hmac.compare_digest(token.key, key_of(secret)):
            return None
        account = self.store.get_account(token.owner)
        if account is None or account.disabled or utc_now() >= token.expires:
            return None
        return replace(account.person, scopes=token.scopes)

    def revoke_token(self, by: Actor, owner: str, token_id: str) -> None:
        """Revoke a person's token. Raises NotFound."""
        token = self.store.get_token(token_id)
        if token is None or token.owner != owner:
            raise NotFound(f"{owner} has no token {token_id[:80]!r}.")
        self.store.revoke_token(token_id)
        self.record(by, Deed.TOKEN_REVOKED, f"{token_id} of {owner}")

    def revoke_tokens(self, by: Actor, owner: str) -> int:
        """Revoke all tokens of a person; returns how many there were."""
        ended = 0
        for token in self.store.tokens(owner):
            with suppress(NotFound):  # somebody else has just revoked it
                self.revoke_token(by, owner, token.id)
                ended += 1
        return ended


def key_of(secret: str) -> str:
    """Hash of a random secret. It needs no salt and no slow hash, because the secret cannot be
    guessed."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
