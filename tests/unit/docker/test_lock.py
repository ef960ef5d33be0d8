"""What the image installs is pinned by hash and satisfies what the package asks for."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.unit.docker.test_docker import DOCKER, ROOT

LOCK = (DOCKER / "requirements.txt").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ENTRY = re.compile(r"([\w.-]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")


def wanted() -> list[str]:
    """What the image's build asks for: to run, for both servers, and to build the package."""
    project = PROJECT["project"]
    servers = project["optional-dependencies"]["servers"]
    return [*project["dependencies"], *servers, *PROJECT["build-system"]["requires"]]


@pytest.mark.parametrize("requirement", list(map(Requirement, wanted())), ids=str)
def test_the_lock_satisfies_what_the_package_asks_for(requirement):
    versions = {canonicalize_name(name): version for name, version, _ in ENTRY.findall(LOCK)}
    version = versions.get(canonicalize_name(requirement.name))
    assert version and version in requirement.specifier, "run `make lock` and commit its file"


def test_every_line_of_the_lock_is_a_version_with_its_hashes_and_none_names_an_index():
    left = re.sub(r"^#.*\n", "", ENTRY.sub("", LOCK), flags=re.MULTILINE)
    assert left.strip() == ""
    assert "://" not in LOCK


def test_torch_is_the_processors():
    assert "+cpu" in {name: version for name, version, _ in ENTRY.findall(LOCK)}["torch"]


def test_the_image_installs_by_hash_and_nothing_beside_the_lock():
    image = (DOCKER / "Dockerfile").read_text().split("FROM build AS test")[0]
    installs = re.findall(r"pip install ((?:[^\n]*\\\n)*[^\n]*)", image)
    assert len(installs) == 2
    assert "--require-hashes -r docker/requirements.txt" in installs[0]
    assert "--no-deps --no-build-isolation" in installs[1]
