"""Training settings from a TOML file and NAME=VALUE options."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from pydantic import BaseModel, ValidationError

from ticketing.classification.settings import ClassifierSettings
from ticketing.cli.options import FILE, Command, choose_overrides
from ticketing.errors import InputError, first_invalid, nearest
from ticketing.limits import depth_fault, read_toml
from ticketing.model.settings import NetworkSettings
from ticketing.training.settings import TrainingSettings, TuningSettings

Made = TypeVar("Made", bound=BaseModel)

Table = dict[str, Any]
"""A TOML table."""


def choose_settings(function: Command) -> Command:
    """Decorator: add the options of `read_settings`, as `file` and `overrides`."""
    function = choose_overrides("training.epochs=2")(function)
    return click.option(
        "--settings",
        "file",
        type=FILE,
        help="TOML file of settings, with the tables [network] and [training].",
    )(function)


def read_settings(
    file: Path | None, overrides: Sequence[str] = ()
) -> tuple[NetworkSettings, TrainingSettings]:
    """A bundle's settings: a TOML file with NAME=VALUE on top. Raises InputError naming one."""
    tables = _tables(("network", "training"), file, overrides)
    network = _made("network", NetworkSettings(), NetworkSettings, tables)
    training = _made("training", TrainingSettings(), TrainingSettings.for_loss, tables)
    return network, training


def read_category_settings(overrides: Sequence[str]) -> ClassifierSettings:
    """A category model's settings: the defaults with NAME=VALUE on top, such as
    network.encoder.layers=4. Raises InputError naming an invalid one."""
    defaults = dict(ClassifierSettings())
    tables = _tables(list(defaults), None, overrides)
    return ClassifierSettings(
        **{name: _made(name, of, partial(_changed, of), tables) for name, of in defaults.items()}
    )


def read_tuning_settings(overrides: Sequence[str]) -> TuningSettings:
    """Settings for tuning an encoder: the defaults with NAME=VALUE on top, such as tuning.epochs=2.
    Raises InputError naming an invalid one."""
    tables = _tables(["tuning"], None, overrides)
    return _made("tuning", TuningSettings(), TuningSettings, tables)


def _tables(names: Sequence[str], file: Path | None, overrides: Sequence[str]) -> dict[str, Table]:
    """The values given for each table."""
    tables: dict[str, Table] = {name: {} for name in names}
    if file:
        tables |= _read_toml(file, names)
    for override in overrides:
        _put(tables, override)
    if fault := depth_fault(tables):
        raise InputError(f"What --set names {fault}.")
    return tables


def _made(
    name: str, default: BaseModel, make: Callable[..., Made], tables: Mapping[str, Table]
) -> Made:
    """Settings made from a table's values. Raises InputError naming an invalid one; for an unknown
    name it suggests a similar one of the `default` settings."""
    try:
        return make(**tables[name])
    except ValidationError as error:
        field, value, message = first_invalid(error)
        *path, last = field.split(".")
        known: Any = default
        for part in path:
            known = getattr(known, part, None)
        near = nearest(last, dict(known)) if isinstance(known, BaseModel) else ""
        todo = f"; write {'.'.join([name, *path, near])}" if near and near != last else ""
        raise InputError(f"{name}.{field}={value!r}: {message}{todo}.") from None


def _read_toml(file: Path, names: Sequence[str]) -> dict[str, Table]:
    try:
        tables = read_toml(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise InputError(f"{file} is not TOML: {error}.") from None
    for name, table in tables.items():
        if name not in names or not isinstance(table, dict):
            known = " nor ".join(f"[{known}]" for known in names)
            raise InputError(f"{file}: {name} is neither the table {known}.")
    return tables


def _put(tables: dict[str, Table], override: str) -> None:
    """Set the value of NAME=VALUE in nested tables."""
    name, given, text = override.partition("=")
    path = name.split(".")
    if path[0] not in tables or not all(path[1:]) or len(path) < 2 or not given:
        known = " or ".join(f"{table}.NAME=VALUE" for table in tables)
        raise InputError(f"--set {override}: write it as {known}.")
    table: Any = tables
    for part in path[:-1]:
        table = table.setdefault(part, {}) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        raise InputError(f"--set {override}: another value was set for {path[-2]}; give one.")
    table[path[-1]] = _toml_value(text)


def _toml_value(text: str) -> Any:
    """A TOML value, or the text itself if it is not one: shells remove quotes, and leave nothing of
    ""."""
    try:
        return read_toml(f"value = {text}")["value"]
    except ValueError:
        return text


def _changed(default: BaseModel, **values: Any) -> BaseModel:
    """A settings object with changed values, also in nested tables."""
    return type(default).model_validate(_merged(default.model_dump(), values))


def _merged(defaults: Table, values: Table) -> Table:
    return defaults | {
        name: _merged(defaults[name], value)
        if isinstance(value, dict) and isinstance(defaults.get(name), dict)
        else value
        for name, value in values.items()
    }
