"""`ticketing migrate`: move house."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import NoReturn, Self

import click
import numpy as np
from tqdm import tqdm

from ticketing.errors import BundleError, InputError, NotFound
from ticketing.model.inference import Model
from ticketing.model.registry import Registry
from ticketing.plurals import counted
from ticketing.settings import Settings, load_settings
from ticketing.stores import open_store
from ticketing.stores.migration import copy_all, require_equal
from ticketing.stores.protocols import CodeRow


@click.command()
@click.argument("source")
@click.argument("target")
def command(source: str, target: str) -> None:
    """Copy everything from the store SOURCE to the store TARGET and compare both.

    A store is sqlite:///FOLDER or http(s)://HOST:9200. The models stay where they are, in the
    home. Interrupted, run it again: it goes on where it stopped. Let nobody work meanwhile.
    """
    if source == target:
        raise InputError("Source and target are the same store; name two.")
    settings = load_settings()
    vectors = _Vectors(settings)
    with (
        closing(open_store(settings.model_copy(update={"store": source}))) as old,
        closing(open_store(settings.model_copy(update={"store": target}))) as new,
    ):
        with _Bars() as bars:
            copy_all(old, new, vectors, bars)
        with _Bars() as bars:
            require_equal(old, new, bars)
        tickets = counted(new.count_tickets(), "ticket")
        click.echo(f"{tickets} and all that belongs to them are equal in both.")


class _Bars:
    """One progress bar after the other."""

    def __enter__(self) -> Self:
        self._bar: tqdm[NoReturn] | None = None
        return self

    def __call__(self, what: str, total: int | None) -> Callable[[int], object]:
        self.__exit__()
        self._bar = tqdm(desc=what, total=total)
        return self._bar.update

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


class _Vectors:
    """Gives rows of codes the vectors that follow from them and their bundle."""

    def __init__(self, settings: Settings):
        self._models = Registry(settings.home / "models")
        self._loaded: dict[str, Model] = {}

    def __call__(self, bundle_id: str, rows: Sequence[CodeRow]) -> list[CodeRow]:
        if bundle_id not in self._loaded:
            try:
                self._loaded[bundle_id] = Model.from_bundle(self._models.load(bundle_id))
            except (NotFound, BundleError) as error:
                raise InputError(
                    f"The codes of bundle {bundle_id} cannot be moved without it: {error} Set"
                    " TICKETING_HOME to the home that holds it, or drop its codes."
                ) from None
        codes = np.stack([np.frombuffer(row.code, np.uint8) for row in rows])
        vectors = self._loaded[bundle_id].projection.ticket_vectors(codes)
        return [
            replace(row, vector=vector.tobytes()) for row, vector in zip(rows, vectors, strict=True)
        ]
