"""What is a message: all that this program sends, by whichever of its processes."""

import json

import pytest

from ticketing.settings import load_settings
from worker.app import make_app
from worker.discarding import require_message
from worker.publishing import DO_JOB, ENCODE_BATCH
from worker.tasks import register_tasks
from worker.workplace import Workplace


@pytest.mark.parametrize(
    ("name", "arguments", "seconds"),
    [(ENCODE_BATCH, ("job", "bundle", ["T-1"]), 300), (DO_JOB, ("job",), 2 * 24 * 3600)],
)
def test_what_a_worker_sends_is_a_message(tmp_path, name, arguments, seconds):
    """It knows its tasks' time limits, which Celery sends along."""
    app = make_app(load_settings(home=tmp_path))
    register_tasks(app, Workplace(lambda: None))
    app.finalize()
    app.send_task(name, arguments)
    [path] = (tmp_path / "broker").glob("*.msg")
    message = json.loads(path.read_bytes())
    assert message["headers"]["timelimit"] == [seconds, None]
    require_message(message)
