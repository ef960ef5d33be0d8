"""Passwords: which are good enough, and the only form in which they are kept (Argon2id)."""

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from ticketing.errors import InputError

SHORTEST, LONGEST = 8, 1000
"""Characters of a password."""

SAFE = 3
"""Of zxcvbn's scores from 0 to 4 the least: it takes more than 10^8 guesses."""

_LOOKED_AT = 72
"""Characters that are judged; zxcvbn's time grows faster than their number."""


def require_good(password: str, name: str) -> None:
    """Raises InputError for a password that is short, or that somebody could guess."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InputError(f"A password has {SHORTEST} to {LONGEST:,} characters; choose another.")
    from zxcvbn import zxcvbn  # its lists of words are read only when a password is set

    found = zxcvbn(password[:_LOOKED_AT], user_inputs=[name, "ticketing", "password"])
    if found["score"] < SAFE:
        why = found["feedback"]["warning"].rstrip(".") or "It can be guessed"
        raise InputError(f"This password is too weak: {why}; choose four unrelated words.")


def hashed(password: str) -> str:
    """What is kept of a password: Argon2id with a salt of its own (RFC 9106)."""
    return PasswordHasher().hash(password)


def matches(password_hash: str, password: str) -> bool:
    """Whether a password is the one that was hashed; without a hash it takes as long to say no."""
    try:
        return PasswordHasher().verify(password_hash or _nobodys(), password) and bool(
            password_hash
        )
    except VerificationError:
        return False


@cache
def _nobodys() -> str:
    """The hash of a password that nobody has."""
    return hashed("\0")
