"""Two people, and tickets that one of them may not see: whatever she opens, they are not there."""

import json
import re
from dataclasses import replace
from datetime import datetime
from functools import cache
from types import SimpleNamespace
from urllib.parse import quote

import pytest

from tests.fake_desk import FakeDesk
from tests.fake_records import tickets
from tests.forms import token_on
from ticketing.classification.classifier import CategoryClassifier
from ticketing.classification.encoder import CategoryEncoder, CategorySettings
from ticketing.classification.network import CategoryNetwork
from ticketing.classification.taxonomy import tickets_taxonomy
from ticketing.desk.long_work import do
from ticketing.history import Asking, AuditEntry, Deed, SavedQuery
from ticketing.jobs import JobKind, JobState, ignore_step
from ticketing.labels import is_test
from ticketing.people import Person, Role
from ticketing.recommendations import Outlook
from ticketing.settings import Settings
from ticketing.tickets import Filters, Grade, Judgment, ModelKind, Query, Ticket
from web.app import create_app

HR, LAB = frozenset(["hr"]), frozenset(["lab"])
EVE = Person("eve", Role.ADMIN, LAB)
SECRET = Ticket(
    "HR-0001",
    "Exhaust of Zirconia Quux",
    "gearbox burner spread",
    "zirconia quuxed",
    "SECRET-9",
    "withheld",
    datetime(2029, 1, 1),
    HR,
)
COPY = replace(SECRET, id="GT-0101b", subject="Exhaust spread high")
TIME = datetime(2014, 9, 2)
PRODUCTS = {"SGT-300", "SGT-400", "SGT-700"}
ASKED = Query("Exhaust spread high", "unit trips on start")
OF_SECRET = Query(SECRET.subject, SECRET.description, SECRET.id)
TYPED = Query("seal leaks oil")
TOLD = re.compile(r"zirconia|quux|secret-9|withheld|HR-0001|GT-0101b|\b2029", re.IGNORECASE)
"""What nobody but hr may read anywhere."""

JOBS = {"/jobs", "/jobs.csv", "/api/jobs"}
JOBS |= {f"{at}/{job}" for at in ("/jobs", "/api/jobs") for job in ("7f3a", "1b9e")}
"""They are told in the tickets that may be seen."""
AUDITED = {"/audit", "/audit.csv", "/audit.jsonl"}


def asking(number: int, query: Query, shown: tuple[str, ...], groups=LAB, person="eve") -> Asking:
    rest = (Filters(), "fake-bundle", Outlook.NOTHING, 0.5, shown, groups)
    return Asking(f"a{number}", person, TIME, query, *rest)


def judgment(number: int, query: Query, ticket_id: str, judge: str, grade=Grade.YES) -> Judgment:
    return Judgment(f"j{number}", query, ticket_id, grade, judge, TIME, bundle_id="fake-bundle")


def desk_of(home, hidden=()) -> FakeDesk:
    """A desk; with what is hidden come what people did with it."""
    desk = FakeDesk(Settings(home=home), [*tickets(), *hidden])
    store = desk.store
    store.put_queries([ASKED, TYPED])
    store.add_judgments(
        [judgment(1, ASKED, "GT-0101", "ann"), judgment(2, ASKED, "GT-0101", "bob")]
    )
    store.add_events([asking(1, TYPED, ("GT-0102",)), asking(2, ASKED, ("GT-0101",))])
    store.add_events([SavedQuery("s1", "eve", TIME, ASKED, Filters(), True)])
    if hidden:
        store.put_queries([OF_SECRET])
        seen = [(ASKED, SECRET.id), (OF_SECRET, "GT-0102"), (TYPED, SECRET.id)]
        for i, (query, ticket_id) in enumerate(seen):
            store.add_judgments([judgment(10 + i, query, ticket_id, "ann", Grade.YES)])
            store.add_judgments([judgment(20 + i, query, ticket_id, "bob", Grade.NO)])
        store.add_events(
            [
                asking(11, OF_SECRET, ("GT-0102",)),
                asking(12, ASKED, (SECRET.id,), HR, "hal"),
                asking(13, TYPED, ("GT-0103",), HR, "hal"),
                asking(14, ASKED, ("GT-0102", SECRET.id)),  # it was theirs then
                SavedQuery("s2", "eve", TIME, OF_SECRET, Filters(), True),
                AuditEntry("d1", "hal", TIME, Deed.JUDGED, f"ticket {SECRET.id} for query 1", ""),
            ]
        )
        job = store.jobs()[0]
        store.update_job(job.id, errors={SECRET.id: "is too long"})
    return desk


