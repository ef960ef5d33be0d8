"""Two people begin the same work at the same moment, with Elasticsearch."""

from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress

import pytest

from tests.live.encoding_desk import ANN, BUNDLE, DigestDesk
from ticketing.errors import Conflict
from ticketing.jobs import JobKind, JobState
from ticketing.stores.elasticsearch.connection import Connection
from ticketing.tickets import Ticket
from worker import jobs
from worker.app import make_app

pytestmark = pytest.mark.elasticsearch


@pytest.fixture
def desk(elasticsearch_settings, monkeypatch, tmp_path):
    monkeypatch.setenv("TICKETING_STORE", elasticsearch_settings.store)
    monkeypatch.setenv("TICKETING_STORE_PREFIX", elasticsearch_settings.store_prefix)
    desk = DigestDesk(tmp_path)
    desk.store.put_tickets([Ticket("1", "one")])
    yield desk
    desk.close()


@pytest.mark.parametrize("first", ["retry", "start"])
def test_a_job_begun_anew_while_it_is_retried_is_one_job(desk, monkeypatch, first):
    """Elasticsearch ran both: neither request saw the other's job."""
    app = make_app(desk.settings)
    cancelled = desk.store.create_job(JobKind.REINDEX, BUNDLE, 1)
    desk.store.update_job(cancelled.id, state=JobState.CANCELLED)
    requests = {
        "retry": lambda: jobs.retry_job(desk, app, cancelled.id, ANN),
        "start": lambda: jobs.start_reindex(desk, app, BUNDLE),
    }
    now, meanwhile = requests.pop(first), requests.popitem()[1]
    listed, begun = Connection.listed, []

    def with_another_meanwhile(*args, **kwargs):
        hits = listed(*args, **kwargs)
        if not begun:
            begun.append(threads.submit(meanwhile))
            wait(begun, timeout=2.0)
        return hits

    monkeypatch.setattr(Connection, "listed", with_another_meanwhile)
    with ThreadPoolExecutor() as threads:
        now()
        with suppress(Conflict):  # the retry comes too late
            begun[0].result()
    assert len(desk.store.unfinished_jobs()) == 1
