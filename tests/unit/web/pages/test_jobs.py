"""Jobs, models and the schedule on the page: begun, followed, answered, cancelled and set."""

import io
import re
from dataclasses import replace
from datetime import timedelta
from html import unescape

import pytest

from tests.fake_desk import FakeDesk
from tests.fake_records import jobs
from tests.forms import token_on
from tests.people import signed_in
from tests.unit.web.pages.test_search import post
from ticketing.desk.long_work import do
from ticketing.errors import BrokerAway
from ticketing.evaluation.promotion import Comparison
from ticketing.history import AuditEntry
from ticketing.jobs import JobKind, JobState, LogLine, Promotion, Step, ignore_step
from ticketing.people import Role
from ticketing.schedule import Weekday
from ticketing.settings import Settings
from ticketing.tables import Reject, rejects_text
from ticketing.times import utc_now
from web import forms
from web.app import create_app
from web.uploads import UPLOAD_LIMIT
from worker.progress import summary
from worker.queues import LONG_QUEUE, QUEUE

MEANS = {"Acc@10": 0.75, "MAP@10": 0.5}
LOWER = {"Acc@10": 0.5, "MAP@10": 0.25}


def deeds(desk) -> list[str]:
    return [f"{entry.deed}: {entry.which}" for entry in desk.store.events(AuditEntry)]


def waiting(desk):
    """A job that waits for an answer."""
    job = replace(
        jobs()[0],
        id="w1",
        bundle_id=desk.save_bundle(30),
        state=JobState.WAITING,
        log=(LogLine(utc_now(), "compared: on 9 test queries"),),
    )
    desk.store.put_job(job)
    return job


def test_a_training_is_begun_and_leads_to_its_own_page(client, desk):
    answer = post(client, "/jobs/training", "/jobs", promotion="ask", before="2013-05-31")
    job = desk.store.jobs()[0]
    assert (answer.status_code, answer.location) == (303, f"/jobs/{job.id}")
    assert (job.kind, job.by) == (JobKind.TRAINING, "local")
    assert job.arguments["promotion"] == "ask" and job.arguments["before"][:10] == "2013-05-31"
    assert f"job begun: training {job.id}" in deeds(desk)
    shown = client.get(answer.location).text
    assert "What was asked for" in shown and "<dd>It waits for an admin’s yes</dd>" in shown


def test_whoever_may_train_is_told_with_which_settings(client, desk, monkeypatch):
    asked = {"network": {"channels": ["E", "S"]}, "training": {"teacher": "/srv/encoder"}}
    told = "settings of the serving model: <code>network.channels"
    assert told not in client.get("/jobs").text
    monkeypatch.setattr(type(desk), "usual_settings", lambda self: asked)
    for page in ("/jobs", "/schedule"):
        shown = unescape(client.get(page).text)
        assert f'{told}=["E", "S"]</code>, <code>training.teacher=/srv/encoder</code>.' in shown
    post(client, "/jobs/training", "/jobs", promotion="ask")
    arguments = desk.store.jobs()[0].arguments
    assert {name: arguments[name] for name in asked} == asked
    engineer = signed_in(desk, "eve", Role.ENGINEER)
    assert told not in engineer.get("/jobs").text + engineer.get("/schedule").text


def test_a_scientist_trains_but_leaves_promotion_to_an_admin(desk):
    client = signed_in(desk, "sue", Role.SCIENTIST)
    page = client.get("/jobs").text
    assert "Train a model" in page and "Import tickets" not in page and 'value="rule"' not in page
    assert post(client, "/jobs/training", "/jobs", promotion="rule").status_code == 403
    assert post(client, "/jobs/training", "/jobs", promotion="ask").status_code == 303
    job = desk.store.jobs()[0]
    assert post(client, f"/jobs/{job.id}/cancel", "/jobs").status_code == 303
    assert post(client, "/jobs/7f3a/cancel", "/jobs").status_code == 403  # a reindexing


