"""One worker that cannot have the bundle hands its batches back; the others do them."""

import pytest

from tests.live.encoding_desk import DigestDesk, finished, wait_until, workers
from ticketing.desk.models import Models
from ticketing.jobs import JobState, Promotion
from ticketing.tickets import Ticket
from worker.handing_back import WITHOUT
from worker.jobs import start_reindex
from worker.presence import live_workers

pytestmark = pytest.mark.worker

TICKETS = [Ticket(f"{i:04}", f"ticket {i}") for i in range(600)]


class FetchingDesk(DigestDesk):
    """Encodes only where the bundle is, which it fetches from the store."""

    def __init__(self, home, seconds=0.0):
        super().__init__(home, seconds)
        self.models = Models(home / "models", self.store)

    def encode(self, bundle_id, tickets, tokens=None):
        self.models.require(bundle_id)
        return super().encode(bundle_id, tickets)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A desk on a store that other homes share, as they share its broker."""
    monkeypatch.setenv("TICKETING_STORE", f"sqlite:///{tmp_path / 'store'}")
    desk = FetchingDesk(tmp_path / "asking")
    desk.store.put_tickets(TICKETS)
    yield desk
    desk.store.close()


@pytest.fixture
def bundle_id(desk):
    bundle_id = desk.models.save({"network": {}}, {"words": {}}, {})
    desk.models.share(bundle_id)
    return bundle_id


def home_beside(desk, name):
    """A home with the same broker."""
    home = desk.settings.home.parent / name
    home.mkdir()
    (home / "broker").symlink_to(desk.settings.home / "broker")
    return home


@pytest.fixture
def full_home(desk):
    """A home that no bundle can be kept in."""
    home = home_beside(desk, "full")
    (home / "models").write_text("in the way")
    return home


def test_others_do_what_one_hands_back(desk, app, bundle_id, full_home):
    home = home_beside(desk, "room")
    with workers(full_home, FetchingDesk) as start_full, workers(home, FetchingDesk) as start:
        start_full()
        start(seconds=0.005)
        wait_until(lambda: len(live_workers(app)) == 2)
        job = finished(desk, start_reindex(desk, app, bundle_id, Promotion.NEVER))
    assert (job.state, job.done, job.errors) == (JobState.DONE, 600, {})
    [said] = [line.text for line in job.log if "hands its work back" in line.text]
    assert f"Bundle {bundle_id} cannot be kept on this machine" in said
    assert job.result[WITHOUT] == {}
    assert (home / "models" / bundle_id).is_dir(), "it was fetched"
    [line] = (full_home / "worker0.log").read_text().splitlines()
    assert said in line


def test_the_job_fails_when_no_worker_can(desk, app, bundle_id, full_home):
    with workers(full_home, FetchingDesk) as start:
        start()
        wait_until(lambda: live_workers(app))
        job = finished(desk, start_reindex(desk, app, bundle_id, Promotion.NEVER))
    assert job.state == JobState.FAILED
    assert job.message.startswith(f"No worker can have the bundle: Bundle {bundle_id} cannot be")
