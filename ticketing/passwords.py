"""Passwords: checks of their strength, and hashing with Argon2id."""

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from ticketing.errors import InputError

SHORTEST, LONGEST = 8, 1000
"""Limits of a password's length in characters."""

SAFE = 3
"""The lowest accepted zxcvbn score (0 to 4): more than 10^8 guesses."""

_LOOKED_AT = 72
"""Number of characters that zxcvbn looks at, since its time grows faster than linearly."""


def require_good(password: str, name: str) -> None:
    """Raises InputError for a password that is too short or easy to guess."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InputError(f"A password has {SHORTEST} to {LONGEST:,} characters; choose another.")
    from zxcvbn import zxcvbn  # its word lists are loaded only when a password is set

    found = zxcvbn(password[:_LOOKED_AT], user_inputs=[name, "ticketing", "password"])
    if found["score"] < SAFE:
        why = found["feedback"]["warning"].rstrip(".") or "It can be guessed"
        raise InputError(f"This password is too weak: {why}; choose four unrelated words.")


def hashed(password: str) -> str:
    """Hash a password with Argon2id and a random salt (RFC 9106)."""
    return PasswordHasher().hash(password)


def matches(password_hash: str, password: str) -> bool:
    """Whether a password fits a hash. With an empty hash it takes as long and returns False."""
    try:
        return PasswordHasher().verify(password_hash or _nobodys(), password) and bool(
            password_hash
        )
    except VerificationError:
        return False


@cache
def _nobodys() -> str:
    """The hash of a random password, to compare with if there is no hash."""
    return hashed("\0")
