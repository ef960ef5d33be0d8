"""Elasticsearch away, hanging or full: in the middle of a job, while people search and judge."""

import random
import re
import time
import uuid
from contextlib import suppress

import pytest

from tests.live.encoding_desk import (
    BUNDLE,
    DigestDesk,
    TimedDesk,
    assert_each_is_stored_once,
    encode_at_once,
    finished,
    kill_at_random,
    wait_until,
    workers,
)
from tests.servers import elasticsearch_server
from ticketing.errors import StoreAway, StoreFull
from ticketing.jobs import JobKind
from ticketing.tickets import Grade, Query, Ticket
from web.app import create_app
from worker import jobs, progress, tasks
from worker.app import make_app

pytestmark = [pytest.mark.elasticsearch, pytest.mark.redis, pytest.mark.worker]

TICKETS = [Ticket(f"{i:04}", f"ticket {i}") for i in range(3000)]
AWAY_SECONDS = 10


@pytest.fixture(scope="module")
def server(elasticsearch_program):
    """An Elasticsearch that these tests harm and mend."""
    with elasticsearch_server() as server:
        yield server


@pytest.fixture
def new_store(server, redis_url, monkeypatch):
    """The environment names an empty store on that server, and a Redis."""
    monkeypatch.setenv("TICKETING_STORE", server.url)
    monkeypatch.setenv("TICKETING_STORE_PREFIX", f"t{uuid.uuid4().hex}")
    monkeypatch.setenv("TICKETING_STORE_TIMEOUT", "5")
    monkeypatch.setenv("TICKETING_BROKER", redis_url)


@pytest.fixture
def desk(new_store, tmp_path):
    desk = DigestDesk(tmp_path)
    desk.store.put_tickets(TICKETS)
    yield desk
    desk.close()


@pytest.fixture
def tiny_desk(new_store, tiny_home, trained, archive_tickets):
    """A real desk whose tiny bundle serves forty tickets."""
    desk = TimedDesk(tiny_home)
    desk.store.set_serving(trained[1])
    desk.put_tickets(archive_tickets)
    yield desk
    desk.close()


@pytest.fixture
def client(tiny_desk):
    app = create_app(tiny_desk)
    app.config.update(WTF_CSRF_ENABLED=False)
    return app.test_client()


def block(desk, blocked: bool) -> None:
    """What Elasticsearch does to all indices when the disk is full, and lifts later.

    It looks every half minute and would lift the block at once, were the disk not full by the
    watermarks set here.
    """
    disk = "cluster.routing.allocation.disk"
    marks = dict.fromkeys(("low", "high", "flood_stage"), "1%" if blocked else None)
    with desk.store.connection.client() as client:
        client.cluster.put_settings(
            persistent={f"{disk}.threshold_enabled": True if blocked else None}
            | {f"{disk}.watermark.{name}": mark for name, mark in marks.items()}
        )
        client.indices.put_settings(
            index=desk.store.connection.alias("*"),
            settings={"index.blocks.read_only_allow_delete": True if blocked else None},
        )


# jobs -------------------------------------------------------------------------------------


def counted(desk):
    """How many tickets have codes; None while the store wakes."""
    with suppress(StoreAway):
        return desk.store.count_codes(BUNDLE)


def test_twenty_workers_killed_at_random_moments_lose_and_double_nothing(desk):
    more = [Ticket(f"more{i:04}", f"ticket {i}") for i in range(3000)]  # a batch may be lost a time
    desk.store.put_tickets(more)
    job = jobs.start_reindex(desk, make_app(desk.settings), BUNDLE)
    with workers(desk.settings.home) as start:
        kill_at_random(desk, start, 20, 0.0005, random.Random(6))
        done = desk.store.count_codes(BUNDLE)
        start()
        record = finished(desk, job)
    assert (record.state, record.done) == ("done", 6000)
    assert_each_is_stored_once(desk, TICKETS + more)
    print(f"20 workers killed, {done} of 6000 done by then, {record.done} in the end")


@pytest.mark.parametrize(("harm", "mend"), [("kill", "start"), ("freeze", "thaw")])
def test_a_store_gone_for_ten_seconds_costs_a_job_nothing_but_time(desk, server, harm, mend):
    """The same worker, which says nothing of a failure, goes on by itself."""
    with workers(desk.settings.home) as start:
        worker = start(seconds=0.002)
        job = jobs.start_reindex(desk, make_app(desk.settings), BUNDLE)
        wait_until(lambda: desk.store.count_codes(BUNDLE) > 256)
        server.do(harm)
        began = time.monotonic()
        with pytest.raises(StoreAway):
            desk.store.count_codes(BUNDLE)
        noticed = time.monotonic() - began
        time.sleep(max(AWAY_SECONDS - noticed, 0))
        server.start() if mend == "start" else server.do(mend)
        done, back = wait_until(lambda: counted(desk)), time.monotonic()
        assert done < 3000
        wait_until(lambda: desk.store.count_codes(BUNDLE) > done)
        waited = time.monotonic() - back
        record = finished(desk, job)
        assert worker.is_alive()
    assert noticed < 60, "two tries of 5 s"
    assert (record.state, record.done) == ("done", 3000)
    assert_each_is_stored_once(desk, TICKETS)
    print(f"{harm}: away said in {noticed:.1f} s, {done} of 3000 done, more {waited:.1f} s later")


