"""What asking for work does where that work is under way already."""

import pytest

from tests.fake_desk import FakeDesk
from ticketing.errors import NotReady
from ticketing.jobs import JobKind, Promotion
from ticketing.settings import Settings
from worker.app import make_app
from worker.jobs import start_reindex


@pytest.fixture
def desk(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[])
    yield desk
    desk.close()


@pytest.mark.parametrize("under_way", [Promotion.RULE, Promotion.NEVER])
def test_a_bundle_that_is_to_wait_for_an_answer_is_not_encoded_by_a_job_that_asks_nobody(
    desk, under_way
):
    job = desk.store.create_job(JobKind.REINDEX, "b1", 5, {"promotion": under_way})
    with pytest.raises(NotReady, match=f"Job {job.id} encodes this bundle already and will not"):
        start_reindex(desk, make_app(desk.settings), "b1", Promotion.ASK)
    assert desk.store.unfinished_jobs() == [job]


def test_a_job_that_asks_goes_on_when_it_is_asked_for_again(desk):
    app = make_app(desk.settings)
    job = start_reindex(desk, app, "b1", Promotion.ASK)
    assert start_reindex(desk, app, "b1", Promotion.ASK).id == job.id
    assert start_reindex(desk, app, "b2", Promotion.ASK).id != job.id
