"""No password leaves the program: not in a message, a log line, a traceback or a repr."""

import logging
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kombu import Connection

from tests.work import counting
from ticketing import redaction
from ticketing.errors import InputError
from ticketing.redaction import MaskedRecord, masked
from ticketing.settings import Settings, load_settings
from ticketing.stores import open_store
from worker.app import make_app

ADDRESSES = {
    "amqp://ann:s3cret@h": "amqp://***@h",
    "redis://:s3@cr/et#s3cret@h": "redis://***@h",
    "https://ann:s3cret@h:notaport": "https://***@h:notaport",
    "ann:s3cret@h": "***@h",
    ":s3cret@h": "***@h",
    "http://h:9200,https://ann:s3cret@h": "http://***@h",
    "redis://:s3cret@h:6379/0": "redis://***@h:6379/0",
}
PARTS = ("s3", "ann:")


@pytest.mark.parametrize(("address", "shown"), ADDRESSES.items())
def test_an_address_shows_no_user_and_no_password(address, shown):
    assert masked(address) == shown
    assert masked(f"cannot reach '{address}' (refused)") == f"cannot reach '{shown}' (refused)"


@pytest.mark.parametrize(
    "text",
    ["http://127.0.0.1:9200 is away; write to bob@example.org", "at 10:20 by bob@x", "sqlite:///x"],
)
def test_other_text_stays(text):
    assert masked(text) == text


BEFORE = re.compile(r"(?:(?<=://)|\w*:(?!//))\S*@")
"""What was masked by one pattern, whose work grew with the square of a text."""


@given(st.lists(st.sampled_from(["a", "ü_1", ":", "/", "//", "://", "@", " ", "\n", "-"])))
def test_what_is_masked_is_what_one_pattern_says(parts):
    text = "".join(parts)
    assert masked(text) == BEFORE.sub("***@", text)


HOSTILE = ["a", "a:", ":", "://", "a@", "@", "a-", "a:b@", "http://a:"]


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("end", ["", "@h", " @", ":@"])
def test_the_work_of_masking_doubles_with_the_text(piece, end):
    """32,000 characters took seconds of whoever logged them."""

    def work(times):
        with counting([redaction]) as done:
            masked(piece * times + end)
        return done.steps

    assert work(200) <= 2.6 * work(100) + 10


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("setting", ["store", "broker"])
def test_no_setting_is_shown_or_refused_with_its_password(setting, address, tmp_path):
    try:
        settings = load_settings(home=tmp_path, **{setting: address})
    except InputError as error:
        said = str(error)
    else:
        said = repr(settings)
        with pytest.raises(InputError) as refused:
            (open_store if setting == "store" else make_app)(settings)
            raise InputError("nothing was wrong")
        said += str(refused.value)
    assert setting.upper() in said.upper()
    assert not any(part in said for part in PARTS)


def test_a_second_password_for_the_broker_is_refused_and_not_shown():
    with pytest.raises(InputError, match="TICKETING_BROKER_PASSWORD cannot be used") as caught:
        load_settings(broker="redis://:s3cret@h", broker_password="s3cr@t")
    assert not any(password in str(caught.value) for password in ("s3cret", "s3cr@t"))


@pytest.mark.parametrize(
    ("broker", "address"),
    [
        ("redis://h:6379/0", "redis://:a%40b%2F@h:6379/0"),
        ("redis://ada@h", "redis://ada:a%40b%2F@h"),
    ],
)
def test_the_brokers_password_is_part_of_the_address_for_those_who_connect(broker, address):
    settings = Settings(broker=broker, broker_password="a@b/")
    assert settings.broker_address == address
    assert "a@b" not in repr(settings)


def test_an_address_that_can_be_taken_apart_may_hold_anything_written_as_it_should_be():
    assert Settings(broker="redis://:s%40%2F%23@h:6379/0").broker.endswith("@h:6379/0")
    assert Settings(store="http://a:9200, http://b:9200").store
    assert Settings(store="sqlite:////srv/an@odd place").store


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_a_library_raises_is_logged_without_the_password(address):
    try:
        Connection(address).connect()
        raise OSError(f"cannot connect to {address}")
    except Exception as error:
        record = MaskedRecord(
            "celery", 40, "x.py", 1, "lost %s: %r", (address, error), sys.exc_info()
        )
    written = logging.Formatter().format(record)
    assert "Traceback" in written
    assert not any(part in written for part in ("s3cret", "s3@cr"))


def test_a_traceback_of_the_program_shows_no_password():
    program = (
        "import threading\nfrom ticketing.redaction import mask_output\nmask_output()\n"
        "def fail(): raise OSError('redis://:' + 's3cret@h/0')\n"
        "thread = threading.Thread(target=fail); thread.start(); thread.join(); fail()"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.returncode == 1
    assert found.stderr.count("OSError: redis://***@h/0") == 2
