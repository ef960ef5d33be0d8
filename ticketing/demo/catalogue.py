"""The hand-written fault catalogue, read from TOML.

`catalogue/terms.toml` holds things that people name differently, `frames.toml` the
sentences around a fault, every other file the faults of some assemblies. See
`wording` for the slots inside a text. The tests check that the files are complete.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("catalogue")

FIELDS = (
    "subjects",
    "operator",
    "alarm",
    "engineer",
    "reading",
    "finding",
    "cause",
    "action",
    "advice",
)
"""Texts that every fault has, each in several wordings."""

Texts = Mapping[str, tuple[str, ...]]
"""Wordings by the name of what they say."""


@dataclass(frozen=True)
class Fault:
    """One fault: one cause and one remedy, told in several wordings.

    `related` names faults of the same assembly whose tickets help somewhat; the
    relation holds both ways. `common` faults fill three times as many tickets.
    """

    key: str
    assembly: str
    related: frozenset[str]
    common: bool
    texts: Texts


@dataclass(frozen=True)
class Catalogue:
    """Everything the generator may say; faults in the order of file names and lines."""

    faults: tuple[Fault, ...]
    terms: Texts
    systems: Texts
    shorthand: Mapping[str, str]
    frames: Mapping[str, Texts]
    slots: Texts


def load_catalogue() -> Catalogue:
    """Read all files."""
    files = {
        path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob("*.toml"))
    }
    spoken, frames = files.pop("terms"), files.pop("frames")
    slots = frames.pop("slots")
    return Catalogue(
        tuple(_both_ways([fault for file in files.values() for fault in _faults(file)])),
        _texts(spoken["terms"]),
        _texts(spoken["systems"]),
        spoken["shorthand"],
        {component: _texts(table) for component, table in frames.items()},
        _texts(slots),
    )


def _texts(table: Mapping[str, list[str]]) -> Texts:
    return {name: tuple(wordings) for name, wordings in table.items()}


def _faults(file: Mapping[str, Any]) -> Iterator[Fault]:
    for assembly, faults in file.items():
        for name, table in faults.items():
            yield Fault(
                key=f"{assembly}.{name}",
                assembly=assembly,
                related=frozenset(f"{assembly}.{other}" for other in table.get("related", ())),
                common=table.get("common", False),
                texts=_texts({field: table[field] for field in FIELDS}),
            )


def _both_ways(faults: list[Fault]) -> Iterator[Fault]:
    for fault in faults:
        named_by = {other.key for other in faults if fault.key in other.related}
        yield replace(fault, related=fault.related | named_by)
