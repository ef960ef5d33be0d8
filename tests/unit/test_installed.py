"""With WHEEL set, as CI does, what is tested is what a desk installs: the built wheel."""

import importlib
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif("WHEEL" not in os.environ, reason="the checkout is tested")

CHECKOUT = Path(__file__).resolve().parents[2]
INSTALLED = Path(sysconfig.get_path("purelib"))
PACKAGES = ["ticketing", "topic_models", "worker", "web"]


def files_of(package: Path) -> set[str]:
    """The files that are not made by running it."""
    found = [path for path in package.rglob("*") if path.is_file()]
    return {str(p.relative_to(package)) for p in found if p.parent.name != "__pycache__"}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_comes_from_the_wheel_and_not_from_the_checkout(name):
    assert Path(importlib.import_module(name).__file__) == INSTALLED / name / "__init__.py"


@pytest.mark.parametrize("name", PACKAGES)
def test_a_process_of_its_own_takes_it_from_the_wheel_too(name):
    code = f"import {name}; print({name}.__file__)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert Path(shown.stdout.strip()) == INSTALLED / name / "__init__.py"


@pytest.mark.parametrize("name", PACKAGES)
def test_the_wheel_lacks_no_page_no_style_and_no_catalogue(name):
    assert files_of(INSTALLED / name) == files_of(CHECKOUT / name)