@cache
def untrained() -> CategoryEncoder:
    """What every desk reads titles by."""
    alphabet = "abcdefghijklmnopqrstuvwxyz "
    return CategoryNetwork(alphabet, CategorySettings(buckets=64)).trained()


def propose_categories(both) -> None:
    """Categories learned from all tickets there may be, on both desks alike."""
    titles = tickets_taxonomy([*tickets(), SECRET, COPY])
    known = CategoryClassifier.index(untrained(), titles, {})
    for desk in both.desks:
        desk.store.set_serving(known.save(desk.models), ModelKind.CATEGORIES)


@pytest.fixture
def both(tmp_path, monkeypatch):
    """What Eve gets of a desk with hidden tickets, and of one that never had them."""
    monkeypatch.setattr("web.guard.find_person", lambda: EVE)
    desks = {
        "whole": desk_of(tmp_path / "whole", [SECRET, COPY]),
        "seen": desk_of(tmp_path / "seen"),
    }
    clients = {name: create_app(desk).test_client() for name, desk in desks.items()}
    yield SimpleNamespace(desk=desks["whole"], desks=desks.values(), **clients)
    for desk in desks.values():
        desk.close()


def addresses(client) -> list[str]:
    """Every address that can be opened, of what Eve may see."""
    round_ = f"queries={ASKED.id},{TYPED.id}&bundles=fake-bundle"
    known = {"query_id": [ASKED.id, TYPED.id], "ticket_id": ["GT-0101", "GT-0102"]}
    known |= {"number": ["3", "17", "0"], "job_id": ["7f3a", "1b9e"]}
    more = {
        "/": ["/?example", f"/?query={ASKED.id}"],
        "/judging/round": [f"/judging/round?{round_}"],
        "/judging/round.csv": [f"/judging/round.csv?{round_}"],
        "/api/rounds": [f"/api/rounds?{round_}"],
        "/jobs/<job_id>/report/<name>": ["/jobs/7f3a/report/report.html"],
        "/models/compare": ["/models/compare?new=fake-bundle&old=fake-bundle"],
        "/api/comparison": ["/api/comparison?new=fake-bundle&old=fake-bundle"],
        "/api/categories": [
            f"/api/categories?limit=9&subject={quote(subject)}"
            for subject in (SECRET.subject, "Flame out at base load")
        ],
        "/topics": ["/topics?words=zirconia", "/topics?product=SECRET-9", "/topics"],
        "/queries/<query_id>": [f"/queries/{TYPED.id}?product=SECRET-9"],
        "/tickets/<path:ticket_id>": [f"/tickets/GT-0101?query={ASKED.id}"],
    }
    found = []
    for rule in client.application.url_map.iter_rules():
        if "GET" in rule.methods and rule.endpoint != "static":
            found += more.get(rule.rule, [])
            names = rule.arguments
            if rule.rule not in more or len(names) == 1:
                values = known[next(iter(names))] if names else [""]
                found += [re.sub("<[^>]*>", value, rule.rule) for value in values]
    return sorted(found)


def text_of(client, address: str) -> tuple[int, str]:
    """Without the forms' tokens, and the time of day."""
    answer = client.get(address)
    return answer.status_code, re.sub(r'"csrf_token"(:| value=)"[^"]+"', "", answer.text)


def test_every_page_and_list_is_that_of_a_desk_without_them(both):
    opened = addresses(both.whole)
    assert len(opened) > 50
    for address in opened:
        if address in JOBS | AUDITED:
            continue
        status, text = text_of(both.whole, address)
        assert (status, text) == text_of(both.seen, address), address
        assert TOLD.search(address) or not TOLD.search(text), address


@pytest.mark.parametrize("address", sorted(JOBS | AUDITED))
def test_jobs_and_audit_name_no_hidden_ticket(both, address):
    status, text = text_of(both.whole, address)
    assert status == 200
    assert not TOLD.search(text)


def test_jobs_are_told_in_the_tickets_seen(both):
    assert {job["total"] for job in both.whole.get("/api/jobs").json} == {12}


