"""The hand-written fault catalogue: read from TOML, checked, and frozen.

`catalogue/terms.toml` holds things that people name differently, `frames.toml` the
sentences around a fault, every other file the faults of some assemblies. See
`wording` for the slots inside a text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ticketing.demo.wording import Slot, parse
from ticketing.errors import InputError
from ticketing.limits import read_toml

FOLDER = Path(__file__).with_name("catalogue")

FIELDS = {
    "subjects": 4,
    "operator": 2,
    "alarm": 2,
    "engineer": 2,
    "reading": 2,
    "finding": 2,
    "cause": 2,
    "action": 3,
    "advice": 1,
}
"""Texts that every fault has, and how many wordings of each at least."""

FRAMES = {
    "subject": "frames",
    "description": "opening operator alarm engineer reading system filler history asking",
    "solution": "opening finding cause action advice system filler history closing open",
}
"""Frames that `frames.toml` has for each component."""

WRITTEN = frozenset({"BODY", "TEXT", "OTHER", "MW", "HOURS", "TIME", "DATE", "SYSTEM"})
"""Slots that the generator fills itself; `frames.toml` lists the values of all others."""


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
    texts: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Catalogue:
    """Everything the generator may say; faults in the order of file names and lines."""

    faults: tuple[Fault, ...]
    terms: Mapping[str, tuple[str, ...]]
    systems: Mapping[str, tuple[str, ...]]
    shorthand: Mapping[str, str]
    frames: Mapping[str, Mapping[str, tuple[str, ...]]]
    slots: Mapping[str, tuple[str, ...]]


def load_catalogue(folder: Path = FOLDER) -> Catalogue:
    """Read and check all TOML files of `folder`.

    Raises InputError naming the file, the fault and the field that cannot be used.
    """
    terms_file, frames_file = folder / "terms.toml", folder / "frames.toml"
    spoken, around = _read(terms_file), _read(frames_file)
    terms = {
        term: _texts(spoken["terms"], term, 2, f"{terms_file.name}: terms")
        for term in _table(spoken, "terms", terms_file.name)
    }
    slots = {
        slot: _texts(around["slots"], slot, 2, f"{frames_file.name}: slots")
        for slot in _table(around, "slots", frames_file.name)
    }
    names = set(terms) | set(slots) | WRITTEN
    frames = {
        component: {
            field: _texts(
                _table(around, component, frames_file.name),
                field, 1, f"{frames_file.name}: {component}", names,
            )
            for field in fields.split()
        }
        for component, fields in FRAMES.items()
    }  # fmt: skip
    faults: dict[str, Fault] = {}
    for path in sorted(set(folder.glob("*.toml")) - {terms_file, frames_file}):
        for fault in _faults(path, names):
            if fault.key in faults:
                raise InputError(f"{path.name}: fault {fault.key} is described twice; rename one.")
            faults[fault.key] = fault
    if not faults:
        raise InputError(f"{folder} holds no fault; add a file with [assembly.fault] tables.")
    shorthand = _table(spoken, "shorthand", terms_file.name)
    systems = {
        assembly: _texts(
            _table(spoken, "systems", terms_file.name), assembly, 2, f"{terms_file.name}: systems"
        )
        for assembly in sorted({fault.assembly for fault in faults.values()})
    }
    return Catalogue(tuple(_both_ways(faults)), terms, systems, shorthand, frames, slots)


def _read(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path} is missing; the catalogue needs it.") from None
    except ValueError as error:
        raise InputError(f"{path.name} is no TOML: {error}.") from None


def _table(document: Mapping[str, Any], name: str, where: str) -> dict[str, Any]:
    table = document.get(name)
    if not isinstance(table, dict) or not table:
        raise InputError(f"{where}: table [{name}] is missing or empty; add it.")
    return table


def _texts(
    table: Mapping[str, Any], field: str, at_least: int, where: str, names: set[str] | None = None
) -> tuple[str, ...]:
    """The list of texts below `field`; slots must be among `names` (None: no slots at all)."""
    texts = table.get(field)
    if (
        not isinstance(texts, list)
        or len(texts) < at_least
        or not all(isinstance(text, str) and text.strip() for text in texts)
        or len(set(texts)) < at_least
    ):
        raise InputError(f"{where}.{field} needs a list of at least {at_least} different texts.")
    for text in texts:
        try:
            used = {piece.name for piece in parse(text) if isinstance(piece, Slot)}
        except InputError as error:
            raise InputError(f"{where}.{field}: {error}") from None
        if unknown := sorted(used - (names or set())):
            raise InputError(
                f"{where}.{field}: {{{unknown[0]}}} in {text!r} is neither a term of terms.toml "
                "nor a slot; add or correct it."
            )
    return tuple(texts)


def _faults(path: Path, names: set[str]) -> Iterator[Fault]:
    for assembly, faults in _read(path).items():
        if not isinstance(faults, dict):
            raise InputError(f"{path.name}: {assembly} stands outside of a fault; move it.")
        for name, table in faults.items():
            where = f"{path.name}: {assembly}.{name}"
            if not isinstance(table, dict):
                raise InputError(f"{where} stands outside of a fault; move it.")
            if unknown := sorted(set(table) - set(FIELDS) - {"related", "common"}):
                raise InputError(
                    f"{where}.{unknown[0]} is no field; known are {', '.join(FIELDS)}."
                )
            related = table.get("related", [])
            for other in related:
                if other not in faults or other == name:
                    raise InputError(
                        f"{where}.related: {other!r} is no other fault of {assembly}; correct it."
                    )
            yield Fault(
                key=f"{assembly}.{name}",
                assembly=assembly,
                related=frozenset(f"{assembly}.{other}" for other in related),
                common=table.get("common", False),
                texts={
                    field: _texts(table, field, at_least, where, names)
                    for field, at_least in FIELDS.items()
                },
            )


def _both_ways(faults: dict[str, Fault]) -> Iterator[Fault]:
    for fault in faults.values():
        named_by = {other.key for other in faults.values() if fault.key in other.related}
        yield Fault(fault.key, fault.assembly, fault.related | named_by, fault.common, fault.texts)
