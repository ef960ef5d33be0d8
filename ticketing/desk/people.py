"""Accounts, sign-in and sessions; each change is audited."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from ticketing import passwords
from ticketing.desk.tokens import Tokens, key_of
from ticketing.errors import Conflict, InputError, StoreFull
from ticketing.history import Deed
from ticketing.limits import usable_groups
from ticketing.people import (
    Account,
    Actor,
    Person,
    Role,
    Session,
    Vouched,
    one_form,
    require_free,
    usable_name,
)
from ticketing.times import utc_now

SEEN_EVERY = timedelta(minutes=1)
"""The last use of a session is stored at most this often, or ten times per idle timeout if that is
more often."""


class People(Tokens):
    """Accounts and sessions."""

    _accounts_seen = False

    # accounts ---------------------------------------------------------------------------------
    def has_accounts(self) -> bool:
        """Whether there are accounts. If there are, everybody must sign in."""
        if not self._accounts_seen:
            self._accounts_seen = self.store.has_accounts()
        return self._accounts_seen

    def add_account(
        self, by: Actor, name: str, password: str, role: Role, groups: Collection[str] = ()
    ) -> Account:
        """Add an account. Raises InputError for a name that is taken, a weak password or an invalid
        group, and Conflict if somebody else keeps changing accounts."""
        name = usable_name(name)
        passwords.require_good(password, name)
        account = Account(name, passwords.hashed(password), role, usable_groups(groups))
        with self._one_change():
            if any(name.casefold() == known.name.casefold() for known in self.store.accounts()):
                raise InputError(f"There is somebody called {name} already; choose another name.")
            if role != Role.ADMIN and not self.store.has_accounts():
                raise InputError("The first account must be an admin’s; give it the role admin.")
            self.store.put_account(account)
        self.record(by, Deed.PERSON_ADDED, f"{account.name}: {account.summary}")
        return account

    def vouched_account(self, where: str, vouched: Vouched) -> Account | None:
        """The account of a person authenticated by the OpenID provider, or None if it is disabled.
        It is created at the first sign-in, and its role and groups are updated at each later one.

        Raises InputError for an invalid name or one that somebody else has here, and Conflict if
        somebody else keeps changing accounts.
        """
        known = _vouched(vouched, self.store.accounts())
        if known is None or not (known.disabled or _is_as_said(known, vouched)):
            with self._one_change():  # an admin may be changing them now
                known = self._brought_up(where, vouched)
        if known.disabled:
            self.record(Actor(known.name, where), Deed.SIGN_IN_FAILED, known.name)
            return None
        return known

    def _brought_up(self, where: str, vouched: Vouched) -> Account:
        accounts = self.store.accounts()
        known = _vouched(vouched, accounts)
        if known is None:
            return self._add_vouched(where, vouched, accounts)
        if known.disabled or _is_as_said(known, vouched):
            return known
        account = replace(known, role=vouched.role, groups=vouched.groups)
        self.store.put_account(account)
        said = f"{account.name}: {account.summary}"
        self.record(Actor(account.name, where), Deed.PERSON_CHANGED, said)
        return account

    def _add_vouched(self, where: str, vouched: Vouched, others: Iterable[Account]) -> Account:
        name = usable_name(vouched.name)
        for other in others:
            if name.casefold() == other.name.casefold():
                joining = shlex.join([other.name, "--identity", vouched.identity])
                raise InputError(
                    f"Somebody is called {other.name} here already; if that is you, an admin can "
                    f"say so: `ticketing users change {joining}`."
                )
        account = Account(name, "", vouched.role, vouched.groups, identity=vouched.identity)
        self.store.put_account(account)
        self.record(Actor(name, where), Deed.PERSON_ADDED, f"{account.name}: {account.summary}")
        return account

    def change_account(
        self,
        by: Actor,
        name: str,
        *,
        role: Role | None = None,
        groups: Collection[str] | None = None,
        disabled: bool | None = None,
        identity: str = "",
        seen: str | None = None,
    ) -> Account:
        """Change the given fields. A disabled person is signed out everywhere, and their tokens are
        revoked. A person who gets an OpenID `identity` loses their password.

        Raises NotFound; InputError if no admin would be left, for an invalid group, and for an
        identity that is invalid or somebody else's; Conflict if `seen`, the account's summary as
        the caller read it, has changed, or if somebody else keeps changing accounts.
        """
        with self._one_change():
            account = self.known_account(name)
            if seen not in (None, account.summary):
                raise Conflict(
                    f"{name} was changed since this page was loaded ({account.summary}); nothing"
                    " was changed now. Open People again."
                )
            changed = replace(
                account,
                role=account.role if role is None else role,
                groups=account.groups if groups is None else usable_groups(groups),
                disabled=account.disabled if disabled is None else disabled,
                identity=identity or account.identity,
                password_hash="" if identity else account.password_hash,
            )
            accounts = self.store.accounts()
            if identity:
                require_free(identity, name, accounts)
            governors = [known for known in accounts if _governs(known)]
            if governors == [account] and not _governs(changed):
                raise InputError(f"{name} is the last admin; make somebody else one first.")
            self.store.put_account(changed)
        if changed.disabled:
            self.store.end_sessions(name)
            self.revoke_tokens(by, name)
        self.record(by, Deed.PERSON_CHANGED, f"{name}: {changed.summary}")
        return changed

    def set_password(
        self, by: Actor, name: str, password: str, *, keep_tokens: bool = False
    ) -> int:
        """Set a person's password. This signs them out everywhere and revokes their tokens unless
        `keep_tokens`, since somebody who knew the old password may have made some. Returns the
        number of revoked tokens.

        Raises NotFound, InputError for a weak password or an OpenID account, and Conflict if
        somebody else keeps changing accounts.
        """
        self.known_account(name)
        passwords.require_good(password, name)
        password_hash = passwords.hashed(password)  # takes long, so before the lock
        with self._one_change():
            account = self.known_account(name)
            if account.identity:
                raise InputError(f"{name} signs in with OpenID Connect and has no password here.")
            self.store.put_account(replace(account, password_hash=password_hash))
        self.store.end_sessions(name)
        self.record(by, Deed.PASSWORD_CHANGED, name)
        return 0 if keep_tokens else self.revoke_tokens(by, name)

    # sessions ---------------------------------------------------------------------------------
    def sign_in(self, where: str, name: str, password: str) -> Account | None:
        """The account with this name and password, unless it is disabled; a failure is audited."""
        name = one_form(name)
        account = self.store.get_account(name)
        right = passwords.matches(account.password_hash if account else "", password)
        if account and right and not account.disabled:
            return account
        # A name that nobody has may be a password typed into the wrong field.
        known = account.name if account else ""
        self.record(Actor(known, where), Deed.SIGN_IN_FAILED, known or "unknown name")
        return None

    def begin_session(self, where: str, account: Account) -> str:
        """Start a session; returns its id, which only the browser keeps."""
        now = utc_now()
        self.store.drop_sessions(now - self._idle, now - self._life)
        session_id = secrets.token_urlsafe(32)
        self.store.add_session(Session(key_of(session_id), account.name, now, now))
        if self.store.get_account(account.name) != account:  # a new password ends older sessions
            self.store.end_session(key_of(session_id))
        self.record(Actor(account.name, where), Deed.SIGNED_IN, account.name)
        return session_id

    def person_of_session(self, session_id: str) -> Person | None:
        """The person of a session, or None if it was ended, is idle for too long or is too old."""
        now, key = utc_now(), key_of(session_id)
        session = self.store.get_session(key)
        if session is None or now > min(session.seen + self._idle, session.created + self._life):
            return None
        account = self.store.get_account(session.name)
        if account is None or account.disabled:
            return None
        if now > session.seen + min(SEEN_EVERY, self._idle / 10):
            with suppress(StoreFull):  # reading goes on
                self.store.touch_session(key, now)
        return account.person

    def end_session(self, session_id: str) -> None:
        """End a session, if it exists."""
        self.store.end_session(key_of(session_id))

    @property
    def _idle(self) -> timedelta:
        return timedelta(minutes=self.settings.session_idle)

    @property
    def _life(self) -> timedelta:
        return timedelta(hours=self.settings.session_life)


def _vouched(vouched: Vouched, accounts: Iterable[Account]) -> Account | None:
    return next((known for known in accounts if known.identity == vouched.identity), None)


def _is_as_said(known: Account, vouched: Vouched) -> bool:
    return (known.role, known.groups) == (vouched.role, vouched.groups)


def _governs(account: Account) -> bool:
    return account.role == Role.ADMIN and not account.disabled
