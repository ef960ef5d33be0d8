"""`ticketing models`: list bundles, compare, promote, roll back, delete."""

from datetime import datetime

import click

from ticketing.cli.doer import audit, audited_switch
from ticketing.cli.groups import Group
from ticketing.cli.waiting import shown_waiting
from ticketing.desk import open_desk
from ticketing.errors import BundleError, InputError
from ticketing.history import Deed
from ticketing.model.registry import Registry
from ticketing.plurals import counted
from ticketing.settings import load_settings
from ticketing.tickets import ModelKind


@click.group("models", cls=Group)
def command() -> None:
    """List, compare, promote, roll back and delete model bundles."""


@command.command("list")
def list_models() -> None:
    """All bundles, oldest first, with what they were trained on; * serves."""
    desk = open_desk(load_settings())
    serving = {desk.store.serving(kind) for kind in ModelKind}
    ids = desk.models.ids()
    for id in ids:
        trained = datetime.fromtimestamp((desk.models.folder / id).stat().st_mtime)
        mark = "*" if id in serving else " "
        click.echo(f"{mark} {id}  {trained:%Y-%m-%d %H:%M}  {_described(desk.models, id)}")
    if not ids:
        click.echo("There are no bundles yet; `ticketing train` makes one.")


def _described(models: Registry, id: str) -> str:
    """What a bundle was trained on, or what to do with one that cannot be read."""
    try:
        manifest = models.manifest(id)
    except BundleError as error:
        return str(error)
    data, network = manifest["data"], manifest["network"]
    if manifest["kind"] == ModelKind.CATEGORIES:
        return f"{counted(data['titles'], 'title')} in {counted(data['categories'], 'category')}"
    return (
        f"{counted(data['tickets'], 'ticket')}, {counted(data['labels'], 'label')},"
        f" loss {manifest['training']['loss']}, {network['pairs']}, {'+'.join(network['channels'])}"
    )


@command.command()
@click.argument("bundle")
@click.argument("other", default="")
def compare(bundle: str, other: str) -> None:
    """BUNDLE against OTHER (default: the serving one) on the test queries."""
    desk = open_desk(load_settings())
    other = other or desk.store.serving()
    if not other:
        raise InputError("No bundle serves yet; name the other bundle to compare with.")
    with shown_waiting("Comparing"):
        comparison = desk.compare(bundle, other)
    click.echo(f"{bundle} against {other}: {comparison}")


@command.command()
@click.argument("bundle")
@click.option("--force", is_flag=True, help="Let it serve whatever the comparison says.")
def promote(bundle: str, force: bool) -> None:
    """Let BUNDLE serve unless it loses to the serving one on the test queries, beyond chance."""
    with shown_waiting("Comparing with the serving bundle"):
        desk = open_desk(load_settings())
        with audited_switch(desk):
            verdict = desk.promote(bundle, force)
    click.echo(verdict)


@command.command()
def rollback() -> None:
    """Let the bundle that served before serve again."""
    with shown_waiting("Going back"):
        desk = open_desk(load_settings())
        with audited_switch(desk):
            verdict = desk.rollback()
    click.echo(verdict)


@command.command()
@click.argument("bundle")
def delete(bundle: str) -> None:
    """Delete BUNDLE and its codes; the serving one is refused."""
    desk = open_desk(load_settings())
    desk.delete_bundle(bundle)
    audit(desk, Deed.DELETED, f"bundle {bundle}")
    click.echo(f"Bundle {bundle} is deleted.")
