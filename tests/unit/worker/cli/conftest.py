"""The home and the desk that all commands are tested on."""

from tests.unit.ticketing.cli.conftest import desk, home  # noqa: F401
