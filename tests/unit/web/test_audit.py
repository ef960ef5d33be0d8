"""The audit holds what people do, from pages, API and command line; no text and no secret."""

import json
import re

import pytest
from click.testing import CliRunner

from tests.fake_desk import FakeDesk
from tests.forms import token_on
from tests.people import GOOD, account, signed_in
from ticketing.cli.users import command as users
from ticketing.errors import StoreAway
from ticketing.history import AuditEntry, Deed
from ticketing.people import Actor, Role
from ticketing.settings import Settings
from ticketing.stores.sqlite import SQLiteStore
from web.app import create_app

SECRET = "xyzzy"
"""Stands in every text and every password of these tests."""


def deeds(desk) -> list[tuple[str, str, str]]:
    return [(e.person, e.deed.value, e.which) for e in desk.store.events(AuditEntry)]


def form(client, **fields):
    return {"csrf_token": token_on(client), **fields}


def work(desk) -> str:
    """Do everything that is audited; the JSON Lines of it."""
    desk.add_account(Actor("cli:root", "command line"), "ann", f"{GOOD} {SECRET}", Role.ADMIN)
    client = create_app(desk).test_client()
    token = token_on(client, "/sign-in")
    for password in (f"wrong {SECRET}", f"{GOOD} {SECRET}"):
        given = {"csrf_token": token, "name": "ann", "password": password}
        client.post("/sign-in", data=given)
    client.post("/", data=form(client, subject=f"{SECRET} exhaust spread"))
    [asked] = desk.history("ann")
    judged = {"query_id": asked.query.id, "ticket_id": "GT-0101", "grade": "YES", "note": SECRET}
    client.post("/api/judgments", json=judged)
    client.put("/api/tickets/N-1", json={"subject": SECRET, "solution": SECRET})
    client.delete("/api/tickets/N-1")
    client.get("/topics.csv")
    added = {"name": "bob", "password": f"another {GOOD} {SECRET}", "role": "engineer"}
    client.post("/people", data=form(client, **added))
    changed = {"name": "bob", "role": "scientist", "groups": "lab", "seen": "engineer, groups none"}
    client.post("/people/change", data=form(client, **changed))
    wanted = {"label": SECRET, "scopes": "ask", "days": 1, "password": f"{GOOD} {SECRET}"}
    made = client.post("/account/tokens", data=form(client, **wanted))
    [kept] = desk.store.tokens("ann")
    client.post(f"/account/tokens/{kept.id}/revoke", data=form(client))
    passwords = {"password": f"{GOOD} {SECRET}", "new_password": f"not {GOOD} {SECRET}"}
    client.post("/account/password", data=form(client, **passwords))
    audit = client.get("/audit.jsonl").text
    assert kept.key not in audit
    assert re.search(r"tick_[0-9a-f]+_([\w-]+)", made.text)[1] not in audit
    client.post("/sign-out", data=form(client))
    return audit


def test_a_ticket_that_is_deleted_is_in_the_audit_whatever_becomes_of_the_answer(
    tmp_path, monkeypatch
):
    """The store's answer was lost on the way: who deleted it was told 404, and nobody any more."""
    desk = FakeDesk(Settings(home=tmp_path))
    client = create_app(desk).test_client()
    delete = desk.delete_tickets

    def away(ids):
        delete(ids)
        raise StoreAway("The store does not answer; try again.")

    with monkeypatch.context() as patched:
        patched.setattr(desk, "delete_tickets", away)
        assert client.delete("/api/tickets/GT-0101").status_code == 503
    assert deeds(desk) == [("local", "deleted", "ticket GT-0101")]
    assert desk.store.get_tickets(["GT-0101"]) == {}
    with monkeypatch.context() as patched:
        patched.setattr(desk, "delete_tickets", lambda ids: delete(ids) and 0)
        assert client.delete("/api/tickets/GT-0102").status_code == 204
    assert client.delete("/api/tickets/GT-0102").status_code == 404
    assert [which for _, _, which in deeds(desk)] == ["ticket GT-0101", "ticket GT-0102"]
    desk.close()


def test_every_deed_is_kept_with_who_which_and_where(desk):
    lines = [json.loads(line) for line in work(desk).split("\n")[:-1]]
    query_id = desk.history("ann")[0].query.id
    [token] = {line["which"].split()[0] for line in lines if line["deed"] == "token made"}
    assert deeds(desk) == [
        ("cli:root", "person added", "ann: admin, groups none"),
        ("ann", "sign-in failed", "ann"),
        ("ann", "signed in", "ann"),
        ("ann", "judged", f"ticket GT-0101 for query {query_id}"),
        ("ann", "imported", "ticket N-1"),
        ("ann", "deleted", "ticket N-1"),
        ("ann", "exported", "/topics.csv"),
        ("ann", "person added", "bob: engineer, groups none"),
        ("ann", "person changed", "bob: scientist, groups lab"),
        ("ann", "token made", f"{token} of ann: ask"),
        ("ann", "token revoked", f"{token} of ann"),
        ("ann", "password changed", "ann"),
        ("ann", "signed in", "ann"),
        ("ann", "exported", "audit"),
        ("ann", "signed out", "ann"),
    ]
    assert {line["where"] for line in lines[1:]} == {"127.0.0.1"}
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", line["time"]) for line in lines)
    assert set(lines[0]) == {"event_id", "person", "time", "deed", "which", "where"}


