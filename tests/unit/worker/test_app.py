"""The Celery app that settings ask for."""

import pytest

from ticketing.errors import InputError
from ticketing.settings import load_settings
from worker.app import make_app


@pytest.mark.parametrize("database", ["abc", "0/1", "-1"])
def test_a_redis_database_is_named_by_its_number(tmp_path, database):
    """`ticketing work` ended with a traceback."""
    broker = f"redis://:secret@localhost:6379/{database}"
    with pytest.raises(InputError) as refused:
        make_app(load_settings(home=tmp_path, broker=broker))
    assert str(refused.value) == (
        f"TICKETING_BROKER='redis://***@localhost:6379/{database}' names no database by its number;"
        " write it as redis://HOST:6379/0."
    )
