"""The library stands alone: what it imports is what it declares, and it installs by itself."""

import ast
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import topic_models

LIBRARY = Path(topic_models.__file__).parent
CHECKOUT = Path(__file__).resolve().parents[3]


def declared(project: Path) -> list[str]:
    return tomllib.loads(project.read_text())["project"]["dependencies"]


def imported() -> set[str]:
    nodes = [n for path in LIBRARY.rglob("*.py") for n in ast.walk(ast.parse(path.read_text()))]
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names = plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


def test_it_imports_nothing_but_itself_and_what_it_declares():
    names = {
        line.partition("~")[0].partition(">")[0] for line in declared(LIBRARY / "pyproject.toml")
    }

    assert imported() - sys.stdlib_module_names - {"topic_models"} == names


def test_it_wants_the_versions_that_the_whole_program_wants():
    whole = declared(CHECKOUT / "pyproject.toml")

    assert set(declared(LIBRARY / "pyproject.toml")) <= set(whole)


@pytest.mark.slow
def test_installed_by_itself_its_example_runs_far_from_here(tmp_path):
    source, place = tmp_path / "source", tmp_path / "place"
    shutil.copytree(LIBRARY, source, ignore=shutil.ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--no-index", "--target", place, source], check=True)

    example = "import doctest, topic_models as t; print(t.__file__, doctest.testmod(t))"
    shown = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        env={"PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert shown.startswith(str(place)) and "failed=0" in shown
