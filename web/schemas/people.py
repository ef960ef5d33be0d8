"""What the forms of people send."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from ticketing.people import Permission, Role
from web.schemas.requests import In

Groups = Annotated[
    frozenset[str],
    BeforeValidator(lambda typed: [name.strip() for name in typed.split(",") if name.strip()]),
]
"""Names of groups, typed with commas between them."""


class AccountIn(In):
    """Somebody's role and groups."""

    name: str = Field(min_length=1)
    role: Role
    groups: Groups = frozenset()


class AddedIn(AccountIn):
    """Somebody new."""

    password: str


class TokenIn(In):
    """A token to be made."""

    label: str
    scopes: frozenset[Permission]
    days: int
