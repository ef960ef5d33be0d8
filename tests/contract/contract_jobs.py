"""The records of long work, and leases."""

from dataclasses import replace
from datetime import datetime

import pytest

from tests.contract.contract_examples import recent
from ticketing.errors import Conflict, NotFound
from ticketing.jobs import LOG_LINES, Job, JobKind, JobState, LogLine
from ticketing.stores import jobs as leases


class JobContract:
    # jobs ------------------------------------------------------------------------------------

    def test_a_new_job_is_queued(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 120)
        assert (job.kind, job.bundle_id, job.state) == ("reindex", "b1", "queued")
        assert (job.total, job.done, job.errors, job.message) == (120, 0, {}, "")
        assert (job.heartbeat, job.started, job.finished) == (None, None, None)
        assert not job.cancel_requested
        assert recent(job.created)
        assert store.get_job(job.id) == job

    def test_an_unknown_job_is_none_or_not_found(self, store):
        assert store.get_job("nope") is None
        with pytest.raises(NotFound, match="nope"):
            store.update_job("nope", done=1)
        with pytest.raises(NotFound, match="nope"):
            store.request_cancel("nope")

    def test_asking_twice_gives_the_unfinished_job(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 120)
        store.update_job(job.id, state=JobState.RUNNING)
        assert store.create_job(JobKind.REINDEX, "b1", 5).id == job.id
        others = {
            store.create_job(JobKind.REINDEX, "b2", 1).id,
            store.create_job(JobKind.TRAINING, "b1", 1).id,
        }
        assert job.id not in others
        assert len(others) == 2

    def test_a_waiting_job_is_unfinished(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 120)
        waiting = store.update_job(job.id, state=JobState.WAITING)
        assert waiting.finished is None
        assert store.create_job(JobKind.REINDEX, "b1", 5) == waiting

    @pytest.mark.parametrize("kind", [JobKind.IMPORT, JobKind.EVALUATION])
    def test_what_may_be_done_side_by_side_is_made_anew_each_time(self, store, kind):
        first, second = (store.create_job(kind, "", 1) for _ in range(2))
        assert first.id != second.id
        assert [job.id for job in store.unfinished_jobs()] == [second.id, first.id]

    def test_a_job_knows_what_was_asked_and_by_whom(self, store):
        asked = {"before": "2024-01-01", "settings": {"seed": 1}}
        job = store.create_job(JobKind.TRAINING, "", 0, asked, by="ann")
        assert (job.arguments, job.by, job.attempts) == (asked, "ann", 0)
        assert (job.step, job.result, job.log) == ("", {}, ())
        assert store.get_job(job.id) == job

    @pytest.mark.parametrize("state", ["done", "cancelled", "failed"])
    def test_after_the_end_a_new_job_is_made(self, store, state):
        job = store.create_job(JobKind.REINDEX, "b1", 120)
        store.update_job(job.id, state=JobState(state))
        assert store.create_job(JobKind.REINDEX, "b1", 120).id != job.id

    def test_an_update_changes_what_is_given_and_sets_the_heartbeat(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 120)
        running = store.update_job(job.id, state=JobState.RUNNING, done=7)
        assert (running.state, running.done, running.total) == ("running", 7, 120)
        assert recent(running.started)
        assert recent(running.heartbeat)
        again = store.update_job(job.id, state=JobState.RUNNING, total=130, message="half way")
        assert (again.done, again.total, again.message) == (7, 130, "half way")
        assert again.started == running.started
        assert again.heartbeat > running.heartbeat
        assert again.finished is None
        assert store.get_job(job.id) == again

    def test_what_more_is_done_is_added_up_to_all(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 120)
        done = [store.update_job(job.id, more=more).done for more in (70, 0, 40, 40)]
        assert done == [70, 70, 110, 120]
        assert store.get_job(job.id).done == 120

    def test_errors_are_merged(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 3)
        store.update_job(job.id, errors={"a": "first", "b": "second"})
        updated = store.update_job(job.id, errors={"b": "again", "c": "third"})
        assert updated.errors == {"a": "first", "b": "again", "c": "third"}

    def test_a_result_grows_and_a_step_is_left(self, store):
        job = store.create_job(JobKind.TRAINING, "", 3)
        store.update_job(job.id, step="reading", result={"tickets": 3}, attempts=1)
        updated = store.update_job(job.id, step="training", result={"bundle": "b2"})
        assert updated.result == {"tickets": 3, "bundle": "b2"}
        assert (updated.step, updated.attempts) == ("training", 1)
        assert store.get_job(job.id) == updated

    def test_of_a_log_the_last_lines_are_kept(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 3)
        log = tuple(LogLine(datetime(2024, 1, 1), f"line {i}") for i in range(LOG_LINES))
        store.put_job(replace(job, id="j2", bundle_id="b2", log=log))
        updated = store.update_job("j2", log="the last one")
        assert [line.text for line in updated.log] == [
            *(f"line {i}" for i in range(1, LOG_LINES)),
            "the last one",
        ]
        assert recent(updated.log[-1].time)
        assert store.get_job("j2") == updated

    @pytest.mark.parametrize("state", [JobState.FAILED, JobState.CANCELLED])
    def test_a_job_that_has_failed_or_was_cancelled_can_be_queued_again(self, store, state):
        job = store.create_job(JobKind.REINDEX, "b1", 3, {"promotion": "rule"}, "ann")
        store.request_cancel(job.id)
        store.update_job(job.id, state=JobState.RUNNING, done=2, attempts=1, errors={"a": "b"})
        store.update_job(job.id, step="promoting")
        store.update_job(job.id, state=state, message="no")
        again = store.reopen_job(job.id)
        assert (again.id, again.state, again.attempts) == (job.id, JobState.QUEUED, 1)
        assert (again.finished, again.started, again.heartbeat) == (None, None, None)
        assert again.step == ""
        assert (again.cancel_requested, again.errors, again.message) == (False, {}, "")
        assert (again.arguments, again.by) == ({"promotion": "rule"}, "ann")
        assert again.log[-1].text == "queued again"
        assert store.get_job(job.id) == again
        assert store.create_job(JobKind.REINDEX, "b1", 3) == again

    def test_no_other_job_is_queued_again(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 3)
        assert store.reopen_job(job.id) == job
        done = store.update_job(job.id, state=JobState.DONE)
        assert store.reopen_job(job.id) == done
        with pytest.raises(NotFound, match="nope"):
            store.reopen_job("nope")

    def test_a_job_is_not_queued_again_beside_an_unfinished_one(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 3)
        failed = store.update_job(job.id, state=JobState.FAILED)
        store.create_job(JobKind.REINDEX, "b1", 3)
        with pytest.raises(Conflict, match="Another reindex job is under way"):
            store.reopen_job(job.id)
        assert store.get_job(job.id) == failed

    def test_unfinished_jobs_are_listed_newest_first(self, store):
        ids = [store.create_job(JobKind.REINDEX, f"b{i}", 1).id for i in range(4)]
        store.update_job(ids[1], state=JobState.WAITING)
        store.update_job(ids[2], state=JobState.DONE)
        store.update_job(ids[3], state=JobState.RUNNING)
        assert [job.id for job in store.unfinished_jobs()] == [ids[3], ids[1], ids[0]]

    def test_a_finished_job_is_left_as_it_is(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 3)
        done = store.update_job(job.id, state=JobState.DONE, done=3, message="done")
        assert recent(done.finished)
        assert (
            store.update_job(job.id, state=JobState.RUNNING, done=1, errors={"a": "late"}) == done
        )
        assert store.request_cancel(job.id) == done
        assert store.get_job(job.id) == done

    def test_a_cancel_request_is_kept_until_the_worker_ends_the_job(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 3)
        assert store.request_cancel(job.id).cancel_requested
        running = store.update_job(job.id, done=1)
        assert (running.cancel_requested, running.state) == (True, "queued")

    def test_a_cancel_request_is_no_heartbeat(self, store):
        job = store.create_job(JobKind.REINDEX, "b1", 3)
        assert store.request_cancel(job.id).heartbeat is None

    def test_jobs_are_listed_newest_first(self, store):
        ids = [store.create_job(JobKind.REINDEX, f"b{i}", 1).id for i in range(4)]
        assert [job.id for job in store.jobs()] == ids[::-1]
        assert [job.id for job in store.jobs(limit=2)] == ids[:1:-1]

    def test_jobs_of_a_kind_or_about_a_bundle(self, store):
        ids = {
            (kind, bundle_id): store.create_job(kind, bundle_id, 1).id
            for kind in (JobKind.REINDEX, JobKind.PROMOTION)
            for bundle_id in ("b1", "b2")
        }
        listed = [job.id for job in store.jobs(kind=JobKind.REINDEX)]
        assert listed == [ids[JobKind.REINDEX, "b2"], ids[JobKind.REINDEX, "b1"]]
        listed = [job.id for job in store.jobs(bundle_id="b1")]
        assert listed == [ids[JobKind.PROMOTION, "b1"], ids[JobKind.REINDEX, "b1"]]
        [job] = store.jobs(1, JobKind.PROMOTION, "b2")
        assert job.id == ids[JobKind.PROMOTION, "b2"]

    def test_a_job_made_elsewhere_comes_back_as_it_was_put(self, store):
        elsewhere = Job(
            *("j1", JobKind.REINDEX, "b1", JobState.RUNNING, 10, 4),
            created=datetime(2024, 1, 2, 3, 4, 5),
            heartbeat=datetime(2024, 1, 2, 3, 4, 5, 6),
            cancel_requested=True,
            errors={"T.1.": "half", "": "a text"},
            message="half way",
            step="encoding",
            arguments={"promotion": "ask", "settings": {"seed": 1}},
            result={"bundle": "b1"},
            log=(LogLine(datetime(2024, 1, 2, 3, 4, 5), "begun"),),
            by="ann",
            attempts=2,
        )
        store.put_job(elsewhere)
        assert store.get_job("j1") == elsewhere
        assert store.create_job(JobKind.REINDEX, "b1", 7) == elsewhere
        done = store.update_job("j1", state=JobState.DONE)
        assert store.create_job(JobKind.REINDEX, "b1", 7).id != done.id

    def test_a_job_that_moved_on_elsewhere_is_put_in_the_place_of_what_it_was(self, store):
        before = Job(
            *("j1", JobKind.REINDEX, "b1", JobState.RUNNING, 10, 4),
            created=datetime(2024, 1, 2, 3, 4, 5),
        )
        store.put_job(before)
        later = store.create_job(JobKind.TRAINING, "", 7)
        ended = replace(before, state=JobState.DONE, done=10, finished=datetime(2024, 1, 3))
        store.put_job(ended)
        assert store.get_job("j1") == ended
        assert store.unfinished_jobs() == [later]
        assert store.jobs() == [later, ended]

    # leases ----------------------------------------------------------------------------------

    def test_one_holder_has_a_lease_until_it_is_dropped(self, store):
        assert store.take_lease("training", "a", 60)
        assert not store.take_lease("training", "b", 60)
        assert store.take_lease("other", "b", 60)
        assert store.take_lease("training", "a", 60), "one's own is renewed"
        store.drop_lease("training", "b")
        assert not store.take_lease("training", "b", 60)
        store.drop_lease("training", "a")
        store.drop_lease("training", "a")
        assert store.take_lease("training", "b", 60)

    def test_a_lease_is_free_that_nobody_has_or_renews(self, store, monkeypatch):
        now = 0.0
        monkeypatch.setattr(leases, "monotonic", lambda: now)
        assert store.lease_is_free("training")
        assert store.take_lease("training", "a", 10)
        assert not store.lease_is_free("training"), "seen for the first time"
        now = 9.9
        assert store.take_lease("training", "a", 10), "renewed"
        assert not store.lease_is_free("training")
        now = 20.0
        assert store.lease_is_free("training")
        store.drop_lease("training", "a")
        assert store.lease_is_free("training")

    def test_a_lease_that_nobody_renews_runs_out(self, store, monkeypatch):
        """No clock but that of whoever wants it counts, so that wrong ones do no harm."""
        now = 0.0
        monkeypatch.setattr(leases, "monotonic", lambda: now)
        assert store.take_lease("training", "a", 10)
        assert not store.take_lease("training", "b", 10), "seen for the first time"
        now = 9.9
        assert not store.take_lease("training", "b", 10)
        assert store.take_lease("training", "a", 10), "renewed"
        now = 19.8
        assert not store.take_lease("training", "b", 10), "seen renewed"
        now = 29.8
        assert store.take_lease("training", "b", 10)
        assert not store.take_lease("training", "a", 10), "whoever lost it is told so"

    def test_a_lease_is_renewed_only_while_it_is_ones_own(self, store):
        assert not store.take_lease("training", "a", 10, renewed=True), "nobody has it"
        assert store.take_lease("training", "a", 10)
        assert store.take_lease("training", "a", 10, renewed=True)
        assert not store.take_lease("training", "b", 10, renewed=True)
        store.drop_lease("training", "a")
        assert not store.take_lease("training", "a", 10, renewed=True), "it was anybody's since"
        assert store.take_lease("training", "b", 10)
