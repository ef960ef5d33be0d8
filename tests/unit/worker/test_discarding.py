"""What is a message: all that this program sends, by whichever of its processes."""

import json

from ticketing.settings import load_settings
from worker.app import make_app
from worker.discarding import require_message
from worker.jobs import ENCODE_BATCH
from worker.tasks import register_tasks
from worker.workplace import Workplace


def test_what_a_worker_sends_is_a_message(tmp_path):
    """It knows its tasks' time limits, which Celery sends along."""
    app = make_app(load_settings(home=tmp_path))
    register_tasks(app, Workplace(lambda: None))
    app.send_task(ENCODE_BATCH, ("job", "bundle", ["T-1"]))
    [path] = (tmp_path / "broker").glob("*.msg")
    message = json.loads(path.read_bytes())
    assert message["headers"]["timelimit"] == [300, None]
    require_message(message)
