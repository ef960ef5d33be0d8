"""The network's and the training's settings, from a TOML file and options."""

import tomllib
from pathlib import Path

from pydantic import ValidationError

from ticketing.errors import InputError
from ticketing.model.settings import NetworkSettings
from ticketing.training.settings import TrainingSettings


def read_settings(
    file: Path | None, overrides: tuple[str, ...] = ()
) -> tuple[NetworkSettings, TrainingSettings]:
    """Settings from a TOML file with NAME=VALUE on top. Raises InputError naming the setting."""
    tables: dict[str, dict] = {"network": {}, "training": {}}
    if file:
        tables |= _read_toml(file)
    for override in overrides:
        name, _, text = override.partition("=")
        table, _, key = name.partition(".")
        if table not in tables or not key or not text:
            raise InputError(
                f"--set {override}: write it as network.NAME=VALUE or training.NAME=VALUE."
            )
        tables[table][key] = toml_value(text)
    try:
        network = NetworkSettings(**tables["network"])
        return network, TrainingSettings.for_loss(**tables["training"])
    except ValidationError as error:
        first = error.errors()[0]
        table = "network" if error.title == "NetworkSettings" else "training"
        name = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{table}.{name}={first['input']!r}: {first['msg']}.") from None


def _read_toml(file: Path) -> dict[str, dict]:
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise InputError(f"{file} is not TOML: {error}.") from None
    for name, table in tables.items():
        if name not in ("network", "training") or not isinstance(table, dict):
            raise InputError(f"{file}: {name} is neither the table [network] nor [training].")
    return tables


def toml_value(text: str):
    """A TOML value, or the text itself where it is none (so that quotes may be left out)."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
