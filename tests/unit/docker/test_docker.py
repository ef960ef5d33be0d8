"""What the Docker files name exists here: commands, settings, folders; what must be on is on."""

import re
import shlex
import subprocess
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml

from ticketing.settings import Settings

ROOT = Path(__file__).resolve().parents[3]
DOCKER = ROOT / "docker"
COMPOSE_FILES = ["compose.yaml", "compose.test.yaml"]


def compose(name: str) -> dict:
    return yaml.safe_load((DOCKER / name).read_text())


@pytest.fixture
def services() -> dict:
    """The services of the production file."""
    return compose("compose.yaml")["services"]


@pytest.fixture
def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions and their arguments, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", (DOCKER / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split()[0], line.split(None, 1)[1]) for line in lines]


def last_stage(instructions) -> dict[str, str]:
    """The last value of each instruction of the image that is run."""
    start = max(i for i, (name, _) in enumerate(instructions) if name == "FROM")
    return dict(instructions[start:])


def commands() -> set[str]:
    return {point.name for point in entry_points(group="ticketing.commands")}


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_every_image_is_pinned_and_every_service_says_how_its_health_is_known(name):
    for service in compose(name)["services"].values():
        assert re.fullmatch(r"[\w./-]+:\d+\.\d+\.\d+[\w.-]*", service["image"])
        check = service.get("healthcheck", {})
        own_image = service["image"].startswith("ticketing:")
        assert check.get("disable") or check.get("test") or own_image


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_every_service_that_another_one_waits_for_exists_and_is_checked(name):
    services = compose(name)["services"]
    for service in services.values():
        for other, how in service.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"}
            assert services[other]["healthcheck"]["test"]


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_every_named_volume_is_declared(name):
    file = compose(name)
    mounted = [mount for s in file["services"].values() for mount in s.get("volumes", [])]
    assert {mount.split(":")[0] for mount in mounted} == set(file.get("volumes", {}))


def test_services_of_ours_run_real_commands(services, instructions):
    image = last_stage(instructions)
    assert image["ENTRYPOINT"] == '["ticketing"]'
    assert image["CMD"] == '["serve"]'
    ours = [s for s in services.values() if s["image"].startswith("ticketing:")]
    assert {s["command"][0] for s in ours} == {"serve", "work"} <= commands()


def test_commands_in_the_comments_are_real_too():
    text = (DOCKER / "compose.yaml").read_text()
    found = re.findall(r"^#\s+(docker compose.* run .*)$", text, re.MULTILINE)
    given = [shlex.split(line) for line in found]
    assert len(given) == 3
    assert {line[line.index("web") + 1] for line in given} <= commands()


def test_every_setting_that_is_named_exists(services, instructions):
    named = set(re.findall(r"TICKETING_\w+", (DOCKER / "Dockerfile").read_text()))
    for service in services.values():
        named |= {name for name in service["environment"] if name.startswith("TICKETING_")}
    known = {f"TICKETING_{name.upper()}" for name in Settings.model_fields}
    assert named <= known
    assert {"TICKETING_STORE", "TICKETING_BROKER", "TICKETING_HOME", "TICKETING_HOST"} <= named


def test_no_password_is_written_down_and_every_one_must_be_given(services):
    text = (DOCKER / "compose.yaml").read_text()
    for service in services.values():
        for name, value in service["environment"].items():
            if "PASSWORD" in name or "AUTH" in name or name == "TICKETING_BROKER":
                assert re.search(r"\$\{[A-Z_]+:\?", value), name
    example = (DOCKER / "env.example").read_text()
    for variable in set(re.findall(r"\$\{([A-Z_]+)", text)):
        assert re.search(rf"^{variable}=", example, re.MULTILINE), variable
    assert not re.search(r"^\w*PASSWORD=.+", example, re.MULTILINE)


def test_the_servers_keep_what_they_are_given_and_let_nobody_else_in(services):
    elasticsearch, redis = services["elasticsearch"], services["redis"]
    assert elasticsearch["environment"]["xpack.security.enabled"] == "true"
    assert re.match(r"-Xms(\S+) -Xmx\1$", elasticsearch["environment"]["ES_JAVA_OPTS"])
    assert "--appendonly yes" in redis["command"][-1]
    assert "--requirepass" in redis["command"][-1]
    assert "exec docker-entrypoint.sh redis-server " in redis["command"][-1], "else it stays root"
    assert "no-new-privileges:true" in redis["security_opt"]
    for server in (elasticsearch, redis):
        assert server["volumes"] and "ports" not in server
    for port in services["web"]["ports"]:
        assert port.startswith("127.0.0.1:")


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_no_check_of_health_has_a_password_among_its_arguments(name):
    for service in compose(name)["services"].values():
        test = " ".join(service.get("healthcheck", {}).get("test", []))
        assert not re.search(r"(-u|--user|--pass|-a)[ =]*\S*\$", test), test


def test_the_check_of_elasticsearch_gives_curl_the_password_by_its_input(services, tmp_path):
    """Run with a stand-in for curl, which shows its arguments and its input."""
    _, command = services["elasticsearch"]["healthcheck"]["test"]
    curl = tmp_path / "curl"
    curl.write_text('#!/bin/sh\necho "$@"\ncat\n')
    curl.chmod(0o700)
    done = subprocess.run(
        ["sh", "-c", command.replace("$$", "$")],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "ELASTIC_PASSWORD": "s3cret"},
        capture_output=True,
        text=True,
        check=True,
    )
    arguments, given = done.stdout.split("\n")
    assert arguments.startswith("-fs -K - http://localhost:9200/_cluster/health?")
    assert given == 'user = "elastic:s3cret"'


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_the_image_is_called_after_the_program_s_version(name):
    """An older program's image is not taken for this one's."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    [ours] = set(re.findall(r"image: ticketing[a-z-]*:(\S+)", (DOCKER / name).read_text()))
    assert ours == version


def test_the_topic_models_have_the_program_s_version():
    projects = [ROOT / "pyproject.toml", ROOT / "topic_models" / "pyproject.toml"]
    versions = {tomllib.loads(path.read_text())["project"]["version"] for path in projects}
    assert len(versions) == 1


def test_the_client_and_the_server_are_of_one_version(services):
    version = services["elasticsearch"]["image"].rsplit(":", 1)[1]
    assert version.startswith("8.")
    assert compose("compose.test.yaml")["services"]["elasticsearch"]["image"].endswith(version)


def test_the_image_runs_as_nobody_special_with_a_health_check(instructions):
    image = last_stage(instructions)
    assert int(image["USER"]) >= 1000
    assert "/healthz" in image["HEALTHCHECK"]
    assert "pip" not in image["RUN"] and "COPY" in image
    order = [name for name, _ in instructions]
    assert order.count("FROM") == 3


def test_everything_that_is_copied_exists_and_is_sent(instructions):
    sent = (DOCKER / "Dockerfile.dockerignore").read_text().splitlines()
    for name, arguments in instructions:
        if name == "COPY" and not arguments.startswith("--from"):
            for source in arguments.split()[:-1]:
                assert (ROOT / source).exists() and f"!{source}" in sent, source