def test_a_file_of_tickets_is_imported_with_its_columns(client, desk):
    tickets = b"key,headline\nN-1,Pump leaks\n"
    sent = {"file": (io.BytesIO(tickets), "new tickets.csv"), "mapping": "subject=headline\n"}
    answer = post(client, "/jobs/import", "/jobs", **sent)
    job = desk.store.jobs()[0]
    assert answer.location == f"/jobs/{job.id}" and job.kind == JobKind.IMPORT
    [file] = job.arguments["files"]
    assert (file["name"], file["rows"]) == ("new tickets.csv", 1)
    assert file["mapping"]["subject"] == "headline"
    assert b"".join(desk.store.file_chunks(file["file"])) == tickets


def test_a_file_may_be_checked_only(client, desk):
    rows = b"id,subject,solution\nN-1,Pump <b>leaks</b>,\nN-2,Fan loud,Balance it\n"
    sent = {"file": (io.BytesIO(rows), "new.csv"), "check_only": "yes"}
    before = list(desk.store.iter_tickets())
    assert post(client, "/jobs/import", "/jobs", **sent).status_code == 303
    job = desk.store.jobs()[0]
    assert job.arguments["check_only"] and not any("imported" in deed for deed in deeds(desk))
    result = do(desk, job, ignore_step)
    desk.store.update_job(job.id, state=JobState.DONE, result=result)
    page = unescape(client.get(f"/jobs/{job.id}").text)
    section = page.split('id="read"')[1].split("</section>")[0]
    fields = re.findall("<dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", section)
    assert fields[:4] == [
        ("id", "N-1"),
        ("subject", "Pump leaks"),
        ("description", "–"),
        ("solution", "–"),
    ]
    assert ("solution", "Balance it") in fields
    assert list(desk.store.iter_tickets()) == before
    assert "Pump leaks" not in signed_in(desk, "eve", Role.ENGINEER).get(f"/jobs/{job.id}").text


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "Choose a file"),
        (
            {"file": (b"a,b\n1,2\n", "x.csv")},
            "x.csv has no column that looks like id; name it with id=COLUMN (it has: a, b).",
        ),
        ({"file": (b"", "../../x.exe")}, "x.exe"),
        (
            {"file": (b"id,subject\n1,a\n", "x.csv"), "mapping": "subject"},
            "subject is not of the form field=column.",
        ),
    ],
)
def test_a_file_that_cannot_be_imported_is_refused_at_once(client, desk, sent, sentence):
    fields = {k: (io.BytesIO(v[0]), v[1]) if k == "file" else v for k, v in sent.items()}
    answer = post(client, "/jobs/import", "/jobs", **fields)
    assert answer.status_code == 400 and sentence in answer.text and "/tmp" not in answer.text
    tabs, form = answer.text.split('class="tabs"')[1].split("<details open>")
    assert re.findall('aria-current="true">([^<]+)', tabs) == ["Jobs"]
    assert sentence in re.search(r'class="problem" role="alert">([^<]+)<', form)[1]
    assert f">\n{sent.get('mapping', '')}</textarea>" in form
    assert 'name="next" value="/jobs"' in form and "data-renew" not in form
    assert len(desk.store.jobs()) == len(jobs())


@pytest.mark.parametrize("kind", ["import", "training", "evaluation"])
def test_where_a_refused_form_was_sent_the_jobs_are_opened(client, kind):
    answer = client.get(f"/jobs/{kind}")
    assert (answer.status_code, answer.location) == (303, "/jobs")


