"""What the page says when a part is away: what it is, what goes on, and how to try again."""

import re
import socket

import pytest

from tests.fake_desk import FakeDesk, WordRanker
from ticketing.errors import BundleAway, BundleError, StoreAway, StoreError, StoreFull
from ticketing.settings import load_settings
from web.app import create_app

AWAY = "Elasticsearch at http://10.0.0.9:9200 is away; try again."
FULL = "Elasticsearch at http://10.0.0.9:9200 lets nothing be written; free some room."


@pytest.fixture
def desk(tmp_path):
    return FakeDesk(load_settings(home=tmp_path))


@pytest.fixture
def client(desk):
    app = create_app(desk)
    app.config.update(WTF_CSRF_ENABLED=False)
    return app.test_client()


@pytest.fixture
def store_away(desk, monkeypatch):
    def away(*_, **__):
        raise StoreAway(AWAY)

    for name in ("put_query", "get_query", "count_tickets", "jobs", "add_judgments", "serving"):
        monkeypatch.setattr(desk.store, name, away)


@pytest.fixture
def store_full(desk, monkeypatch):
    def full(*_, **__):
        raise StoreFull(FULL)

    for name in ("put_query", "add_judgments"):
        monkeypatch.setattr(desk.store, name, full)


@pytest.fixture
def no_broker(tmp_path):
    """A page whose broker does not listen."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    desk = FakeDesk(load_settings(home=tmp_path, broker=f"redis://:secret@127.0.0.1:{port}/0"))
    app = create_app(desk)
    app.config.update(WTF_CSRF_ENABLED=False)
    return app.test_client()


@pytest.mark.parametrize("address", ["/", "/jobs", "/queries/0123"])
def test_a_store_that_is_away_is_said_with_what_it_means(client, store_away, address):
    answer = client.get(address)
    assert answer.status_code == 503 and answer.headers["Retry-After"] == "10"
    assert AWAY in answer.text
    assert "Searching and judging wait for it; nothing that was stored is lost." in answer.text
    assert f'href="{address}">Try again' in answer.text


def test_what_was_typed_while_the_store_was_away_can_be_sent_again(client, store_away):
    typed = {"subject": 'The "big" pump', "description": "leaks\n&drips"}
    answer = client.post("/", data=typed, headers={"Sec-Fetch-Site": "same-origin"})
    assert answer.status_code == 503
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', answer.text))
    assert fields["subject"] == "The &#34;big&#34; pump"
    assert fields["description"] == "leaks\n&amp;drips"
    assert "Try again</button>" in answer.text


def test_the_api_says_it_too(client, store_away):
    answer = client.get("/api/jobs")
    assert (answer.status_code, answer.json) == (503, {"error": AWAY})
    assert answer.headers["Retry-After"] == "10"


def test_a_full_store_still_answers(client, store_full):
    answer = client.post("/", data={"subject": "burner is cold"})
    assert answer.status_code == 200
    assert FULL in answer.text and "Searching goes on; judgments and new tickets" in answer.text
    assert answer.text.count('class="ticket" href=') == 10
    assert "send this page’s address" not in answer.text


def test_a_judgment_in_a_full_store_is_refused_with_a_sentence(client, desk, monkeypatch):
    address = client.post("/", data={"subject": "burner is cold"}).location

    def full(*_):
        raise StoreFull(FULL)

    monkeypatch.setattr(desk.store, "add_judgments", full)
    form = {"ticket_id": "GT-0101", "grade": "YES", "rank": "1", "score": "4"}
    answer = client.post(f"{address}/judgments", data=form)
    assert answer.status_code == 503 and FULL in answer.text
    assert "Try again" not in answer.text


def test_a_query_that_could_not_be_kept_is_judged_when_there_is_room(client, desk, monkeypatch):
    """It was said not to be there (404), which no program tries again."""

    def full(*_):
        raise StoreFull(FULL)

    with monkeypatch.context() as patch:
        for name in ("put_query", "require_room"):
            patch.setattr(desk.store, name, full)
        asked = client.post("/api/recommend", json={"subject": "burner is cold"})
        query_id = asked.json["query"]["id"]
        judged = {"query_id": query_id, "ticket_id": "GT-0101", "grade": "YES"}
        answers = [
            client.post("/api/judgments", json=judged),
            client.put(f"/api/saved/{query_id}", json={}),
        ]
        assert [(each.status_code, each.json["error"]) for each in answers] == [(503, FULL)] * 2
    assert client.post("/api/judgments", json=judged).status_code == 404


def test_without_a_broker_searching_and_judging_go_on_and_the_jobs_say_so(no_broker):
    address = no_broker.post("/", data={"subject": "burner is cold"}).location
    assert no_broker.get(address).status_code == 200
    form = {"ticket_id": "GT-0101", "grade": "YES", "rank": "1", "score": "4"}
    assert no_broker.post(f"{address}/judgments", data=form).status_code == 303
    page = no_broker.get("/jobs").text
    assert re.search(r"The broker redis://\*\*\*@127.0.0.1:\d+/0 does not answer", page)
    assert "Searching and judging go on; reindexing waits until it is back." in page


def test_health_tells_a_broker_that_is_away_from_a_store_that_is(no_broker, client, store_away):
    degraded = no_broker.get("/healthz")
    assert (degraded.status_code, degraded.json["status"]) == (200, "degraded")
    assert "does not answer" in degraded.json["away"]["broker"]
    away = client.get("/healthz")
    assert (away.status_code, away.json) == (503, {"status": "away", "away": {"store": AWAY}})


def test_a_process_whose_bundle_is_not_here_says_so_where_it_is_asked_to_be_ready(
    client, desk, monkeypatch
):
    """It is alive, and would answer once the bundle has come."""
    ready = client.get("/readyz")
    answering = {"ranking": "fake-bundle"}
    assert (ready.status_code, ready.json) == (
        200,
        {"status": "ready", "missing": [], "answering": answering},
    )

    def away(bundle_id=""):
        raise BundleAway("Bundle b2 serves and is not on this machine yet.")

    monkeypatch.setattr(desk, "recommender", away)
    waiting = client.get("/readyz")
    assert (waiting.status_code, waiting.json["status"]) == (503, "waiting")
    assert waiting.json["missing"] == ["Bundle b2 serves and is not on this machine yet."]
    assert client.get("/healthz").status_code == 200
    asked = client.post("/api/recommend", json={"subject": "burner is cold"})
    assert asked.status_code == 503 and asked.headers["Retry-After"]


def test_a_serving_bundle_that_cannot_be_loaded_is_said_to_monitoring(client, desk, monkeypatch):
    """It said "ok" while no query was answered."""

    def truncated(bundle_id=""):
        raise BundleError("network.safetensors is truncated; train the bundle again.")

    monkeypatch.setattr(desk, "recommender", truncated)
    said = client.get("/healthz")
    assert (said.status_code, said.json["status"]) == (200, "degraded")
    assert said.json["trouble"] == [
        "Bundle fake-bundle cannot be loaded; `ticketing check` says why."
    ]


def test_a_process_that_waits_for_the_store_is_not_ready(client, store_away):
    away = client.get("/readyz")
    assert (away.status_code, away.json["missing"]) == (503, [AWAY])


def test_a_file_that_a_full_disk_cannot_take_is_said_to_be_that(client, monkeypatch):
    """It was an error of ours, whose details only the log had."""
    monkeypatch.setattr("ticketing.desk.imports.file_name", lambda name: "/dev/full")
    kind = "application/octet-stream"
    sent = client.post("/api/imports?name=t.csv", data=b"id,subject\n1,Fan\n", content_type=kind)
    assert (sent.status_code, sent.json["error"]) == (
        503,
        "The folder imports takes no files (No space left on device); free some room on its disk,"
        " or let it be written to.",
    )


def test_no_path_of_the_server_is_shown_and_the_log_has_it(client, desk, monkeypatch, caplog):
    home = desk.settings.home

    def locked(*_, **__):
        raise StoreAway(f"{home}/tickets.sqlite3 has been locked by another process; try again.")

    def full(*_):
        raise StoreFull(f"{home}/tickets.sqlite3 takes no writes; free some room on its disk.")

    monkeypatch.setattr(desk.store, "put_query", full)
    pages = [client.post("/", data={"subject": "burner is cold"})]
    monkeypatch.setattr(desk.store, "require_room", full)
    pages.append(client.get("/healthz"))
    for name in ("count_tickets", "jobs", "serving"):
        monkeypatch.setattr(desk.store, name, locked)
    pages += [client.get(address) for address in ("/", "/api/jobs", "/healthz", "/readyz")]
    for page in pages:
        assert "tickets.sqlite3" in page.text and str(home) not in page.text
    assert f"{home}/tickets.sqlite3 has been locked" in caplog.text


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_a_store_by_which_no_question_is_answered_is_said_until_one_is(
    client, desk, monkeypatch, address
):
    """As where pages of a database are damaged that hold tickets: it can be opened and counted."""

    def damaged(*_, **__):
        raise StoreError("tickets.sqlite3 cannot be used: malformed.")

    assert client.get(address).status_code == 200
    with monkeypatch.context() as patch:
        patch.setattr(WordRanker, "recommend", damaged)
        assert client.post("/", data={"subject": "burner is cold"}).status_code == 503
        for _ in range(2):
            said = client.get(address)
            assert said.status_code == 503
            assert "tickets.sqlite3 cannot be used: malformed." in said.text
    assert client.get(address).status_code == 200, "it asks again by itself"


def test_a_process_of_a_store_that_lacks_a_part_is_not_ready(client, desk, monkeypatch):
    def lost(*_):
        raise StoreError("Elasticsearch has lost a part of the store.")

    monkeypatch.setattr(desk.store, "require_room", lost)
    for address in ("/healthz", "/readyz"):
        assert client.get(address).status_code == 503


def test_damage_and_a_full_disk_are_said_while_everything_is_read(client, desk, monkeypatch):
    monkeypatch.setattr(desk, "trouble", lambda: ["The disk is full."])
    found = client.get("/healthz")
    assert (found.status_code, found.json["status"]) == (200, "degraded")
    assert found.json["trouble"] == ["The disk is full."]
