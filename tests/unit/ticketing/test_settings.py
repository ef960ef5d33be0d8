"""What the environment may say: all else is refused with a sentence."""

import pytest

from ticketing.errors import InputError
from ticketing.settings import load_settings


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("HOME", "", "TICKETING_HOME='' cannot be used: name a folder, or leave it out."),
        ("STORE", "sqlite:///", "TICKETING_STORE cannot be used: name a folder behind it, as"),
    ],
)
def test_a_value_that_means_nothing_is_refused(monkeypatch, name, value, said):
    monkeypatch.setenv(f"TICKETING_{name}", value)
    with pytest.raises(InputError) as raised:
        load_settings()
    assert str(raised.value).startswith(said)
