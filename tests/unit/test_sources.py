"""What no module and no script of ours does, whatever text it is given."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("ticketing", "topic_models", "worker", "web")
SCRIPTS = ROOT / "web" / "static"

UNPACKERS = {"pickle", "marshal", "shelve", "dill", "joblib", "yaml"}
FETCHERS = {"urllib.request", "http.client", "requests", "httpx", "aiohttp", "ftplib"}
RUNNERS = {"eval", "exec", "compile", "__import__", "os.system", "os.popen"}
MAY_RUN = {"web/demo.py"}
"""Starts a worker, with words that are all its own."""
MAY_FETCH = {"web/openid.py"}
"""Asks the provider that a setting names."""


@cache
def modules() -> list[tuple[str, ast.AST]]:
    """Every module's name with each node of its code."""
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    named = {file.relative_to(ROOT).as_posix(): file for file in files}
    return [
        (name, node)
        for name, file in sorted(named.items())
        if "experiments" not in name
        for node in ast.walk(ast.parse(file.read_text()))
    ]


def imported() -> list[tuple[str, str]]:
    """Every module with the name of one that it imports."""
    found = []
    for name, node in modules():
        if isinstance(node, ast.Import):
            found += [(name, alias.name) for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [(name, node.module)]
    return found


def calls() -> list[tuple[str, ast.Call]]:
    return [(name, node) for name, node in modules() if isinstance(node, ast.Call)]


def test_no_module_runs_code_or_commands_from_text():
    called = [(name, ast.unparse(call.func)) for name, call in calls()]
    assert len(called) > 1000
    assert [x for x in called if x[1] in RUNNERS or x[1].endswith("template_string")] == []
    assert {name for name, module in imported() if module == "subprocess"} <= MAY_RUN
    shell = [name for name, call in calls() if any(k.arg == "shell" for k in call.keywords)]
    assert shell == []


def test_no_module_unpacks_objects_or_fetches_addresses():
    assert [x for x in imported() if x[1].partition(".")[0] in UNPACKERS] == []
    assert {name for name, module in imported() if module in FETCHERS} <= MAY_FETCH


def test_no_format_comes_from_outside():
    formats = [
        (name, ast.unparse(call.func.value))
        for name, call in calls()
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in {"format", "format_map"}
        and not isinstance(call.func.value, ast.Constant)
    ]
    assert len(formats) > 2
    assert [x for x in formats if not re.fullmatch(r"_?[A-Z_]+", x[1])] == []


def test_no_weak_hash_is_used():
    used = {
        ast.unparse(node)
        for _, node in modules()
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "hashlib"
    }
    assert used <= {"hashlib.sha256", "hashlib.shake_256"}


def test_scripts_keep_nothing_and_run_nothing_they_are_given():
    scripts = {file.name: file.read_text() for file in SCRIPTS.glob("*.js")}
    text = "\n".join(scripts.values())
    assert set(re.findall(r"localStorage\.\w+\((\"[^\"]*\")", text)) == {'"shortcuts"'}
    forbidden = r"sessionStorage|indexedDB|document\.cookie|\beval\(|new Function|document\.write"
    assert not re.search(forbidden + r"|postMessage|__proto__|Object\.assign", text)
    assert {name for name, script in scripts.items() if "innerHTML" in script} <= {"typing.js"}


def test_a_package_says_what_each_of_its_modules_is_for():
    """But for commands, whose own first line says which they are."""
    unnamed = []
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            said = ast.get_docstring(ast.parse(file.read_text())) or ""
            if file.stem.startswith("__") or said.startswith("`"):
                continue
            room = ast.get_docstring(ast.parse((file.parent / "__init__.py").read_text())) or ""
            if file.stem not in re.findall(r"\w+", room):
                unnamed.append(file.relative_to(ROOT).as_posix())
    assert unnamed == []
