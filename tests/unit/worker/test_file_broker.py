"""Messages as files: who takes which, and when the next one is looked for."""

import os
import threading
import time
from pathlib import Path

import pytest

from ticketing.settings import load_settings
from worker.app import make_app
from worker.queues import QUEUE


@pytest.fixture
def app(tmp_path):
    """An app whose messages are files, and which looks for the next only once an hour."""
    app = make_app(load_settings(home=tmp_path))
    app.conf.broker_transport_options["polling_interval"] = 3600
    return app


@pytest.fixture
def connect(app):
    """A function that connects to the broker as another process does."""
    made = []

    def connect():
        made.append(app.connection_for_read())
        return made[-1]

    yield connect
    for connection in made:
        connection.release()


def put(app, *said):
    """A message for each, in this order."""
    for one in said:
        app.send_task("any", (one,))


def take(channel):
    """What the next message of a channel says."""
    return channel.basic_get(QUEUE, no_ack=True).decode()[0][0]


def test_two_who_take_turns_take_each_message_once_in_the_order_they_were_put(app, connect):
    one, other = connect().channel(), connect().channel()
    put(app, "a", "b", "c")
    assert [take(one), take(other)] == ["a", "b"]
    put(app, "d")
    assert [take(other), take(one)] == ["c", "d"]
    assert one.basic_get(QUEUE) is None


def test_the_next_message_is_taken_as_soon_as_one_was_dealt_with(app, connect):
    put(app, "a", "b")
    connection, held, in_vain = connect(), [], threading.Event()
    channel = connection.channel()
    channel.basic_qos(0, 1, False)
    channel.basic_consume(QUEUE, False, held.append, "here")
    connection.drain_events()

    def can_consume():
        in_vain.set()
        return may_consume()

    may_consume, channel.qos.can_consume = channel.qos.can_consume, can_consume
    waiting = threading.Thread(target=connection.drain_events, daemon=True)
    waiting.start()
    assert in_vain.wait(30)
    channel.basic_ack(held[0].delivery_tag)
    waiting.join(30)
    assert [message.decode()[0][0] for message in held] == ["a", "b"]


def test_what_killed_processes_left_of_messages_is_deleted_after_an_hour(app, connect, monkeypatch):
    channel, left = connect().channel(), []
    folder = Path(channel.data_folder_in)
    for name in (f"1.{QUEUE}.taken", "2.unfinished"):
        left.append(folder / name)
        left[-1].write_text("{}")
        os.utime(left[-1], (0, 0))  # a message may have waited for long before it was taken
    assert channel.basic_get(QUEUE) is None
    assert all(path.exists() for path in left)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3700)
    assert channel.basic_get(QUEUE) is None
    assert not any(path.exists() for path in left)
