"""`ticketing models`: list bundles, compare, promote, roll back, delete."""

import click

from ticketing.cli.actor import audit, audited_switch
from ticketing.cli.groups import Group
from ticketing.cli.printing import say
from ticketing.cli.waiting import shown_waiting
from ticketing.desk import open_desk
from ticketing.errors import InputError
from ticketing.history import Deed
from ticketing.settings import load_settings


@click.group("models", cls=Group)
def command() -> None:
    """List, compare, promote, roll back and delete model bundles."""


@command.command("list")
def list_models() -> None:
    """List all bundles, oldest first, with time (UTC) and data of their training; * serves."""
    desk = open_desk(load_settings())
    found = desk.bundle_list()
    for bundle in reversed(found):
        mark = "*" if bundle.serves else " "
        time = f"{bundle.trained:%Y-%m-%d %H:%M}" if bundle.trained else "time unknown"
        say(f"{mark} {bundle.id}  {time:16}  {bundle.about}")
    if not found:
        say(f"There are no bundles yet; `ticketing train` makes one. {desk.settings.where}")


@command.command()
@click.argument("bundle")
@click.argument("other", default="")
def compare(bundle: str, other: str) -> None:
    """Compare BUNDLE with OTHER (default: the serving one) on the test queries."""
    desk = open_desk(load_settings())
    other = other or desk.store.serving()
    if not other:
        raise InputError("No bundle serves yet; name the other bundle to compare with.")
    with shown_waiting("Comparing"):
        comparison = desk.compare(bundle, other)
    say(f"{bundle} against {other}: {comparison}")


@command.command()
@click.argument("bundle")
@click.option("--force", is_flag=True, help="Let it serve even if it loses.")
def promote(bundle: str, force: bool) -> None:
    """Let BUNDLE serve unless it loses to the serving one on the test queries with p <= 0.3."""
    with shown_waiting("Comparing with the serving bundle"):
        desk = open_desk(load_settings())
        with audited_switch(desk):
            verdict = desk.promote(bundle, force)
    say(verdict)


@command.command()
def rollback() -> None:
    """Let the bundle that served before serve again."""
    with shown_waiting("Going back"):
        desk = open_desk(load_settings())
        with audited_switch(desk):
            verdict = desk.rollback()
    say(verdict)


@command.command()
@click.argument("bundle")
def delete(bundle: str) -> None:
    """Delete BUNDLE and its codes; the serving bundle cannot be deleted."""
    desk = open_desk(load_settings())
    desk.delete_bundle(bundle)
    audit(desk, Deed.DELETED, f"bundle {bundle}")
    say(f"Bundle {bundle} is deleted.")
