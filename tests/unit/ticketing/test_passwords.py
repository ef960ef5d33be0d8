"""Passwords are kept as Argon2id, compared in the same time whoever is meant, and never weak."""

import pytest
from argon2 import PasswordHasher

from ticketing import passwords
from ticketing.errors import InputError


def test_a_password_is_kept_as_argon2id_at_least_as_costly_as_owasp_asks(monkeypatch):
    monkeypatch.setattr(passwords, "PasswordHasher", PasswordHasher)
    kept = passwords.hashed("four words that rhyme")
    kind, _, costs = kept.split("$")[1:4]
    given = dict(cost.split("=") for cost in costs.split(","))
    assert kind == "argon2id"
    assert int(given["m"]) >= 19456 and int(given["t"]) >= 2 and int(given["p"]) >= 1
    assert passwords.matches(kept, "four words that rhyme")
    assert kept != passwords.hashed("four words that rhyme")


def test_nobody_has_the_password_of_somebody_without_one():
    for password in ("", "\0", "x"):
        assert not passwords.matches("", password)


def test_a_comparison_is_made_where_there_is_nobody_too(monkeypatch):
    """Else the time tells which names there are."""
    passwords.matches("", "warm")
    verified = []
    original = PasswordHasher.verify

    def verify(self, *arguments):
        verified.append(arguments)
        return original(self, *arguments)

    monkeypatch.setattr(PasswordHasher, "verify", verify)
    passwords.matches("", "x")
    assert len(verified) == 1


@pytest.mark.parametrize(
    "password", ["correct horse battery", "x" * 3 + "Kq7#vwT", "päßwörter für áfu"]
)
def test_a_good_password_is_taken(password):
    passwords.require_good(password, "ann")


def test_a_long_password_is_judged_in_no_time():
    with pytest.raises(InputError):
        passwords.require_good("a" * 1000, "ann")
    passwords.require_good("correct horse battery " * 40, "ann")


def test_the_own_name_is_no_password():
    with pytest.raises(InputError, match="too weak"):
        passwords.require_good("margarethe", "margarethe")
