"""Where tests lie and what they may name."""

import ast
import importlib.util
from pathlib import Path

UNIT = Path(__file__).parent
TESTS = UNIT.parent
PACKAGES = ("ticketing", "topic_models", "worker", "web")


def test_every_folder_of_unit_tests_is_named_like_a_package_of_ours():
    folders = {file.parent for name in PACKAGES for file in (UNIT / name).rglob("*.py")}
    names = [".".join(folder.relative_to(UNIT).parts) for folder in folders]
    assert len(names) > 10
    assert [name for name in names if importlib.util.find_spec(name) is None] == []


def test_nothing_private_is_replaced_by_its_name():
    """Ruff finds the private names that are written as names (SLF001, PLC2701)."""
    calls = [
        (file, node)
        for file in TESTS.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("setattr")
    ]
    named = [(file, ast.unparse(call.args[i])) for file, call in calls for i in (0, 1)]
    names = [(file.name, name) for file, name in named if name[0] in "'\""]
    assert len(names) > 10
    assert [x for x in names if x[1].strip("'\"").rpartition(".")[2].startswith("_")] == []
