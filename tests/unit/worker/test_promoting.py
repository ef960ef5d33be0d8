"""The last steps of a reindex job: once, anew when it is tried again, after a killed process."""

import pytest

from tests.live.encoding_desk import ANN, BUNDLE, DigestDesk
from ticketing.desk import leases
from ticketing.desk.bundles import MOST_UNENCODED
from ticketing.errors import BundleAway, StoreAway, StoreError
from ticketing.history import Deed
from ticketing.jobs import JobState, Promotion, Step
from ticketing.tickets import Ticket
from worker.app import make_app
from worker.follow import do_waiting
from worker.jobs import answer_promotion, cancel_job, lease_of, retry_job, start_reindex
from worker.promoting import take_step
from worker.queues import QUEUE
from worker.tasks import do_batch


class JudgedDesk(DigestDesk):
    """Says what it compared, and how that ended; a promotion fails while it is `broken`, and while
    it is `overtaken` another bundle comes to serve during a comparison."""

    broken, wins, overtaken = False, True, False

    def __init__(self, home):
        super().__init__(home)
        self.asked = []
        self.records = []

    def compared(self, bundle_id):
        self.asked.append(self.store.serving())
        if self.overtaken:
            self.store.set_serving("newer")
        return self.wins, ": won" if self.wins else ": lost"

    def let_serve(self, bundle_id, why, record_id):
        self.records.append(record_id)
        if self.broken:
            raise StoreError("Its codes are damaged.")
        return super().let_serve(bundle_id, why)

    def refuse(self, bundle_id, why):
        return f"Bundle {bundle_id} does not serve{why}."


@pytest.fixture
def desk(tmp_path):
    desk = JudgedDesk(tmp_path)
    desk.store.put_tickets([Ticket(f"{i}", f"ticket {i}") for i in range(5)])
    yield desk
    desk.close()


@pytest.fixture
def app(desk):
    return make_app(desk.settings)


def test_a_job_that_is_tried_again_is_compared_again(desk, app):
    """Another bundle may serve by then."""
    desk.broken = True
    job = start_reindex(desk, app, BUNDLE)
    while do_waiting(desk, app, QUEUE):
        pass
    failed = desk.store.get_job(job.id)
    assert (failed.state, failed.step) == (JobState.FAILED, Step.PROMOTING)
    desk.broken, desk.wins = False, False
    desk.store.set_serving("newer")
    retry_job(desk, app, job.id, ANN)
    while do_waiting(desk, app, QUEUE):
        pass
    assert desk.store.get_job(job.id).message == f"Bundle {BUNDLE} does not serve: lost."
    assert (desk.store.serving(), desk.asked) == ("newer", ["", "newer"])


def test_work_of_a_bundle_that_is_gone_fails_and_ends_nobody_elses_command(desk, app, monkeypatch):
    """Whoever followed another job met it in the queue, and was told of a bundle not asked for."""
    job = start_reindex(desk, app, BUNDLE)

    def gone(*_):
        raise BundleAway("Bundle feedface is not on this machine yet.")

    monkeypatch.setattr(desk, "encode", gone)
    assert do_waiting(desk, app, QUEUE)
    failed = desk.store.get_job(job.id)
    assert (failed.state, failed.message) == (
        JobState.FAILED,
        "Bundle feedface is not on this machine yet.",
    )


def test_a_job_that_is_cancelled_while_it_is_compared_asks_nobody(desk, app, monkeypatch):
    job = start_reindex(desk, app, BUNDLE, Promotion.ASK)
    compared = desk.compared

    def meanwhile(bundle_id):
        cancel_job(desk, job.id)
        return compared(bundle_id)

    monkeypatch.setattr(desk, "compared", meanwhile)
    while do_waiting(desk, app, QUEUE):
        pass
    assert desk.store.get_job(job.id).state == JobState.CANCELLED


def test_a_batch_that_comes_again_does_not_wake_a_job_that_waits_for_an_answer(desk, app):
    job = start_reindex(desk, app, BUNDLE, Promotion.ASK)
    while do_waiting(desk, app, QUEUE):
        pass
    do_batch(desk, app, job.id, BUNDLE, ["0", "1"])
    assert not do_waiting(desk, app, QUEUE)
    assert desk.store.get_job(job.id).state == JobState.WAITING
    assert len(desk.asked) == 1


def test_a_step_waits_for_the_lease_of_a_process_that_it_ended(desk, app, monkeypatch):
    """A message that is sent again would else be done with, and its tries never be counted."""
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.5)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.1)
    job = start_reindex(desk, app, BUNDLE)
    assert do_waiting(desk, app, QUEUE)  # all is encoded
    assert leases.HeldLease(desk.store, lease_of(job.id)).take()  # and its process is killed then
    assert do_waiting(desk, app, QUEUE)
    assert desk.store.get_job(job.id).state == JobState.DONE


