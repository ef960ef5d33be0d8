"""What the forms of people and tokens send, and what the API gives of people."""

from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from ticketing.people import Permission, Role
from web.schemas.base import In
from web.schemas.limited import EventId, Given
from web.schemas.responses import Out

Groups = Annotated[
    frozenset[str],
    BeforeValidator(lambda typed: [name.strip() for name in typed.split(",") if name.strip()]),
]
"""Names of groups, typed with commas between them."""


class AccountIn(In):
    """Somebody's role and groups."""

    name: Given
    role: Role
    groups: Groups = frozenset()


class ChangedIn(AccountIn):
    """Somebody as they are to be, and as the page showed them."""

    seen: str


class AddedIn(AccountIn):
    """Somebody new."""

    AS_TYPED = frozenset({"password"})

    password: Annotated[str, StringConstraints(strip_whitespace=False)]


class AccountOut(Out):
    """Somebody who may sign in."""

    name: str
    role: Role
    groups: Annotated[list[str], BeforeValidator(sorted)]
    disabled: bool
    openid: bool = Field(description="whether the person signs in with the OpenID provider")


class TokenIn(In):
    """A token to be made."""

    label: str
    scopes: frozenset[Permission]
    days: int
    event_id: EventId