def test_a_job_that_is_begun_or_changed_is_told_in_the_tickets_seen(both):
    bundle = both.desk.save_bundle(30)
    begun = both.whole.post(f"/api/models/{bundle}/promote", json={"promotion": "ask"})
    assert (begun.status_code, begun.json["total"], begun.json["arguments"]) == (202, 12, {})
    cancelled = both.whole.post("/api/jobs/7f3a/cancel", json={}).json
    assert cancelled["total"] == 12 and SECRET.id not in cancelled["errors"]
    both.desk.store.update_job("7f3a", state=JobState.CANCELLED)
    retried = both.whole.post("/api/jobs/7f3a/retry", json={}).json
    assert (retried["state"], retried["total"]) == ("queued", 12)


def test_a_log_that_is_not_shown_is_not_said_to_be_empty(both):
    """To Eve, "nothing was said" in a training that had logged each of its epochs."""
    for desk in both.desks:
        desk.store.update_job("7f3a", log="epoch 1 of 3")
    assert "Log</h2>" not in both.whole.get("/jobs/7f3a").text
    assert "Nothing was said" not in both.whole.get("/jobs/7f3a").text
    assert "epoch 1 of 3" in both.seen.get("/jobs/7f3a").text


def test_how_many_tickets_were_imported_and_learned_from_is_not_told(both):
    both.desk.save_bundle(30)
    job = both.desk.store.create_job(JobKind.IMPORT, "", 0, {}, "hal")
    said = "98,765,432 tickets added."
    both.desk.store.update_job(job.id, state=JobState.DONE, message=said, total=98_765_432)
    for address in ("/jobs", f"/jobs/{job.id}", "/jobs.csv", "/api/jobs", f"/api/jobs/{job.id}"):
        assert "98765432" not in both.whole.get(address).text.replace(",", ""), address
    for address in ("/models", "/models.csv", "/api/models"):
        text = both.whole.get(address).text
        assert "in-batch" in text and "30 labels" not in text, address
        assert "12 tickets, " not in text, address


def test_answers_given_to_programs_are_those_of_a_desk_without_them(both):
    for subject in ("Exhaust of Zirconia", SECRET.id, "gearbox", "zirconia quux"):
        for more in ({}, {"filters": {"product": "SECRET-9"}}, {"limit": 100, "order": "newest"}):
            asked = {"subject": subject, **more}
            answers = [c.post("/api/recommend", json=asked) for c in (both.whole, both.seen)]
            assert answers[0].json == answers[1].json
            assert all(SECRET.id != item["ticket"]["id"] for item in answers[0].json["items"])


def same_as_unknown(both, method: str, address: str, hidden: str, unknown: str, **body) -> None:
    """An address that names what is hidden answers as for what never was."""
    token = token_on(both.whole)
    texts = []
    for name in (hidden, unknown):
        filled = {key: value.replace("ID", name) for key, value in body.items()}
        sent = {"json": filled} if address.startswith("/api/") else {"data": filled}
        if sent.get("data") is not None:
            sent["data"]["csrf_token"] = token
        sent = {} if method == "GET" else sent
        answer = both.whole.open(address.replace("ID", quote(name)), method=method, **sent)
        assert answer.status_code == 404, (address, answer.text)
        texts.append(text_without(answer.text, name))
    assert texts[0] == texts[1], address


def text_without(text: str, name: str) -> str:
    return re.sub(r'name="csrf_token" value="[^"]+"', "", text).replace(name, "it")


@pytest.mark.parametrize(
    ("method", "address", "body"),
    [
        ("GET", "/tickets/ID", {}),
        ("GET", f"/tickets/ID?query={ASKED.id}", {}),
        ("POST", "/similar", {"ticket_id": "ID"}),
        ("POST", "/api/similar", {"ticket_id": "ID"}),
        ("POST", f"/queries/{ASKED.id}/judgments", {"ticket_id": "ID", "grade": "YES"}),
        ("POST", "/judging/round", {"query_id": ASKED.id, "ticket_id": "ID", "grade": "YES"}),
        ("GET", "/api/tickets/ID", {}),
        ("DELETE", "/api/tickets/ID", {}),
        ("GET", "/api/solved/ID", {}),
        ("POST", "/api/judgments", {"query_id": ASKED.id, "ticket_id": "ID", "grade": "NO"}),
    ],
)
def test_a_hidden_ticket_is_as_one_that_never_was(both, method, address, body):
    if address == "/judging/round":
        address = f"{address}?queries={ASKED.id}&bundles=fake-bundle"
    same_as_unknown(both, method, address, SECRET.id, "HR-0009", **body)
    assert both.desk.store.get_tickets([SECRET.id]) == {SECRET.id: SECRET}