def test_a_full_store_stops_a_job_until_there_is_room(desk):
    with workers(desk.settings.home) as start:
        start(seconds=0.002)
        job = jobs.start_reindex(desk, make_app(desk.settings), BUNDLE)
        wait_until(lambda: desk.store.count_codes(BUNDLE) > 256)
        block(desk, True)
        wait_until(
            lambda: progress.silent_for(desk.store.get_job(job.id)) > jobs.SILENT_SECONDS + 4
        )
        done = desk.store.count_codes(BUNDLE)
        assert done < 3000
        with pytest.raises(StoreFull, match="lets nothing be written, as when its disk is full"):
            desk.store.put_tickets([Ticket("new", "new")])
        block(desk, False)
        record = finished(desk, job)
    assert (record.state, record.done) == ("done", 3000)
    assert_each_is_stored_once(desk, TICKETS)
    print(f"full at {done} of 3000; done once there was room")


def block_codes(desk, blocked: bool | None) -> None:
    """What Elasticsearch does to the indices of codes alone when their disk is full."""
    with desk.store.connection.client() as client:
        client.indices.put_settings(
            index=desk.store.connection.alias("codes-*"),
            settings={"index.blocks.read_only_allow_delete": blocked},
        )


def test_where_only_the_codes_find_no_room_the_job_says_why_and_goes_on_when_asked(desk):
    app = make_app(desk.settings)
    job = desk.store.create_job(JobKind.REINDEX, BUNDLE, 3000)
    desk.store.put_codes(BUNDLE, desk.encode(BUNDLE, TICKETS[:128]))
    block_codes(desk, True)
    tasks.encode_batch(desk, job.id, BUNDLE, [ticket.id for ticket in TICKETS[128:256]])
    record = desk.store.get_job(job.id)
    assert (record.state, record.errors) == ("failed", {})
    assert "lets nothing be written, as when its disk is full" in record.message
    block_codes(desk, None)
    with workers(desk.settings.home) as start:
        start()
        again = finished(desk, jobs.start_reindex(desk, app, BUNDLE))
    assert (again.state, again.done) == ("done", 3000)
    assert_each_is_stored_once(desk, TICKETS)


def test_two_workers_given_the_same_batch_store_it_once(desk):
    job = desk.store.create_job(JobKind.REINDEX, BUNDLE, 3000)
    encode_at_once(desk, job.id, [ticket.id for ticket in TICKETS[:128]])
    assert len(desk.encoded) == 256, "both did the work"
    assert_each_is_stored_once(desk, TICKETS[:128])
    record = desk.store.get_job(job.id)
    assert (record.state, record.done, record.errors) == ("running", 128, {})


# people -----------------------------------------------------------------------------------


def asked(client, ticket) -> str:
    """Ask in a ticket's own words; the address of the answer."""
    form = {"subject": ticket.subject, "description": ticket.description}
    return client.post("/", data=form).location


def judged(client, address, **form):
    data, ours = {"rank": 1, "score": 4, **form}, {"Sec-Fetch-Site": "same-origin"}
    return client.post(f"{address}/judgments", data=data, headers=ours)


@pytest.mark.parametrize(("harm", "mend"), [("kill", "start"), ("freeze", "thaw")])
def test_a_judgment_given_while_the_store_is_away_is_kept_on_the_page_and_recorded_once(
    client, tiny_desk, server, archive_tickets, harm, mend
):
    address = asked(client, archive_tickets[0])
    best = tiny_desk.recommend(Query("pump")).items[0].ticket.id
    assert judged(client, address, ticket_id=best, grade="YES").status_code == 303
    server.do(harm)
    page = client.get(address)
    assert page.status_code == 503
    assert re.search(r"<h1>Elasticsearch at \S+ (is away|has not answered in time); ", page.text)
    assert "Searching and judging wait for it; nothing that was stored is lost." in page.text
    assert client.get("/healthz").json["status"] == "away"
    refused = judged(client, address, ticket_id=best, grade="REL")
    assert refused.status_code == 503
    kept = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', refused.text))
    assert kept["grade"] == "REL" and "Try again</button>" in refused.text
    server.start() if mend == "start" else server.do(mend)
    wait_until(lambda: client.get("/healthz").status_code == 200)
    del kept["csrf_token"]
    assert judged(client, address, **kept).status_code == 303
    assert client.get(address).status_code == 200
    events = [(event.ticket_id, event.grade) for event in tiny_desk.store.judgments()]
    assert events == [(best, Grade.YES), (best, Grade.REL)]


def test_a_judgment_sent_twice_around_a_hanging_network_is_recorded_once(
    client, tiny_desk, server, archive_tickets
):
    """The page's script repeats an event under one id; the first may have arrived after all."""
    address = asked(client, archive_tickets[0])
    event = {"query_id": address.rsplit("/", 1)[1], "ticket_id": archive_tickets[0].id}
    event |= {"grade": "YES", "rank": 1, "score": 4.5, "event_id": uuid.uuid4().hex}
    server.do("freeze")
    assert client.post("/api/judgments", json=event).status_code == 503
    server.do("thaw")
    wait_until(lambda: client.get("/healthz").status_code == 200)
    for _ in range(2):
        assert client.post("/api/judgments", json=event).status_code == 200
    assert len(list(tiny_desk.store.judgments())) == 1


def test_a_full_store_is_searched_and_judgments_are_refused_in_words(
    client, tiny_desk, archive_tickets
):
    address = asked(client, archive_tickets[0])
    block(tiny_desk, True)
    try:
        assert client.get(address).status_code == 200
        page = client.post("/", data={"subject": "never asked before: pump vibrates"})
        assert page.status_code == 200 and page.text.count('class="ticket" href=') == 10
        assert "Searching goes on; judgments and new tickets are refused until then." in page.text
        refused = judged(client, address, ticket_id=archive_tickets[0].id, grade="YES")
        assert refused.status_code == 503
        assert "lets nothing be written, as when its disk is full" in refused.text
    finally:
        block(tiny_desk, False)
    assert judged(client, address, ticket_id=archive_tickets[0].id, grade="YES").status_code == 303
    assert len(list(tiny_desk.store.judgments())) == 1
