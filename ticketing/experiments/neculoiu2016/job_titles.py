"""ESCO and O*NET as test data: the labels of an occupation form a group.

`esco_occupations_en.csv` and `onet_alternate_titles.txt` are the public files of ESCO (EU reuse)
and of O*NET (CC BY 4.0).
"""

import csv
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ticketing.classification.taxonomy import Taxonomy, Title, normalise
from ticketing.errors import InputError

ESCO = "esco_occupations_en.csv"
ONET = "onet_alternate_titles.txt"

PARTS = {"test": 0.10, "validation": 0.05, "feedback": 0.05}
"""Shares of the labels that are kept from training."""
SHARED = 2
"""Minimum number of titles that an O*NET and an ESCO occupation share to be counterparts."""
MOST_COUNTERPARTS = 3
"""An O*NET occupation with more counterparts is a remainder ("all other") and left out."""


@dataclass(frozen=True)
class Esco:
    """The labels of all occupations, the ISCO code of each group, and the occupations'
    descriptions."""

    taxonomy: Taxonomy
    codes: dict[str, str]
    descriptions: tuple[str, ...]


def read_esco(folder: Path) -> Esco:
    """Raises InputError where the file is missing or has other columns, and naming a short line."""
    titles, codes, descriptions = [], {}, []
    for row in _rows(folder / ESCO, ",", ("preferredLabel", "altLabels", "iscoGroup")):
        labels = [row["preferredLabel"], *row["altLabels"].split("\n")]
        group = normalise(labels[0])
        titles += [Title(text, group) for text in map(normalise, labels) if text]
        codes[group] = row["iscoGroup"]
        descriptions.append(row.get("description") or "")
    return Esco(Taxonomy(titles), codes, tuple(descriptions))


def onet_queries(folder: Path, esco: Taxonomy) -> dict[str, list[tuple[str, frozenset[str]]]]:
    """O*NET titles that are no ESCO label, with the ESCO groups that count as right.

    No table maps one taxonomy to the other, so shared titles do: an ESCO group is a counterpart
    of an O*NET occupation when they share at least SHARED titles that stand in no other group and
    no other occupation. Half of the occupations are for validation, half for the test.
    """
    occupations: dict[str, set[str]] = defaultdict(set)  # by title
    for row in _rows(folder / ONET, "\t", ("O*NET-SOC Code", "Alternate Title")):
        occupations[normalise(row["Alternate Title"])].add(row["O*NET-SOC Code"])
    clear = {title: next(iter(codes)) for title, codes in occupations.items() if len(codes) == 1}
    shared: Counter[tuple[str, str]] = Counter()
    for title, code in clear.items():
        groups = esco.groups_of.get(title, frozenset())
        if len(groups) == 1:
            shared[code, next(iter(groups))] += 1
    counterparts: dict[str, set[str]] = defaultdict(set)
    for (code, group), titles in shared.items():
        if titles >= SHARED:
            counterparts[code].add(group)
    usable = sorted(c for c, groups in counterparts.items() if len(groups) <= MOST_COUNTERPARTS)
    part_of = {code: ("validation", "test")[i % 2] for i, code in enumerate(usable)}
    queries: dict[str, list[tuple[str, frozenset[str]]]] = {"validation": [], "test": []}
    for title, code in sorted(clear.items()):
        if code in part_of and title not in esco.groups_of:
            queries[part_of[code]].append((title, frozenset(counterparts[code])))
    return queries


def _rows(path: Path, delimiter: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            quoting: Literal[0, 3] = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
            reader = csv.DictReader(file, delimiter=delimiter, quoting=quoting)
            if missing := [name for name in columns if name not in (reader.fieldnames or ())]:
                raise InputError(
                    f"{path} has no column {missing[0]!r}; it is not the file expected here."
                )
            return [_whole(row, columns, f"{path}:{reader.line_num}") for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read ({error}); it belongs to the data.") from None


def _whole(row: dict[str, str], columns: tuple[str, ...], where: str) -> dict[str, str]:
    """A row that has a cell in each of the columns. Raises InputError for a shorter one."""
    if None in [row[name] for name in columns]:
        raise InputError(f"{where} has fewer cells than the header; copy the file again.")
    return row
