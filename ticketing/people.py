"""People and their permissions.

A `Person` is who acts in a request. An `Account` lets somebody sign in, a `Session` is one sign-in
with a browser, and an `ApiToken` lets a program act for an account. Passwords, session ids and
tokens are kept only as hashes. Times are naive UTC.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ticketing.errors import InputError

LONGEST_NAME = 80
"""Limit of a name in characters."""

MOST_TYPED = 4 * LONGEST_NAME
"""Characters read of a typed name. Normalising many combining marks takes quadratic time."""

RESERVED = frozenset({"anonymous", "demonstration", "import", "local", "schedule"})
"""Names under which the program itself works and judges."""


class Permission(StrEnum):
    """One thing that a person may be allowed to do; also a scope of an API token."""

    ASK = "ask"
    """Ask, save queries, and read tickets, topics, jobs and what is known of the answers."""
    JUDGE = "judge"
    """Judge in one's own name, and name topics."""
    JUDGE_FOR_OTHERS = "judge-for-others"
    """Record judgments of other people."""
    EVALUATE = "evaluate"
    """See how good answers are and how judges agree."""
    EXPORT = "export"
    """Download tables of what others asked and judged, and of topics with their tickets."""
    TRAIN = "train"
    """Train models."""
    IMPORT = "import"
    """Add and change tickets."""
    DELETE = "delete"
    """Delete tickets."""
    JOBS = "jobs"
    """Cancel and retry jobs of the kinds that one may start."""
    PROMOTE = "promote"
    """Let a bundle serve, roll back, delete bundles, set the schedule."""
    PEOPLE = "people"
    """Add people, change their roles and groups, disable them."""
    AUDIT = "audit"
    """Read who did what."""


OPENS = {
    Permission.ASK: "recommending, tickets, topics, history, jobs",
    Permission.JUDGE: "judging, rounds, categories, names of topics",
    Permission.JUDGE_FOR_OTHERS: "judgments with the name of another person in `judge`",
    Permission.EVALUATE: "agreement, quality, the list of models, comparing and measuring them, "
    "reports of jobs",
    Permission.EXPORT: "tables: `/unanswered.csv`, `/quality.csv`, `/judging/agreement.csv`, "
    "`/topics.csv`, `/topics/NUMBER.csv` (its tickets)",
    Permission.IMPORT: "adding and changing tickets",
    Permission.DELETE: "deleting tickets",
    Permission.TRAIN: "training a model",
    Permission.JOBS: "cancelling and repeating jobs, beside the scope that begins such a job",
    Permission.PROMOTE: "letting a model serve, answering yes or no for one that waits, "
    "rolling back, deleting, the schedule",
    Permission.PEOPLE: "the list of people",
    Permission.AUDIT: "`/audit.jsonl` and `/audit.csv`",
}
"""What each permission opens to a program as a scope of its token; shown on the page and in the
documents."""


class Role(StrEnum):
    """A person's role; each role may do everything that the one before it may."""

    ENGINEER = "engineer"
    SCIENTIST = "scientist"
    ADMIN = "admin"


_ENGINEER = frozenset({Permission.ASK, Permission.JUDGE})
_SCIENTIST = _ENGINEER | {
    Permission.JUDGE_FOR_OTHERS,
    Permission.EVALUATE,
    Permission.EXPORT,
    Permission.TRAIN,
    Permission.JOBS,
}

PERMISSIONS: dict[Role, frozenset[Permission]] = {
    Role.ENGINEER: _ENGINEER,
    Role.SCIENTIST: _SCIENTIST,
    Role.ADMIN: frozenset(Permission),
}
"""The permissions of each role."""


@dataclass(frozen=True)
class Person:
    """Who acts in a request: `role` decides what they may do, `groups` which tickets they may see.

    `groups` None sees every ticket; only the local person and the command line have it. `scopes`
    restrict an API token; None stands for all that the role allows.
    """

    name: str
    role: Role
    groups: frozenset[str] | None
    scopes: frozenset[Permission] | None = None

    def may(self, permission: Permission) -> bool:
        """Whether this person has the permission."""
        return permission in PERMISSIONS[self.role] and (
            self.scopes is None or permission in self.scopes
        )


LOCAL = Person("local", Role.ADMIN, None)
"""The person of every request on a desk without accounts, which listens to its own machine only."""


@dataclass(frozen=True)
class Account:
    """Somebody who may sign in unless `disabled`.

    `password_hash` is empty if an OpenID provider authenticates the person. `identity` is then the
    provider's issuer and subject; otherwise it is empty.
    """

    name: str
    password_hash: str = field(repr=False)
    role: Role
    groups: frozenset[str] = frozenset()
    disabled: bool = False
    identity: str = ""

    @property
    def openid(self) -> bool:
        """Whether an OpenID provider authenticates this person."""
        return bool(self.identity)

    @property
    def summary(self) -> str:
        """Role, groups, and whether the account is disabled, in words."""
        groups = ", ".join(sorted(self.groups)) or "none"
        return f"{self.role}, groups {groups}{', disabled' if self.disabled else ''}"

    @property
    def person(self) -> Person:
        """The `Person` who acts when this account is used."""
        return Person(self.name, self.role, self.groups)


@dataclass(frozen=True)
class Session:
    """A browser's session of the account `name`, begun at `created` and last used at `seen`."""

    key: str = field(repr=False)
    """SHA-256 of the session id in the browser's cookie, in hex."""
    name: str
    created: datetime
    seen: datetime


@dataclass(frozen=True)
class ApiToken:
    """Lets a program act for the account `owner` until `expires`, within `scopes`."""

    id: str
    """Public name of the token; not secret."""
    key: str = field(repr=False)
    """SHA-256 of the token, in hex."""
    owner: str
    label: str
    scopes: frozenset[Permission]
    created: datetime
    expires: datetime


@dataclass(frozen=True)
class Vouched:
    """Somebody as an OpenID provider reports them; `identity` is the issuer and the provider's id
    for them."""

    identity: str
    name: str
    role: Role
    groups: frozenset[str]


@dataclass(frozen=True)
class Actor:
    """Who does something and from which address, for the audit."""

    name: str
    where: str


def one_form(typed: str) -> str:
    """A typed name in normal form: single blanks, NFKC. Characters beyond MOST_TYPED are dropped; a
    name that long belongs to nobody."""
    return " ".join(unicodedata.normalize("NFKC", typed[:MOST_TYPED]).split())


def usable_name(typed: str) -> str:
    """Normalise and check the name of a new person.

    Raises InputError for an empty, too long or reserved name, or one that looks like another.
    """
    name = one_form(typed)
    if not name or len(name) > LONGEST_NAME or len(typed) > MOST_TYPED:
        raise InputError(f"A person needs a name of 1 to {LONGEST_NAME} characters.")
    if ":" in name or not name.isprintable():
        raise InputError(f"The name {name!r} holds a colon or what cannot be read; leave it out.")
    if name.casefold() in RESERVED:
        raise InputError(f"The program itself uses the name {name!r}; choose another one.")
    return name


def require_free(identity: str, name: str, accounts: Iterable[Account]) -> None:
    """Raises InputError for an identity that no provider can give to somebody of that name, and for
    an identity that another account has."""
    issuer, _, subject = identity.partition(" ")
    if not issuer or not subject.strip():
        raise InputError(
            f"{identity[:200]!r} names nobody at a provider; give its issuer, a blank and what it"
            " calls them."
        )
    for other in accounts:
        if other.identity == identity and other.name != name:
            raise InputError(f"{other.name} has this identity already; give that of {name}.")