OPENS = pytest.mark.parametrize(
    ("method", "address", "body"),
    [
        ("GET", "/?query=ID", {}),
        ("GET", "/queries/ID", {}),
        ("GET", "/queries/ID.csv", {}),
        ("GET", "/queries/ID/markdown", {}),
        ("GET", "/tickets/GT-0101?query=ID", {}),
        ("POST", "/queries/ID/judgments", {"ticket_id": "GT-0101", "grade": "YES"}),
        ("POST", "/queries/ID/saved", {"kept": "yes"}),
        ("POST", "/queries/ID/categories", {"group": "a", "right": "YES"}),
        ("GET", "/judging/round?queries=ID&bundles=fake-bundle", {}),
        ("GET", "/judging/round.csv?queries=ID&bundles=fake-bundle", {}),
        ("GET", "/api/queries/ID", {}),
        ("PUT", "/api/saved/ID", {}),
        ("DELETE", "/api/saved/ID", {}),
        ("POST", "/api/judgments", {"query_id": "ID", "ticket_id": "GT-0101", "grade": "NO"}),
        ("GET", "/api/rounds?queries=ID&bundles=fake-bundle", {}),
    ],
)


@OPENS
def test_a_query_that_is_a_hidden_ticket_is_as_one_never_asked(both, method, address, body):
    same_as_unknown(both, method, address, OF_SECRET.id, "0123456789abcdef", **body)


OF_OTHERS = Query("salary of the Quux project")


@OPENS
def test_a_query_that_others_asked_is_as_one_never_asked(both, method, address, body):
    both.desk.store.put_query(OF_OTHERS)
    both.desk.store.add_events([asking(30, OF_OTHERS, ("GT-0101",), HR, "hal")])
    same_as_unknown(both, method, address, OF_OTHERS.id, "0123456789abcdef", **body)


def test_what_a_program_asks_may_be_judged_by_whom_it_asks_for(both, monkeypatch):
    both.desk.put_tickets([replace(SECRET, id="LAB-1", groups=LAB)])
    hal = Person("hal", Role.ENGINEER, HR)
    monkeypatch.setattr("web.guard.find_person", lambda: hal)
    asked = {"subject": OF_OTHERS.subject}
    judged = {"query_id": OF_OTHERS.id, "ticket_id": "GT-0101", "grade": "YES"}
    for client, desk, kept in zip((both.whole, both.seen), both.desks, (1, 0), strict=True):
        before = desk.store.count_events(Asking)
        assert client.post("/api/recommend", json=asked).status_code == 200
        assert desk.store.count_events(Asking) == before + kept  # where none is hidden, as ever
        assert client.get(f"/api/queries/{OF_OTHERS.id}").status_code == 200
    with monkeypatch.context() as other:
        other.setattr("web.guard.find_person", lambda: EVE)
        assert both.whole.post("/api/judgments", json=judged).status_code == 404
    assert both.whole.post("/api/judgments", json=judged).status_code == 200


def test_categories_are_proposed_as_at_a_desk_without_them(both):
    propose_categories(both)
    asking = [x for x in addresses(both.whole) if x.startswith(("/queries/", "/api/categories"))]
    told = [text_of(both.whole, address) for address in asking]
    assert told == [text_of(both.seen, address) for address in asking]
    assert sum("burner nine" in text for _, text in told) >= 2
    for address, (_, text) in zip(asking, told, strict=True):
        assert TOLD.search(address) or not TOLD.search(text), address


def test_categories_are_proposed_by_the_tickets_seen(both):
    propose_categories(both)
    asked = f"/api/categories?limit=9&subject={quote(SECRET.subject)}"
    assert {item["group"] for item in both.whole.get(asked).json} == PRODUCTS
    for name in ("SECRET-9", "Boat"):
        said = {"subject": "Flame out", "group": name, "right": True}
        answer = both.whole.post("/api/categories", json=said)
        assert (answer.status_code, name in answer.text) == (404, True)
    assert list(both.desk.store.verdicts()) == []
    both.desk.delete_tickets([SECRET.id, COPY.id])
    assert {item["group"] for item in both.whole.get(asked).json} == PRODUCTS