def test_a_message_that_comes_twice_cancels_no_promotion_that_another_worker_is_at(
    desk, app, monkeypatch
):
    """The job was said to be cancelled, and its bundle served."""
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.5)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.1)
    job = start_reindex(desk, app, BUNDLE)
    let_serve = desk.let_serve

    def meanwhile(bundle_id, why, record_id):
        assert not cancel_job(desk, job.id).finished
        take_step(desk, app, job.id)  # as another worker does
        return let_serve(bundle_id, why, record_id)

    monkeypatch.setattr(desk, "let_serve", meanwhile)
    while do_waiting(desk, app, QUEUE):
        pass
    assert desk.store.serving() == BUNDLE
    assert desk.store.get_job(job.id).message == f"Bundle {BUNDLE} serves now: won."


@pytest.mark.parametrize("kept", [False, True], ids=["before it is kept", "after it is kept"])
def test_a_promotion_is_audited_once_though_the_store_was_away(desk, app, monkeypatch, kept):
    record, failures = desk.record, [StoreAway("Frozen; try again.")]

    def away(*entry, **options):
        if kept or not failures:
            record(*entry, **options)
        if failures:
            raise failures.pop()

    monkeypatch.setattr(desk, "record", away)
    job = start_reindex(desk, app, BUNDLE, by="ann")
    assert do_waiting(desk, app, QUEUE)  # all is encoded
    with pytest.raises(StoreAway):
        do_waiting(desk, app, QUEUE)
    take_step(desk, app, job.id)
    assert desk.store.get_job(job.id).message == f"Bundle {BUNDLE} serves now: won."
    assert [(entry.person, entry.deed) for entry in desk.audit_entries()] == [
        ("ann", Deed.PROMOTED)
    ]
    first, again = desk.records
    assert first == again, "nor is it listed twice"


def test_a_bundle_that_somebody_promoted_meanwhile_is_not_said_to_be_promoted_by_a_job(desk, app):
    job = start_reindex(desk, app, BUNDLE, Promotion.ASK)
    while do_waiting(desk, app, QUEUE):
        pass
    desk.store.set_serving(BUNDLE)
    answer_promotion(desk, app, job.id, True, ANN)
    while do_waiting(desk, app, QUEUE):
        pass
    assert desk.store.get_job(job.id).message == f"Bundle {BUNDLE} serves already."
    assert [entry.deed for entry in desk.audit_entries()] == [Deed.ANSWERED]


def test_tickets_that_an_import_changes_before_the_comparison_are_encoded_first(desk, app):
    """They were not found with the new bundle, which lost to the old one by that."""
    job = start_reindex(desk, app, BUNDLE)
    assert do_waiting(desk, app, QUEUE)  # all is encoded
    desk.store.put_tickets([Ticket(f"{i}", f"other text {i}") for i in range(MOST_UNENCODED + 1)])
    assert do_waiting(desk, app, QUEUE)
    assert desk.asked == []
    while do_waiting(desk, app, QUEUE):
        pass
    assert desk.store.count_codes(BUNDLE) == MOST_UNENCODED + 1
    assert (desk.store.get_job(job.id).state, desk.asked) == (JobState.DONE, [""])


def test_a_job_that_was_answered_is_not_said_to_wait_for_that(desk, app):
    """Encoding the tickets that came meanwhile may take a while."""
    job = start_reindex(desk, app, BUNDLE, Promotion.ASK)
    while do_waiting(desk, app, QUEUE):
        pass
    assert desk.store.get_job(job.id).message == "compared: won; waits for a yes or no"
    answered = answer_promotion(desk, app, job.id, True, ANN)
    assert (answered.state, answered.message) == (JobState.QUEUED, "")


def test_a_bundle_that_awaits_an_answer_is_compared_with_the_one_that_serves_by_then(desk, app):
    """It replaced a newer one that it had never been compared with, by figures of an older one."""
    desk.store.set_serving("older")
    job = start_reindex(desk, app, BUNDLE, Promotion.ASK)
    while do_waiting(desk, app, QUEUE):
        pass
    desk.store.set_serving("newer")
    answer_promotion(desk, app, job.id, True, ANN)
    while do_waiting(desk, app, QUEUE):
        pass
    asks = desk.store.get_job(job.id)
    assert (asks.state, desk.store.serving(), desk.asked) == (
        JobState.WAITING,
        "newer",
        ["older", "newer"],
    )
    assert asks.message == (
        "compared again, as another bundle serves by now: won; waits for a yes or no"
    )
    answer_promotion(desk, app, job.id, True, ANN)
    while do_waiting(desk, app, QUEUE):
        pass
    assert desk.store.get_job(job.id).message == f"Bundle {BUNDLE} serves now: won."
    assert desk.store.serving() == BUNDLE


def test_a_bundle_is_compared_again_where_another_one_came_to_serve_meanwhile(desk, app):
    """As where two bundles are compared with the same third one at once."""
    desk.store.set_serving("older")
    desk.overtaken = True
    start_reindex(desk, app, BUNDLE)
    while do_waiting(desk, app, QUEUE):
        pass
    assert (desk.asked, desk.store.serving()) == (["older", "newer"], BUNDLE)
