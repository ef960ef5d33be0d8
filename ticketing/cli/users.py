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

    The command asks for passwords, or reads them from standard input. They are never arguments,
    because other users of the machine could see those.
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
    "--role", type=ROLE, default=Role.ENGINEER.value, show_default=True, help="The person's role."
)
@click.option(
    "--group", "groups", multiple=True, help="Group whose tickets the person may see; repeatable."
)
def add(name: str, role: str, groups: tuple[str, ...]) -> None:
    """Add NAME and ask for a password; as soon as there is one account, everybody must sign in."""
    account = _desk().add_account(command_line(), name, _password(), Role(role), groups)
    say(f"Added {_described(account)}")


@command.command()
@click.argument("name")
def passwd(name: str) -> None:
    """Ask for a new password of NAME, sign NAME out everywhere, and end all tokens of NAME."""
    desk = _desk()
    desk.known_account(name)
    ended = desk.set_password(command_line(), name, _password())
    say(
        f"The password of {name} is changed; {name} is signed out everywhere, and"
        f" {counted(ended, 'token')} ended."
    )


@command.command()
@click.argument("name")
@click.option("--role", type=ROLE, help="The person's new role.")
@click.option(
    "--group", "groups", multiple=True, help="New group, replacing the present ones; repeatable."
)
@click.option("--no-groups", is_flag=True, help="Take the person out of all groups.")
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
@click.option("--undo", is_flag=True, help="Let the person sign in again.")
def disable(name: str, undo: bool) -> None:
    """Disable NAME: end all sessions and tokens at once, and refuse further sign-ins.

    With --undo NAME can sign in again; the old tokens are not restored.
    """
    account = _desk().change_account(command_line(), name, disabled=not undo)
    say(f"Changed {_described(account)}")


@command.command()
@click.argument("name")
@click.option("--label", default="", help="What the token is for; required without --revoke.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=SCOPE,
    help="What the token allows; repeatable; required without --revoke.",
)
@click.option(
    "--days",
    type=click.IntRange(1, MOST_DAYS),
    default=90,
    show_default=True,
    help="Number of days that the token is valid.",
)
@click.option(
    "--revoke", metavar="ID", help="Revoke this token of the person instead of making one."
)
def token(name: str, label: str, scopes: tuple[str, ...], days: int, revoke: str | None) -> None:
    """Make a token with which a program acts for NAME, and print it: it is shown only once."""
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