def test_models_are_compared_on_the_judgments_seen(both, monkeypatch):
    test = Query("vibration high")
    assert is_test(test.id)
    both.desk.store.add_judgments(
        [judgment(40, test, SECRET.id, "ann"), judgment(41, OF_OTHERS, SECRET.id, "ann")]
    )
    asked = "/api/comparison?new=fake-bundle&old=fake-bundle"
    assert both.whole.get(asked).json["queries"] == 0
    assert both.whole.get(asked).json == both.seen.get(asked).json
    assert both.desk.compare("fake-bundle", "fake-bundle").queries == 1
    both.desk.store.add_judgments([judgment(42, test, "GT-0102", "ann")])
    assert both.whole.get(asked).json["queries"] == 1


def test_a_hidden_ticket_is_not_put_over(both):
    answer = both.whole.put(f"/api/tickets/{SECRET.id}", json={"subject": "mine now"})
    assert answer.status_code == 409
    assert not TOLD.search(answer.text.replace(SECRET.id, ""))
    assert both.desk.store.get_tickets([SECRET.id]) == {SECRET.id: SECRET}


def test_what_hangs_on_a_deleted_hidden_ticket_does_not_come_back_with_its_id(both, monkeypatch):
    def solved() -> list[str]:
        return [one["query"]["subject"] for one in both.whole.get("/api/solved/GT-0102").json]

    before, address = solved(), f"/api/tickets/{SECRET.id}"
    both.desk.delete_tickets([SECRET.id])
    answer = both.whole.put(address, json={"subject": "mine now", "groups": []})
    assert (answer.status_code, "cannot be used" in answer.text) == (409, True)
    assert both.whole.get(address).status_code == 404
    assert solved() == before and SECRET.subject not in before
    for path in AUDITED:
        assert not TOLD.search(both.whole.get(path).text), path
    monkeypatch.setattr("web.guard.find_person", lambda: Person("hal", Role.ADMIN, HR))
    assert both.whole.put(address, json={"subject": "again", "groups": ["hr"]}).status_code == 201
    assert SECRET.subject in solved()


def test_an_import_puts_nothing_over_a_hidden_ticket_and_tells_its_sender_of_the_row(both):
    file = f"id,subject\n{SECRET.id},mine now\nN-1,Pump leaks\n".encode()
    sent = both.whole.post(
        "/api/imports?name=new.csv", data=file, content_type="application/octet-stream"
    )
    store = both.desk.store
    job = store.get_job(sent.json["id"])
    result = do(both.desk, job, ignore_step)
    store.update_job(job.id, state=JobState.DONE, result=result)
    assert store.get_tickets([SECRET.id, "N-1"]).keys() == {SECRET.id, "N-1"}
    assert store.get_tickets([SECRET.id])[SECRET.id] == SECRET
    assert f"{job.id}/report/rejects.jsonl" in both.whole.get(f"/jobs/{job.id}").text
    report = both.whole.get(f"/jobs/{job.id}/report/rejects.jsonl").text
    assert json.loads(report)["reason"] == f"{SECRET.id} cannot be used; choose another one"
    store.put_job(replace(job, id="other", by="hal"))
    store.put_file("report/other/rejects.jsonl", [b"{}"])
    assert both.whole.get("/jobs/other/report/rejects.jsonl").status_code == 404


def test_who_belongs_to_its_groups_sees_it(both, monkeypatch):
    hal = Person("hal", Role.ENGINEER, HR)
    monkeypatch.setattr("web.guard.find_person", lambda: hal)
    assert SECRET.id in both.whole.get(f"/tickets/{SECRET.id}").text
    assert both.whole.get("/api/tickets/HR-0001").json["groups"] == ["hr"]
    found = both.whole.post("/api/recommend", json={"subject": "zirconia quux"}).json
    assert {found["items"][0]["ticket"]["id"], found["items"][1]["ticket"]["id"]} == {
        SECRET.id,
        COPY.id,
    }
