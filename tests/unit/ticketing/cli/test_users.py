"""`ticketing users` from the first account to the last token."""

import io
import re

import pytest
from click.testing import CliRunner

from tests.commands import refused, run
from tests.people import GOOD
from ticketing import passwords
from ticketing.cli.users import command
from ticketing.desk import open_desk
from ticketing.errors import InputError, NotFound
from ticketing.people import Role
from ticketing.settings import load_settings


def fed(*arguments, password=GOOD) -> str:
    """What the command prints when a password is piped in."""
    given = None if password is None else f"{password}\n"
    done = CliRunner().invoke(command, list(arguments), input=given, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def account(name):
    desk = open_desk(load_settings())
    found = desk.known_account(name)
    desk.close()
    return found


def test_groups_and_none_are_not_given_together(home):
    fed("add", "ann", "--role", "admin", "--group", "lab")
    both = ["change", "ann", "--group", "service", "--no-groups"]
    done = CliRunner().invoke(command, both)
    assert done.exit_code == 2 and "exclude each other" in done.output
    assert account("ann").groups == {"lab"}


def test_people_are_added_listed_changed_and_disabled(home):
    assert "Nobody has an account" in run(command, "list")
    assert fed("add", "ann", "--role", "admin") == "Added ann  admin  no groups\n"
    fed("add", "bob", "--group", "lab", "--group", "service")
    assert run(command, "list") == "ann  admin  no groups\nbob  engineer  lab, service\n"
    run(command, "change", "bob", "--role", "scientist")
    assert account("bob").groups == {"lab", "service"}
    run(command, "change", "bob", "--no-groups")
    run(command, "disable", "bob")
    assert run(command, "list").endswith("bob  scientist  no groups  disabled\n")
    run(command, "disable", "bob", "--undo")
    assert not account("bob").disabled


def test_a_password_comes_from_standard_input_and_is_kept_as_argon2id(home):
    fed("add", "ann", "--role", "admin")
    first = account("ann").password_hash
    assert first.startswith("$argon2id$") and passwords.matches(first, GOOD)
    assert not passwords.matches(first, GOOD + " ")
    fed("passwd", "ann", password="quite other words here")
    assert passwords.matches(account("ann").password_hash, "quite other words here")
    assert "quite other" not in run(command, "list")


def test_another_password_ends_sessions_and_tokens_and_says_so(home):
    fed("add", "ann", "--role", "admin")
    for label in ("one", "two"):
        run(command, "token", "ann", "--label", label, "--scope", "ask")
    said = "The password of ann is changed; ann is signed out everywhere, and"
    assert fed("passwd", "ann", password=f"{GOOD} anew") == f"{said} 2 tokens ended.\n"
    assert "token" not in run(command, "list")
    assert fed("passwd", "ann", password=GOOD) == f"{said} 0 tokens ended.\n"
    helped = " ".join(run(command, "passwd", "--help").split())
    assert "sign NAME out everywhere, and end all tokens of NAME." in helped


def test_no_command_takes_a_password_as_an_argument():
    for name in command.list_commands(None):
        parameters = command.get_command(None, name).params
        assert not [p.name for p in parameters if "pass" in p.name]


def test_a_token_is_printed_once_and_revoked(home):
    fed("add", "ann", "--role", "admin")
    secret = run(command, "token", "ann", "--label", "nightly", "--scope", "ask").strip()
    id = re.fullmatch(r"tick_([0-9a-f]{12})_[\w-]{43}", secret)[1]
    desk = open_desk(load_settings())
    assert desk.person_of_token(secret).name == "ann"
    listed = run(command, "list")
    assert f"token {id}  nightly  ask  until" in listed and secret not in listed
    run(command, "token", "ann", "--revoke", id)
    assert desk.person_of_token(secret) is None
    desk.close()


@pytest.mark.parametrize("identity", [" ", "https://login.example", "https://login.example "])
def test_what_no_provider_calls_anybody_is_no_identity_and_takes_no_password(home, identity):
    fed("add", "ann", "--role", "admin")
    said = refused(InputError, command, "change", "ann", "--identity", identity)
    assert "names nobody at a provider; give its issuer, a blank" in said
    assert passwords.matches(account("ann").password_hash, GOOD)


def test_two_people_have_no_identity_in_common(home):
    fed("add", "ann", "--role", "admin")
    fed("add", "bob")
    for _ in range(2):
        run(command, "change", "ann", "--identity", "https://login.example 7")
    said = refused(InputError, command, "change", "bob", "--identity", "https://login.example 7")
    assert said == "ann has this identity already; give that of bob."
    assert not account("bob").openid


def test_revoking_without_an_id_makes_no_token(home):
    fed("add", "ann", "--role", "admin")
    asked = ("token", "ann", "--label", "nightly", "--scope", "ask", "--revoke", "")
    assert refused(NotFound, command, *asked) == "ann has no token ''."
    assert "token" not in run(command, "list")


def test_somebody_disabled_gets_no_token_that_would_act_for_them_later(home):
    fed("add", "ann", "--role", "admin")
    fed("add", "bob")
    run(command, "disable", "bob")
    asked = ("token", "bob", "--label", "nightly", "--scope", "ask")
    said = refused(InputError, command, *asked)
    assert said == "bob is disabled; let them sign in again first."
    assert "token" not in run(command, "list")
    run(command, "disable", "bob", "--undo")
    assert run(command, *asked).startswith("tick_")


@pytest.mark.parametrize(
    "password", ["short", "password1", "ann12345", "qwertyuiop", "aaaaaaaaaaaa"]
)
def test_a_weak_password_is_refused(home, password):
    with pytest.raises(InputError, match="password"):
        fed("add", "ann", "--role", "admin", password=password)
    assert "Nobody has an account" in run(command, "list")


NAMES = ["", " ", "local", "Demonstration", "import", "anonymous", "cli:root", "a\u202eb", "x" * 81]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_could_be_taken_for_another_is_refused(home, name):
    with pytest.raises(InputError):
        fed("add", name, "--role", "admin")


def test_a_name_is_taken_in_any_case_and_any_width(home):
    fed("add", "Ann", "--role", "admin")
    for name in ("ann", "ANN", " Ann", "Ａnn"):
        with pytest.raises(InputError, match="already"):
            fed("add", name)


def test_the_last_admin_stays_one(home):
    fed("add", "ann", "--role", "admin")
    fed("add", "bob")
    for change in (("change", "ann", "--role", "engineer"), ("disable", "ann")):
        with pytest.raises(InputError, match="last admin"):
            run(command, *change)
    assert account("ann").role == Role.ADMIN
    run(command, "change", "bob", "--role", "admin")
    run(command, "disable", "ann")


def test_nobody_is_said(home):
    token = ("token", "eve", "--label", "x", "--scope", "ask")
    for arguments in (("passwd", "eve"), ("disable", "eve"), token):
        with pytest.raises(NotFound, match="Nobody is called eve"):
            fed(*arguments)
    with pytest.raises(InputError, match="standard input"):
        fed("add", "ann", "--role", "admin", password=None)


@pytest.mark.parametrize("group", ["a,b", "a;b", "", " "])
def test_a_group_that_no_ticket_can_have_is_refused(home, group):
    with pytest.raises(InputError, match="is no name of a group; name one at a time, without"):
        fed("add", "ann", "--role", "admin", "--group", "lab", "--group", group)
    fed("add", "ann", "--role", "admin", "--group", " lab ")
    assert account("ann").groups == {"lab"}
    with pytest.raises(InputError, match="is no name of a group"):
        run(command, "change", "ann", "--group", group)


def test_a_password_that_is_no_utf8_is_refused(home, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("gr\udcfc\udcdfe aus dem keller\n"))
    with pytest.raises(InputError, match="no UTF-8"):
        command.main(["add", "ann", "--role", "admin"], standalone_mode=False)


def during_the_hash(monkeypatch, deed):
    hashed = passwords.hashed

    def slow(password):
        monkeypatch.setattr(passwords, "hashed", hashed)
        deed()
        return hashed(password)

    monkeypatch.setattr(passwords, "hashed", slow)


def test_a_new_password_undoes_no_change_of_meanwhile(home, monkeypatch):
    fed("add", "ann", "--role", "admin")
    fed("add", "bob", "--role", "admin")
    during_the_hash(monkeypatch, lambda: run(command, "disable", "bob"))
    fed("passwd", "bob", password=f"{GOOD} anew")
    assert account("bob").disabled
    assert passwords.matches(account("bob").password_hash, f"{GOOD} anew")


def test_of_two_people_added_under_one_name_at_once_the_first_stays(home, monkeypatch):
    fed("add", "ann", "--role", "admin")
    during_the_hash(monkeypatch, lambda: fed("add", "dora", "--role", "admin"))
    with pytest.raises(InputError, match="somebody called dora already"):
        fed("add", "dora", "--role", "engineer")
    assert account("dora").role == Role.ADMIN


def test_what_a_token_lacks_is_named_by_its_option(home):
    fed("add", "ann", "--role", "admin")
    for options, said in (
        ((), "Give the token --label, what it is for, and --scope, what it may do."),
        (("--scope", "ask"), "Give the token --label, what it is for."),
        (("--label", "nightly"), "Give the token --scope, what it may do."),
        (("--label", "nightly", "--scope", "ask", "--days", "0"), "range 1<=x<=366"),
        (("--label", "nightly", "--scope", "ask", "--days", "367"), "range 1<=x<=366"),
    ):
        done = CliRunner().invoke(command, ["token", "ann", *options])
        assert done.exit_code == 2 and said in " ".join(done.output.split())
    assert "token" not in run(command, "list")
    helped = " ".join(run(command, "token", "--help").split())
    assert "What the token is for; required without --revoke." in helped
    assert "What the token allows; repeatable; required without --revoke." in helped


def test_a_change_of_nothing_says_what_may_be_changed(home):
    fed("add", "ann", "--role", "admin")
    done = CliRunner().invoke(command, ["change", "ann"])
    assert done.exit_code == 2
    assert "Nothing is to be changed; give --role, --group, --no-groups or --identity." in (
        " ".join(done.output.split())
    )