def test_a_file_may_be_longer_than_other_requests(client):
    usual = client.application.config["MAX_CONTENT_LENGTH"]
    assert usual < UPLOAD_LIMIT
    text = b"id,subject\n1," + b"a " * (usual // 2)
    answer = post(client, "/jobs/import", "/jobs", file=(io.BytesIO(text), "long.csv"))
    assert answer.status_code != 413


def test_the_form_around_a_file_is_not_counted_as_the_file(client, monkeypatch):
    """A file of nearly as much as may be sent was said to be larger than that."""
    text = b"id,subject\n1,pump leaks"
    monkeypatch.setattr(forms, "UPLOAD_LIMIT", len(text))
    answer = post(client, "/jobs/import", "/jobs", file=(io.BytesIO(text), "full.csv"))
    assert answer.status_code == 303


def test_the_first_rows_that_an_import_left_out_are_shown_with_their_reasons(client, desk):
    desk.store.put_job(replace(jobs()[1], id="imp", kind=JobKind.IMPORT, state=JobState.DONE))
    said = [Reject("a.csv", n, "created", f"'{n}' is no date {'x' * 300}") for n in range(2, 14)]
    desk.store.put_file("report/imp/rejects.jsonl", [rejects_text(said).encode()])
    page = unescape(client.get("/jobs/imp").text)
    section = page.split('id="rejects"')[1].split("</section>")[0]
    rows = re.findall("<dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", section)
    assert [where for where, _ in rows] == [f"line {n}, created" for n in range(2, 12)]
    assert rows[0][1].startswith("'2' is no date x")
    assert all(len(reason) == 200 and reason.endswith("…") for _, reason in rows)
    engineer = signed_in(desk, "eve", Role.ENGINEER).get("/jobs/imp").text
    assert "is no date" not in engineer


def test_a_model_is_measured(client, desk):
    bundle = desk.save_bundle(30)
    post(client, "/jobs/evaluation", "/jobs", bundle_id=bundle)
    assert desk.store.jobs()[0].arguments["bundle"] == bundle
    assert post(client, "/jobs/evaluation", "/jobs", bundle_id="none").status_code == 404


def test_what_waits_comes_first_with_its_question(client, desk):
    job = waiting(desk)
    page = client.get("/jobs").text
    assert page.index(f"job-{job.id}") < page.index("job-7f3a")
    assert "Yes, let it serve" in page and "compared: on 9 test queries" in page
    alone = client.get(f"/jobs/{job.id}").text
    assert "No worker" not in alone and " left</span>" not in alone
    engineer = signed_in(desk, "eve", Role.ENGINEER).get("/jobs").text
    assert "Yes, let it serve" not in engineer and "an admin" in engineer


def test_no_leaves_the_serving_model_and_is_audited(client, desk):
    job = waiting(desk)
    assert post(client, f"/jobs/{job.id}/answer", "/jobs", yes="").status_code == 303
    assert desk.store.get_job(job.id).state == JobState.DONE
    assert desk.store.serving() == "fake-bundle"
    assert f"answered: reindex {job.id}: no" in deeds(desk)


def test_a_failed_job_is_tried_again(client, desk):
    desk.store.put_job(replace(jobs()[1], id="f", kind=JobKind.TRAINING, state=JobState.FAILED))
    assert "Try again" in client.get("/jobs/f").text
    post(client, "/jobs/f/retry", "/jobs")
    assert desk.store.get_job("f").state == JobState.QUEUED
    assert "job retried: training f" in deeds(desk)


@pytest.mark.parametrize(("promotion", "status"), [("rule", 403), ("ask", 303), ("never", 303)])
def test_who_may_not_let_a_model_serve_does_not_try_such_a_training_again(desk, promotion, status):
    """A scientist had an admin's cancelled training done, and its bundle served."""
    arguments = desk.training_arguments(promotion=promotion)
    job = replace(jobs()[1], id="t", kind=JobKind.TRAINING, arguments=arguments, by="boss")
    desk.store.put_job(replace(job, state=JobState.CANCELLED))
    client = signed_in(desk, "sue", Role.SCIENTIST)
    assert ("Try again" in client.get("/jobs/t").text) == (status == 303)
    answer = post(client, "/jobs/t/retry", "/jobs")
    assert answer.status_code == status
    assert (desk.store.get_job("t").state == JobState.QUEUED) == (status == 303)
    admin = signed_in(desk, "boss", Role.ADMIN)
    assert post(admin, "/jobs/t/cancel", "/jobs") and "Try again" in admin.get("/jobs/t").text


def test_two_models_are_compared_one_pair_at_a_time(client, desk, monkeypatch):
    """Each takes a thread of the page for up to half a minute; four stopped it."""
    address = "/api/comparison?new=fake-bundle&old=fake-bundle"
    seen = []

    def compared(new, old):
        seen.append(client.get(address))
        return Comparison(9, MEANS, LOWER)

    monkeypatch.setattr(desk, "compare", compared)
    assert client.get(address).status_code == 200
    [meanwhile] = seen
    assert meanwhile.status_code == 409 and "try again in a minute" in meanwhile.json["error"]
    assert client.get(address).status_code == 200


def test_what_a_job_changed_is_said_once(client, desk):
    result = {"added": 1200, "changed": 3, "unchanged": 0, "rejected": 2}
    job = replace(jobs()[1], id="i", kind=JobKind.IMPORT, result=result, by="ada")
    desk.store.put_job(replace(job, state=JobState.CANCELLED))
    page = client.get("/jobs/i").text
    assert "1,200 added, 3 changed, 0 unchanged, 2 rejected" in page and "by ada" in page
    said = "1,200 tickets added, 3 changed, 0 unchanged, 2 rows rejected."
    desk.store.put_job(replace(job, id="d", message=said))
    page = client.get("/jobs/d").text
    assert said in page and "1,200 added" not in page


@pytest.mark.parametrize(
    ("kind", "step", "said"),
    [
        (JobKind.IMPORT, Step.READING, "100 of 1,200 rows"),
        (JobKind.IMPORT, Step.IMPORTING, "100 of 1,200 rows"),
        (JobKind.TRAINING, Step.TRAINING, "100 of 1,200 epochs"),
        (JobKind.REINDEX, Step.ENCODING, "100 of 1,200 tickets"),
        (JobKind.EVALUATION, Step.MEASURING, "100 of 1,200 steps"),
    ],
)
def test_a_job_counts_what_the_command_says_it_counts(client, desk, kind, step, said):
    """The rows of a file were tickets while they were read, and epochs had another name here."""
    job = replace(jobs()[0], id="i", bundle_id="b", kind=kind, step=step, done=100, total=1200)
    desk.store.put_job(job)
    assert f"<span>{said}</span>" in client.get("/jobs/i").text
    assert said in summary(job)


def test_what_was_asked_for_is_said_without_what_was_left_as_it_is(client, desk):
    file = {"file": "import/7f/0", "name": "new.csv", "rows": 1200}
    mapping = {"id": "key", "subject": "headline", "groups": None}
    asked = {"files": [{**file, "mapping": mapping}], "before": None}
    desk.store.put_job(replace(jobs()[1], id="i", kind=JobKind.IMPORT, arguments=asked))
    page = client.get("/jobs/i").text
    assert "<dt>new.csv</dt><dd>1,200 rows; id = key, subject = headline</dd>" in page
    assert "<dt>before</dt>" not in page and "import/7f" not in page


def test_an_evaluation_shows_its_figures_to_those_who_see_all(client, desk):
    found = {"text": ["            Acc@10", "bundle b1    0.417"]}
    desk.store.put_job(replace(jobs()[1], id="e", kind=JobKind.EVALUATION, result=found))
    desk.store.put_file("report/e/report.html", [b"<p>"])
    assert "Acc@10\nbundle b1    0.417</pre>" in client.get("/jobs/e").text
    [ticket] = desk.store.get_tickets(["GT-0101"]).values()
    desk.put_tickets([replace(ticket, groups=frozenset(["hr"]))])
    assert "0.417" not in signed_in(desk, "sue", Role.SCIENTIST).get("/jobs/e").text


def test_a_report_is_saved_by_those_who_see_all(client, desk):
    desk.store.put_file("report/1b9e/report.html", [b"<p>Acc@10"])
    assert "report.html" in client.get("/jobs/1b9e").text
    answer = client.get("/jobs/1b9e/report/report.html")
    assert answer.data == b"<p>Acc@10"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    [ticket] = desk.store.get_tickets(["GT-0101"]).values()
    desk.put_tickets([replace(ticket, groups=frozenset(["hr"]))])
    scientist = signed_in(desk, "sue", Role.SCIENTIST)
    assert "report.html" not in scientist.get("/jobs/1b9e").text
    for name in ("report.html", "nothing.html"):
        assert scientist.get(f"/jobs/1b9e/report/{name}").status_code == 404


@pytest.mark.parametrize(
    ("comparison", "verdict"),
    [
        (Comparison(9, MEANS, MEANS), "may serve: it is no worse (p = 1.00)."),
        (Comparison(9, LOWER, MEANS, 0.4), "may serve: it loses no more than chance explains (p"),
        (
            Comparison(9, LOWER, MEANS, 0.001),
            "would be refused: it loses more than chance is likely to explain (p &lt; 0.01).",
        ),
    ],
)
def test_two_models_stand_beside_each_other(client, desk, monkeypatch, comparison, verdict):
    old, new = desk.save_bundle(30), desk.save_bundle(60)
    monkeypatch.setattr(desk, "compare", lambda *_: comparison)
    page = client.get(f"/models/compare?new={new}&old={old}").text
    assert f"Model {new[:12]} beside {old[:12]}" in page and f"{new[:12]} {verdict}" in page
    assert "Means over the 9 test queries with a YES" in page and "0.750" in page


def test_the_serving_model_is_to_be_compared_with_the_latest_other_one(client, desk):
    ids = [desk.save_bundle(labels) for labels in (30, 60)]
    for serving, other in (ids, reversed(ids)):
        desk.store.set_serving(serving)
        chosen = re.findall(r'<option value="(\w+)" selected>', client.get("/models").text)
        assert chosen[:2] == [other, serving]


def test_models_are_listed_promoted_rolled_back_and_deleted(client, desk):
    old, new = desk.save_bundle(30), desk.save_bundle(60)
    for served in (old, "fake-bundle"):
        desk.store.set_serving(served)
    page = client.get("/models").text
    assert "12 tickets, 60 labels" in page and "served before" in page and "Roll back" in page
    assert "compare: h is sentence, E is meaning, T is topics, " in page
    begun = post(client, f"/models/{new}/promote", "/models", promotion="ask")
    job = desk.store.get_job(begun.location.removeprefix("/jobs/"))
    assert (job.bundle_id, job.arguments["promotion"]) == (new, Promotion.ASK)
    compared = client.get(f"/models/compare?new={new}&old={old}").text
    assert "No test query has a YES" in compared
    for _ in range(2):  # the second press has nothing more to do
        post(client, "/models/rollback", "/models", bundle_id=old)
        assert desk.store.serving() == old
    assert f"promoted: bundle {old}" in deeds(desk)
    desk.store.update_job(job.id, state=JobState.CANCELLED)
    post(client, f"/models/{new}/delete", "/models")
    assert f"deleted: bundle {new}" in deeds(desk) and new not in desk.models.ids()


BACK = '<a class="button quiet" href="/jobs">Back</a>'


@pytest.mark.parametrize(
    ("referrer", "shown"),
    [
        ("http://localhost/jobs", True),
        ("", False),
        ("http://elsewhere/jobs", False),
        ("http://localhost/jobs/nope/cancel", False),
    ],
)
def test_what_is_refused_leads_back_to_the_page_that_asked_for_it(client, referrer, shown):
    """Nothing but the form of a new question was offered."""
    token = token_on(client, "/jobs")
    headers = {"Referer": referrer} if referrer else {}
    answer = client.post("/jobs/nope/cancel", data={"csrf_token": token}, headers=headers)
    assert answer.status_code == 404 and (BACK in answer.text) == shown
    assert shown or ">Back</a>" not in answer.text


def test_what_was_said_of_a_model_that_serves_no_more_is_said_as_past(client, desk):
    """Beside "served before" stood that the model serves now."""
    old = desk.save_bundle(30)
    promotion = replace(jobs()[1], id="p1", kind=JobKind.PROMOTION, bundle_id=old)
    desk.store.put_job(replace(promotion, message=f"Bundle {old} serves now."))
    page = client.get("/models").text
    said = "When it was last compared or promoted: "
    assert re.findall(r'<p class="changed">(.*?)</p>', page) == [f"{said}Bundle {old} serves now."]


def test_the_schedule_is_set_and_shown(client, desk):
    assert "Nothing is scheduled" in client.get("/schedule").text
    fields = {"weekday": "sunday", "at": "04:30", "judgments": "50", "promotion": "ask"}
    assert post(client, "/schedule", "/schedule", **fields).status_code == 303
    assert desk.store.schedule().weekday == Weekday.SUNDAY
    page = client.get("/schedule").text
    assert "04:30 UTC</time>" in page and "0 of 50 new judgments" in page
    assert "scheduled: training" in deeds(desk)
    refused = post(client, "/schedule", "/schedule", **(fields | {"at": "25:00"}))
    assert refused.status_code == 400
    assert "At (UTC): write a time of the day, such as 03:00." in refused.text


def test_what_is_not_there_is_said(client):
    assert client.get("/jobs/none").status_code == 404
    assert "There is no model yet" in client.get("/models").text


@pytest.mark.parametrize("off", [-60, 60])
def test_a_clock_that_is_off_makes_no_worker_missing_and_the_broker_is_asked_once(
    tmp_path, monkeypatch, off
):
    beat, asked = utc_now() + timedelta(seconds=off), []

    def live(app, queue):
        asked.append(queue)
        return queue == LONG_QUEUE

    monkeypatch.setattr("web.context.workers_live", live)
    running = replace(jobs()[0], started=beat - timedelta(seconds=8), heartbeat=beat)
    long = [replace(running, id=str(i), kind=JobKind.IMPORT) for i in range(3)]
    desk = FakeDesk(Settings(home=tmp_path), past_jobs=[running, *long])
    client = create_app(desk).test_client()
    page = client.get("/jobs").text
    assert page.count("about 16 s left") == 3 and page.count("No worker is reporting") == 1
    assert sorted(asked) == sorted([QUEUE, LONG_QUEUE])
    said = {job["id"]: job["stalled"] for job in client.get("/api/jobs").json}
    assert said == {"7f3a": True, "0": False, "1": False, "2": False}


def test_a_silent_job_is_stalled_while_the_broker_is_away(client, monkeypatch):
    def away(*_):
        raise BrokerAway("The broker does not answer.")

    monkeypatch.setattr("web.context.workers_live", away)
    assert client.get("/api/jobs/7f3a").json["stalled"] is True


def test_a_file_may_be_called_in_any_script(client, desk):
    sent = {"file": (io.BytesIO(b"id,subject\n1,a\n"), "заявки.csv")}
    assert post(client, "/jobs/import", "/jobs", **sent).status_code == 303
    assert desk.store.jobs()[0].arguments["files"][0]["name"] == "заявки.csv"


def test_a_job_that_has_ended_is_not_cancelled_and_the_audit_says_no_such_thing(client, desk):
    [done, *_] = [job for job in desk.store.jobs() if job.finished]
    answer = post(client, f"/jobs/{done.id}/cancel", "/jobs")
    assert answer.status_code == 409
    assert f"Job {done.id} is done; there is nothing to cancel." in answer.text
    answer = client.post(f"/api/jobs/{done.id}/cancel", json={})
    assert answer.status_code == 409
    assert answer.json["error"] == f"Job {done.id} is done; there is nothing to cancel."
    assert "job cancelled" not in deeds(desk)
    assert desk.store.get_job(done.id) == done


def test_files_of_an_import_that_nobody_can_carry_out_are_let_go_of(client, desk, monkeypatch):
    def away(*_):
        raise BrokerAway("The broker does not answer; try again.")

    monkeypatch.setattr("worker.jobs.waiting_messages", away)
    sent = {"file": (io.BytesIO(b"id,subject\n1,a\n"), "x.csv")}
    assert post(client, "/jobs/import", "/jobs", **sent).status_code == 503
    assert desk.store.files("import/") == []


def test_the_groups_of_whoever_imports_are_not_said_to_be_those_of_the_tickets(client, desk):
    files = [{"file": "import/x/0", "name": "x.csv", "rows": 1, "mapping": {"id": "id"}}]
    arguments = {"files": files, "before": None, "groups": ["secret"]}
    job = desk.store.create_job(JobKind.IMPORT, "", 1, arguments)
    page = client.get(f"/jobs/{job.id}").text
    assert "x.csv" in page and "secret" not in page
