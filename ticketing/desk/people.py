"""Who works with the desk: accounts, sign-in, sessions and API tokens, each change audited."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import shlex
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta

from ticketing import passwords
from ticketing.desk.audit import Audit
from ticketing.desk.leases import Taken, held
from ticketing.errors import Conflict, InputError, NotFound, StoreFull
from ticketing.history import Deed
from ticketing.limits import usable_groups
from ticketing.people import (
    PERMISSIONS,
    Account,
    ApiToken,
    Doer,
    Permission,
    Person,
    Role,
    Session,
    Vouched,
    one_form,
    require_free,
    usable_name,
)
from ticketing.times import utc_now

MOST_DAYS = 366
"""How long an API token may live."""

SEEN_EVERY = timedelta(minutes=1)
"""How exactly the last use of a session is known, at most; a tenth of the idle time, if that is
less."""

TOKEN_PREFIX = "tick"


@dataclass(frozen=True)
class NewToken:
    """A token just made; `secret` is shown once and kept nowhere."""

    token: ApiToken
    secret: str


class People(Audit):
    """Accounts, sessions and tokens."""

    _accounts_seen = False

    # accounts ---------------------------------------------------------------------------------
    def has_accounts(self) -> bool:
        """Whether anybody has an account; from the first on sign-in is asked for."""
        if not self._accounts_seen:
            self._accounts_seen = self.store.has_accounts()
        return self._accounts_seen

    def add_account(
        self, by: Doer, name: str, password: str, role: Role, groups: Collection[str] = ()
    ) -> Account:
        """Add somebody. Raises InputError for a name that is taken, a password that is weak or a
        group that no ticket can have."""
        name = usable_name(name)
        if any(name.casefold() == known.name.casefold() for known in self.store.accounts()):
            raise InputError(f"There is somebody called {name} already; choose another name.")
        if role != Role.ADMIN and not self.store.has_accounts():
            raise InputError("The first account must be an admin's; give it the role admin.")
        passwords.require_good(password, name)
        account = Account(name, passwords.hashed(password), role, usable_groups(groups))
        self.store.put_account(account)
        self.record(by, Deed.PERSON_ADDED, f"{account.name}: {account.summary}")
        return account

    def vouched_account(self, where: str, vouched: Vouched) -> Account | None:
        """The account of somebody for whom the provider vouches, unless it is disabled; made when
        they come for the first time, and brought to the role and the groups that they have now.

        Raises InputError for a name that is somebody else's here, or that cannot be one, and
        Conflict where somebody else goes on changing people.
        """
        account = self._brought_up(where, vouched)
        if account.disabled:
            self.record(Doer(account.name, where), Deed.SIGN_IN_FAILED, account.name)
            return None
        return account

    def _brought_up(self, where: str, vouched: Vouched) -> Account:
        accounts = self.store.accounts()
        known = next((known for known in accounts if known.identity == vouched.identity), None)
        if known is None:
            return self._add_vouched(where, vouched, accounts)
        if known.disabled or (known.role, known.groups) == (vouched.role, vouched.groups):
            return known
        with self._one_change():  # an admin may disable them just now
            known = self.known_account(known.name)
            account = replace(known, role=vouched.role, groups=vouched.groups)
            self.store.put_account(account)
        said = f"{account.name}: {account.summary}"
        self.record(Doer(account.name, where), Deed.PERSON_CHANGED, said)
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
        self.record(Doer(name, where), Deed.PERSON_ADDED, f"{account.name}: {account.summary}")
        return account

    def change_account(
        self,
        by: Doer,
        name: str,
        *,
        role: Role | None = None,
        groups: Collection[str] | None = None,
        disabled: bool | None = None,
        identity: str = "",
        seen: str | None = None,
    ) -> Account:
        """Change what is given; somebody disabled is signed out everywhere, and their tokens are
        revoked. Whoever gets an `identity` at the OpenID provider has no password from then on.

        Raises NotFound, InputError where nobody would be left who may do this, for a group that
        no ticket can have and an identity that is none or somebody else's, and Conflict where
        `seen`, the account's summary as somebody read it, is no longer so, or where somebody else
        goes on changing people.
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
            for token in self.store.tokens(name):
                with suppress(NotFound):  # somebody else revoked it just now
                    self.revoke_token(by, name, token.id)
        self.record(by, Deed.PERSON_CHANGED, f"{name}: {changed.summary}")
        return changed

    @contextmanager
    def _one_change(self) -> Iterator[None]:
        """Let nobody else change people meanwhile, so that two admins do not end each other's
        rights at once. Raises Conflict."""
        try:
            with held(self.store, "people", wait=True):
                yield
        except Taken:
            raise Conflict("Somebody else is changing people just now; try again.") from None

    def set_password(self, by: Doer, name: str, password: str) -> None:
        """Give somebody another password, which signs them out everywhere.

        Raises NotFound, InputError for a weak one or where a provider vouches for them, and
        Conflict where somebody else goes on changing people.
        """
        self.known_account(name)
        passwords.require_good(password, name)
        password_hash = passwords.hashed(password)  # which takes its time
        with self._one_change():
            account = self.known_account(name)
            if account.identity:
                raise InputError(f"{name} signs in with OpenID Connect and has no password here.")
            self.store.put_account(replace(account, password_hash=password_hash))
        self.store.end_sessions(name)
        self.record(by, Deed.PASSWORD_CHANGED, name)

    def known_account(self, name: str) -> Account:
        """The account of a name. Raises NotFound."""
        account = self.store.get_account(name)
        if account is None:
            raise NotFound(f"Nobody is called {name[:80]}.")
        return account

    # sessions ---------------------------------------------------------------------------------
    def sign_in(self, where: str, name: str, password: str) -> Account | None:
        """The account whose password this is, unless it is disabled; a failure is audited."""
        name = one_form(name)
        account = self.store.get_account(name)
        right = passwords.matches(account.password_hash if account else "", password)
        if account and right and not account.disabled:
            return account
        # A name that nobody has may be a password typed into the wrong field.
        known = account.name if account else ""
        self.record(Doer(known, where), Deed.SIGN_IN_FAILED, known or "unknown name")
        return None

    def begin_session(self, where: str, account: Account) -> str:
        """The id of a new session, which is known to the browser alone."""
        now = utc_now()
        self.store.drop_sessions(now - self._idle, now - self._life)
        session_id = secrets.token_urlsafe(32)
        self.store.add_session(Session(_key(session_id), account.name, now, now))
        self.record(Doer(account.name, where), Deed.SIGNED_IN, account.name)
        return session_id

    def person_of_session(self, session_id: str) -> Person | None:
        """Whose session it is, unless it has ended, lain idle or lasted too long."""
        now, key = utc_now(), _key(session_id)
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
        """End the session of one browser, if there is one."""
        self.store.end_session(_key(session_id))

    @property
    def _idle(self) -> timedelta:
        return timedelta(minutes=self.settings.session_idle)

    @property
    def _life(self) -> timedelta:
        return timedelta(hours=self.settings.session_life)

    # tokens -----------------------------------------------------------------------------------
    def make_token(
        self, by: Doer, owner: str, label: str, scopes: Collection[Permission], days: int
    ) -> NewToken:
        """Leave for a program to act for somebody. Raises NotFound, and InputError for somebody
        disabled and for what their role does not allow."""
        account, label = self.known_account(owner), " ".join(label.split())
        if account.disabled:
            raise InputError(f"{owner} is disabled; let them sign in again first.")
        if not label or len(label) > 80:
            raise InputError("A token needs a name of 1 to 80 characters that says what it is for.")
        if not scopes:
            raise InputError("A token needs a scope: what it may do.")
        if beyond := sorted(set(scopes) - PERMISSIONS[account.role]):
            raise InputError(f"The role {account.role} does not allow {', '.join(beyond)}.")
        if not 1 <= days <= MOST_DAYS:
            raise InputError(f"A token lives 1 to {MOST_DAYS} days.")
        now, secret, id = utc_now(), secrets.token_urlsafe(32), secrets.token_hex(6)
        expires = now + timedelta(days=days)
        token = ApiToken(id, _key(secret), owner, label, frozenset(scopes), now, expires)
        self.store.add_token(token)
        self.record(by, Deed.TOKEN_MADE, f"{id} of {owner}: {', '.join(sorted(scopes))}")
        return NewToken(token, f"{TOKEN_PREFIX}_{id}_{secret}")

    def person_of_token(self, text: str) -> Person | None:
        """Whom a program acts for, within the token's scopes, unless it expired."""
        prefix, _, rest = text.partition("_")
        id, _, secret = rest.partition("_")
        token = self.store.get_token(id) if prefix == TOKEN_PREFIX and id else None
        if token is None or not hmac.compare_digest(token.key, _key(secret)):
            return None
        account = self.store.get_account(token.owner)
        if account is None or account.disabled or utc_now() >= token.expires:
            return None
        return replace(account.person, scopes=token.scopes)

    def revoke_token(self, by: Doer, owner: str, token_id: str) -> None:
        """Let a token of somebody's end. Raises NotFound."""
        token = self.store.get_token(token_id)
        if token is None or token.owner != owner:
            raise NotFound(f"{owner} has no token {token_id[:80]!r}.")
        self.store.revoke_token(token_id)
        self.record(by, Deed.TOKEN_REVOKED, f"{token_id} of {owner}")


def _key(secret: str) -> str:
    """What is kept of a random secret; it needs no salt and no slow hash, since none can be
    guessed."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def _governs(account: Account) -> bool:
    return account.role == Role.ADMIN and not account.disabled
