"""The table of OWASP's standard: whole, and every test it names exists; every limit is written."""

import importlib.util
import re

from tests.docs.pages import ROOT
from ticketing import limits
from ticketing.limits import Limit

CHAPTERS = {1: 27, 2: 11, 3: 19, 4: 10, 5: 9, 6: 35, 7: 18, 8: 7, 9: 7, 10: 29, 11: 14, 12: 9}
CHAPTERS |= {13: 13, 14: 9, 15: 13, 16: 16, 17: 7}
"""Requirements of levels 1 and 2 in each chapter of version 5.0.0."""


def asvs():
    spec = importlib.util.spec_from_file_location("asvs", ROOT / "docs" / "asvs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def named_tests() -> set[str]:
    """The names of all tests."""
    files = (ROOT / "tests").rglob("*.py")
    return {x for file in files for x in re.findall(r"^ *def (test_\w+)", file.read_text(), re.M)}


def test_every_requirement_has_a_row_of_a_known_state():
    rows = list(asvs().requirements())
    numbers = [row.number for row in rows]
    assert numbers == sorted(set(numbers))
    assert {c: sum(number[0] == c for number in numbers) for c in CHAPTERS} == CHAPTERS
    assert len(rows) == sum(CHAPTERS.values())
    assert {row.state for row in rows} == set(asvs().STATES)
    table = asvs().PAGE.read_text()
    assert len(re.findall(r"^\| \d", table, re.MULTILINE)) == len(rows)


def test_what_is_met_names_a_test_that_exists_or_a_page():
    known = named_tests()
    for row in asvs().requirements():
        named = re.findall(r"`(test_\w+)`", row.reason)
        assert set(named) <= known, row.number
        assert named or "](" in row.reason or row.state != "met", row.number


def test_every_limit_stands_in_the_documents():
    page = (ROOT / "docs" / "security.md").read_text().partition("## People")[0]
    found = [limit for limit in vars(limits).values() if isinstance(limit, Limit)]
    assert len(found) > 10
    assert [limit for limit in found if f"| {limit.most:,}" not in page] == []
