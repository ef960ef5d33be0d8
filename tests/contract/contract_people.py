"""Accounts, sessions and tokens."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from ticketing.errors import InputError
from ticketing.people import Account, ApiToken, Permission, Role, Session

START = datetime(2024, 2, 3, 4, 5, 6, 789)
ANN = Account("ann", "hash", Role.SCIENTIST, frozenset(["service", "lab"]))
SESSION = Session("k1", "ann", START, START + timedelta(minutes=5))
TOKEN = ApiToken(
    "t1",
    "key",
    "ann",
    "nightly é😀",
    frozenset([Permission.ASK, Permission.EXPORT]),
    START,
    START + timedelta(days=90),
)


class PeopleContract:
    """Each test is a sentence of PeopleStore."""

    def test_an_account_comes_back_as_it_was_put(self, store):
        assert store.get_account("ann") is None
        assert not store.has_accounts()
        store.put_account(ANN)
        assert store.get_account("ann") == ANN
        assert store.has_accounts()
        assert store.get_account("Ann") is None

    def test_an_account_put_again_is_replaced(self, store):
        for role in (Role.SCIENTIST, Role.ENGINEER):
            store.put_account(Account("ann", "hash", role))
        assert store.accounts() == [Account("ann", "hash", Role.ENGINEER)]

    def test_accounts_are_listed_by_name(self, store):
        accounts = [Account(name, "hash", Role.ENGINEER) for name in ("Zoe", "ann", "é😀 '%")]
        for account in accounts[::-1]:
            store.put_account(account)
        assert store.accounts() == accounts

    @pytest.mark.parametrize("name", ["", " ", "\ud800"])
    def test_an_account_without_a_usable_name_is_refused(self, store, name):
        with pytest.raises(InputError):
            store.put_account(Account(name, "hash", Role.SCIENTIST))
        assert store.accounts() == []

    def test_an_account_remembers_that_it_is_disabled_and_who_vouches_for_it(self, store):
        vouched = replace(ANN, password_hash="", disabled=True, identity="https://id.example#7")
        store.put_account(ANN)
        store.put_account(vouched)
        assert store.accounts() == [vouched]

    # sessions --------------------------------------------------------------------------------

    def test_a_session_comes_back_as_it_was_added(self, store):
        store.put_account(ANN)
        assert store.get_session("k1") is None
        store.add_session(SESSION)
        assert store.get_session("k1") == SESSION

    def test_a_session_remembers_its_last_use(self, store):
        store.put_account(ANN)
        store.add_session(SESSION)
        store.touch_session("k1", START + timedelta(hours=1))
        assert store.get_session("k1") == replace(SESSION, seen=START + timedelta(hours=1))

    def test_an_ended_session_is_gone_and_no_use_brings_it_back(self, store):
        store.put_account(ANN)
        store.add_session(SESSION)
        for _ in range(2):
            store.end_session("k1")
        store.touch_session("k1", START)
        assert store.get_session("k1") is None

    def test_all_sessions_of_an_account_are_ended_at_once(self, store):
        for name in ("ann", "bob"):
            store.put_account(replace(ANN, name=name))
        for key, name in (("k1", "ann"), ("k2", "bob"), ("k3", "ann")):
            store.add_session(replace(SESSION, key=key, name=name))
        assert [store.end_sessions("ann"), store.end_sessions("ann")] == [2, 0]
        assert [store.get_session(key) is None for key in ("k1", "k2", "k3")] == [True, False, True]

    def test_sessions_long_unused_or_begun_long_ago_are_dropped(self, store):
        store.put_account(ANN)
        for minutes in range(4):
            at = START + timedelta(minutes=minutes)
            store.add_session(Session(f"k{minutes}", "ann", at, at + timedelta(minutes=10)))
        minute = timedelta(minutes=1)
        assert store.drop_sessions(START + 11 * minute, START + 2 * minute) == 2
        assert store.drop_sessions(START + 13 * minute, START) == 1
        assert store.get_session("k3") is not None

    def test_an_account_put_again_keeps_sessions_and_tokens(self, store):
        store.put_account(ANN)
        store.add_session(SESSION)
        store.add_token(TOKEN)
        store.put_account(replace(ANN, role=Role.ADMIN))
        assert store.get_session("k1") == SESSION
        assert store.tokens() == [TOKEN]

    # tokens ----------------------------------------------------------------------------------

    def test_a_token_comes_back_as_it_was_added(self, store):
        store.put_account(ANN)
        assert store.get_token("t1") is None
        store.add_token(TOKEN)
        assert store.get_token("t1") == TOKEN

    def test_tokens_are_listed_by_age_all_or_of_one_account(self, store):
        for name in ("ann", "bob"):
            store.put_account(replace(ANN, name=name))
        made = [
            replace(TOKEN, id=f"t{i}", owner=("bob", "ann")[i % 2], created=START.replace(day=i))
            for i in range(1, 5)
        ]
        for token in made:
            store.add_token(token)
        assert store.tokens() == made
        assert store.tokens("ann") == [made[0], made[2]]
        assert store.tokens("eve") == []

    def test_a_revoked_token_is_gone(self, store):
        store.put_account(ANN)
        store.add_token(TOKEN)
        assert [store.revoke_token("t1"), store.revoke_token("t1")] == [True, False]
        assert store.get_token("t1") is None

    def test_a_token_with_half_a_character_in_its_label_is_refused(self, store):
        store.put_account(ANN)
        with pytest.raises(InputError):
            store.add_token(replace(TOKEN, label="\ud800"))
        assert store.tokens() == []
