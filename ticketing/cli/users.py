"""`ticketing users`: who may sign in, with what role and groups, and tokens for programs."""

import sys

import click

from ticketing.cli.actor import command_line
from ticketing.cli.groups import Group
from ticketing.cli.printing import say
from ticketing.desk import Desk, open_desk
from ticketing.desk.tokens import MOST_DAYS
from ticketing.errors import InputError
from ticketing.limits import half_fault
from ticketing.people import Account, Permission, Role
from ticketing.plurals import counted
from ticketing.settings import load_settings

ROLE = click.Choice([role.value for role in Role])
SCOPE = click.Choice([scope.value for scope in Permission])


@click.group("users", cls=Group)
def command() -> None:
    """Add and change people, their roles and groups, and tokens for programs.

    Passwords are asked for, or read from standard input; they are never arguments, which other
    users of the machine can see.
    """


@command.command("list")
def list_() -> None:
    """List everybody with role, groups and tokens."""
    desk = _desk()
    for account in desk.store.accounts():
        say(_described(account))
        for token in desk.store.tokens(account.name):
            scopes = ", ".join(sorted(token.scopes))
            say(f"  token {token.id}  {token.label}  {scopes}  until {token.expires:%Y-%m-%d}")
    if not desk.has_accounts():
        say("Nobody has an account; `ticketing users add NAME --role admin` adds the first.")


@command.command()
@click.argument("name")
@click.option(
    "--role", type=ROLE, default=Role.ENGINEER.value, show_default=True, help="What they do."
)
@click.option("--group", "groups", multiple=True, help="Whose tickets they see; may be repeated.")
def add(name: str, role: str, groups: tuple[str, ...]) -> None:
    """Add NAME and ask for a password; as soon as there is one account, everybody must sign in."""
    account = _desk().add_account(command_line(), name, _password(), Role(role), groups)
    say(f"Added {_described(account)}")


@command.command()
@click.argument("name")
def passwd(name: str) -> None:
    """Ask for a new password of NAME; they are signed out everywhere, and their tokens end."""
    desk = _desk()
    desk.known_account(name)
    ended = desk.set_password(command_line(), name, _password())
    say(
        f"The password of {name} is changed; {name} is signed out everywhere, and"
        f" {counted(ended, 'token')} ended."
    )


@command.command()
@click.argument("name")
@click.option("--role", type=ROLE, help="Their new role.")
@click.option("--group", "groups", multiple=True, help="All their groups; may be repeated.")
@click.option("--no-groups", is_flag=True, help="They are in no group.")
@click.option("--identity", default="", help="OpenID issuer and subject, separated by a blank.")
def change(
    name: str, role: str | None, groups: tuple[str, ...], no_groups: bool, identity: str
) -> None:
    """Change the role, the groups or the OpenID identity of NAME."""
    if groups and no_groups:
        raise click.UsageError("--group and --no-groups exclude each other; give one of them.")
    if not (role or groups or no_groups or identity):
        raise click.UsageError(
            "Nothing is to be changed; give --role, --group, --no-groups or --identity."
        )
    account = _desk().change_account(
        command_line(),
        name,
        role=None if role is None else Role(role),
        groups=groups if groups or no_groups else None,
        identity=identity,
    )
    say(f"Changed {_described(account)}")


@command.command()
@click.argument("name")
@click.option("--undo", is_flag=True, help="Let them sign in again.")
def disable(name: str, undo: bool) -> None:
    """End all sessions and tokens of NAME at once, and let NAME no longer sign in.

    With --undo NAME can sign in again; the old tokens stay deleted.
    """
    account = _desk().change_account(command_line(), name, disabled=not undo)
    say(f"Changed {_described(account)}")


@command.command()
@click.argument("name")
@click.option("--label", default="", help="What the token is for; needed unless --revoke.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=SCOPE,
    help="What it may do; repeatable; needed unless --revoke.",
)
@click.option(
    "--days",
    type=click.IntRange(1, MOST_DAYS),
    default=90,
    show_default=True,
    help="How long it lives.",
)
@click.option("--revoke", metavar="ID", help="End this token of theirs instead.")
def token(name: str, label: str, scopes: tuple[str, ...], days: int, revoke: str | None) -> None:
    """Make a token with which a program acts for NAME; it is shown only once."""
    needed = (("--label, what it is for", label), ("--scope, what it may do", scopes))
    lacking = [option for option, given in needed if not given]
    if lacking and revoke is None:
        raise click.UsageError(f"Give the token {', and '.join(lacking)}.")
    desk = _desk()
    if revoke is not None:
        desk.revoke_token(command_line(), name, revoke)
        say(f"Token {revoke} of {name} is revoked.")
        return
    chosen = [Permission(scope) for scope in scopes]
    made = desk.make_token(command_line(), name, label, chosen, days)
    say(made.secret)


def _desk() -> Desk:
    return open_desk(load_settings())


def _password() -> str:
    """A password typed twice without echo, or the first line of piped input."""
    if sys.stdin.isatty():
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
        return typed
    line = sys.stdin.readline()
    if not line:
        raise InputError("There is no password on standard input; type one, or pipe it in.")
    if half_fault(line):
        raise InputError("The password on standard input is no UTF-8; pipe it in as that.")
    return line.rstrip("\r\n")


def _described(account: Account) -> str:
    groups = ", ".join(sorted(account.groups)) or "no groups"
    disabled = "  disabled" if account.disabled else ""
    return f"{account.name}  {account.role}  {groups}{disabled}"
