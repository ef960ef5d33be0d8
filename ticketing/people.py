"""Who works with a desk, and what each may do.

A `Person` is whoever does something right now; an `Account` is the record by which somebody may
sign in, a `Session` that they did in a browser, an `ApiToken` that a program may act for them.
Secrets (passwords, session ids, tokens) are kept only as hashes. Times are naive UTC.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ticketing.errors import InputError

LONGEST_NAME = 80
"""Characters of somebody's name."""

MOST_TYPED = 4 * LONGEST_NAME
"""Characters that are read of what is typed as one: to bring many marks into one form takes the
square of their number."""

RESERVED = frozenset({"anonymous", "demonstration", "import", "local", "schedule"})
"""Under these names the program itself works and judges."""


class Permission(StrEnum):
    """One thing that may be allowed to somebody; also the scope of an API token."""

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
    """Cancel jobs and try them again, of the kinds that one may begin."""
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
"""What each opens to a program as the scope of its token; the page and the documents say it so."""


class Role(StrEnum):
    """What somebody is for; each role may do all that the one before it may."""

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
"""What each role may do."""


@dataclass(frozen=True)
class Person:
    """Whoever does something: what they may do is by `role`, what they may see by `groups`.

    `groups` None sees every ticket: only the local person and the command line. `scopes` narrow
    what an API token may do; None is all that the role may.
    """

    name: str
    role: Role
    groups: frozenset[str] | None
    scopes: frozenset[Permission] | None = None

    def may(self, permission: Permission) -> bool:
        """Whether this person may do that."""
        return permission in PERMISSIONS[self.role] and (
            self.scopes is None or permission in self.scopes
        )


LOCAL = Person("local", Role.ADMIN, None)
"""Everybody, where a desk has no accounts and listens to its own machine only."""


@dataclass(frozen=True)
class Account:
    """Somebody who may sign in, unless `disabled`.

    `password_hash` is empty for somebody whom an OpenID provider vouches for; `identity` is then
    what the provider calls them (issuer and subject), and empty for everybody else.
    """

    name: str
    password_hash: str = field(repr=False)
    role: Role
    groups: frozenset[str] = frozenset()
    disabled: bool = False
    identity: str = ""

    @property
    def openid(self) -> bool:
        """Whether an OpenID provider vouches for them."""
        return bool(self.identity)

    @property
    def summary(self) -> str:
        """Role, groups, and whether it is disabled, in words: what an admin decides."""
        groups = ", ".join(sorted(self.groups)) or "none"
        return f"{self.role}, groups {groups}{', disabled' if self.disabled else ''}"

    @property
    def person(self) -> Person:
        """Who acts when the account's owner does."""
        return Person(self.name, self.role, self.groups)


@dataclass(frozen=True)
class Session:
    """A browser in which the account `name` signed in at `created`, last used at `seen`."""

    key: str = field(repr=False)
    """SHA-256 of the id that the browser holds, in hex."""
    name: str
    created: datetime
    seen: datetime


@dataclass(frozen=True)
class ApiToken:
    """Leave for a program to act for the account `owner` until `expires`, within `scopes`."""

    id: str
    """What people call it by; no secret."""
    key: str = field(repr=False)
    """SHA-256 of the token, in hex."""
    owner: str
    label: str
    scopes: frozenset[Permission]
    created: datetime
    expires: datetime


@dataclass(frozen=True)
class Vouched:
    """Somebody as an OpenID provider knows them; `identity` is its issuer and its id of theirs."""

    identity: str
    name: str
    role: Role
    groups: frozenset[str]


@dataclass(frozen=True)
class Actor:
    """Who does something and from where, as the audit has it."""

    name: str
    where: str


def one_form(typed: str) -> str:
    """A typed name as names are kept: single blanks, each character in one form (NFKC). What is
    typed beyond MOST_TYPED is left out, so that it is nobody's name."""
    return " ".join(unicodedata.normalize("NFKC", typed[:MOST_TYPED]).split())


def usable_name(typed: str) -> str:
    """A new person's name as it is kept.

    Raises InputError for one that is empty, long, reserved, or could be taken for another.
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
    """Raises InputError for what no provider can call somebody of that name, and for what it calls
    somebody else of the accounts."""
    issuer, _, subject = identity.partition(" ")
    if not issuer or not subject.strip():
        raise InputError(
            f"{identity[:200]!r} names nobody at a provider; give its issuer, a blank and what it"
            " calls them."
        )
    for other in accounts:
        if other.identity == identity and other.name != name:
            raise InputError(f"{other.name} has this identity already; give that of {name}.")