def test_the_audit_holds_no_text_of_a_ticket_and_no_secret(desk):
    assert SECRET not in work(desk)


def test_only_what_was_done_is_kept(desk):
    eve = signed_in(desk, "eve", Role.ENGINEER)
    before = deeds(desk)
    assert eve.delete("/api/tickets/GT-0101").status_code == 403
    assert eve.put("/api/tickets/GT-0101", json={"subject": "x"}).status_code == 403
    assert eve.get("/topics.csv").status_code == 403
    assert deeds(desk) == before
    ada = signed_in(desk, "ada")
    assert ada.delete("/api/tickets/nope").status_code == 404
    assert deeds(desk)[len(before) :] == [("ada", "signed in", "ada")]


@pytest.mark.parametrize("chosen", ["{}", "judged: {}", "judged: ticket: sue: {}"])
def test_an_event_id_of_one_deed_hides_no_other_deed(desk, monkeypatch, chosen):
    """A judgment in another's name left no trace where a token had been made with its id."""
    monkeypatch.setattr(FakeDesk, "judge_category", lambda *said: None)
    account(desk, "ann")
    sue = signed_in(desk, "sue", Role.SCIENTIST)
    asked = sue.post("/api/recommend", json={"subject": "exhaust spread"}).json
    before = len(deeds(desk))
    first = {"event_id": chosen.format("e3")}
    token = form(sue, label="x", scopes="ask", days=1, **first)
    assert sue.post("/account/tokens", data=token).status_code == 200
    category = {"subject": "exhaust", "group": "SGT-400", "right": True}
    assert sue.post("/api/categories", json=category | first).status_code == 204
    judged = {"query_id": asked["query"]["id"], "ticket_id": "GT-0101", "grade": "YES"}
    judged |= {"judge": "ann", "event_id": "e3"}
    for _ in range(2):
        assert sue.post("/api/judgments", json=judged).status_code == 200
    assert [which for _, _, which in deeds(desk)[before:]] == [
        f"{desk.store.tokens('sue')[0].id} of sue: ask",
        "category SGT-400",
        f"ticket GT-0101 for query {judged['query_id']} of ann",
    ]


def test_an_event_id_of_one_person_hides_no_deed_of_another(desk):
    ann, sue = (signed_in(desk, name, Role.SCIENTIST) for name in ("ann", "sue"))
    asked = ann.post("/api/recommend", json={"subject": "exhaust spread"}).json
    judged = {"query_id": asked["query"]["id"], "ticket_id": "GT-0101", "grade": "YES"}
    judged |= {"judge": "ann", "event_id": "e1"}
    for client in (ann, sue):
        assert client.post("/api/judgments", json=judged).status_code == 200
        token = form(client, label="x", scopes="ask", days=1, event_id="e1")
        assert client.post("/account/tokens", data=token).status_code == 200
    of_both = [(person, deed) for person, deed, _ in deeds(desk) if deed != "signed in"]
    assert of_both == [(name, deed) for name in ("ann", "sue") for deed in ("judged", "token made")]


def test_the_page_shows_the_last_deeds_first(desk):
    ada = signed_in(desk, "ada")
    for i in range(60):
        desk.record(Actor("ann", "192.0.2.7"), Deed.DELETED, f"ticket number-{i}-")
    page = ada.get("/audit").text
    assert re.findall(r"number-(\d+)-", page) == [str(i) for i in range(59, 9, -1)]
    assert "number-0-" in ada.get("/audit?page=2").text
    assert "61 in all" in page and "192.0.2.7" in page
    assert ada.get("/audit?page=3").status_code == 404


def test_the_command_line_is_audited_as_the_systems_user(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path))
    monkeypatch.setenv("LOGNAME", "somebody-else")
    done = CliRunner().invoke(users, ["add", "ann", "--role", "admin"], input=f"{GOOD}\n")
    assert done.exit_code == 0, done.output
    store = SQLiteStore(tmp_path)
    [entry] = store.events(AuditEntry)
    store.close()
    assert re.fullmatch(r"cli:(?!somebody-else).+", entry.person)
    assert (entry.where, entry.deed) == ("command line", Deed.PERSON_ADDED)
