"""What ElasticsearchStore asks of a server and keeps on it, beyond the contract."""

from dataclasses import replace
from datetime import timedelta
from itertools import chain
from types import SimpleNamespace

import pytest

from tests.contract.contract_examples import ALL, EVENT, PUMP, code, event, scanned
from tests.contract.elasticsearch_rows import as_before_format_9
from ticketing.errors import StoreAway
from ticketing.jobs import JobKind, JobState
from ticketing.stores import open_store
from ticketing.stores.elasticsearch import connection, tickets
from ticketing.stores.elasticsearch.connection import Connection
from ticketing.stores.elasticsearch.indices import vector_of
from ticketing.stores.visible import VisibleStore
from ticketing.tickets import Filters, Ticket

pytestmark = pytest.mark.elasticsearch


@pytest.fixture
def store(elasticsearch_store):
    return elasticsearch_store


@pytest.mark.parametrize("vector", [b"", bytes(range(128)) * 3], ids=["without", "with"])
def test_codes_of_an_older_format_are_filtered_and_read_as_before(
    store, elasticsearch_settings, vector
):
    first_says = vector_of(384)
    del first_says["dims"]
    as_before_format_9(store, **first_says)
    store.put_tickets(ALL)
    store = open_store(elasticsearch_settings)
    rows = [replace(code(ticket, 3), vector=vector) for ticket in ALL]
    assert store.put_codes("b1", rows) == 3
    hidden = replace(PUMP, groups=frozenset(["lab"]))
    store.put_tickets([hidden])
    assert scanned(store.codes("b1", Filters(groups=frozenset()))) == {"A-1": 3, "T-10": 3}
    assert sorted(store.code_rows("b1"), key=lambda row: row.ticket_id) == sorted(
        rows, key=lambda row: row.ticket_id
    )


def test_of_the_judgments_of_one_ticket_no_others_are_read(store, monkeypatch):
    store.add_judgments([EVENT, *(event(number, ticket_id="T-9") for number in range(3))])
    read, pages = [], Connection.pages

    def spied(*args, **kwargs):
        for hit in pages(*args, **kwargs):
            read.append(hit)
            yield hit

    monkeypatch.setattr(Connection, "pages", spied)
    assert list(store.judgments(ticket_id=EVENT.ticket_id)) == [EVENT]
    assert len(read) == 1


def test_what_others_put_is_the_newest_within_a_second(store, elasticsearch_settings, monkeypatch):
    """By a clock of its own; what the same process puts or deletes is seen at once."""
    seconds, other = [100.0], open_store(elasticsearch_settings)
    monkeypatch.setattr(tickets, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    store.put_tickets([PUMP])
    assert store.newest() == PUMP.created
    later = replace(PUMP, id="later", created=PUMP.created + timedelta(days=1))
    other.put_tickets([later])
    seconds[0] += 0.9
    assert store.newest() == PUMP.created
    assert store.newest(Filters(product=PUMP.product)) == later.created
    seconds[0] += 0.2
    assert store.newest() == later.created
    store.delete_tickets(["later"])
    assert store.newest() == PUMP.created
    other.close()


def test_codes_are_kept_once(store):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(PUMP, 7)])
    with store.connection.client() as client:
        found = client.get(index=store.connection.alias("codes-b1"), id=PUMP.id)
    assert "_source" not in found


def test_a_ticket_forgets_the_builds_that_are_gone_when_it_is_encoded_anew(store):
    store.put_tickets([PUMP])
    for bundle_id in ("b1", "b2", "b3"):
        store.put_codes(bundle_id, [code(PUMP, 1)])
    store.drop_codes("b1")
    store.drop_codes("b2")
    store.put_codes("b4", [code(PUMP, 1)])
    [doc] = store.connection.get("tickets", [PUMP.id]).values()
    assert len(doc["_source"]["coded"]) == 2
    assert [store.count_codes(bundle_id) for bundle_id in ("b3", "b4")] == [1, 1]


def test_a_ticket_put_again_after_its_codes_took_no_writes_is_filtered_as_it_is(store):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(ticket, 3) for ticket in ALL])
    index, closed = store.connection.alias("codes-b1"), replace(PUMP, status="closed")
    with store.connection.client() as client:
        client.indices.put_settings(index=index, settings={"index.blocks.write": True})
        with pytest.raises(StoreAway, match="while it is resized"):
            store.put_tickets([closed])
        client.indices.put_settings(index=index, settings={"index.blocks.write": None})
    assert store.put_tickets([closed]).unchanged == 1
    assert scanned(store.codes("b1", Filters(status="closed"))) == {PUMP.id: 3}


def test_a_deletion_that_was_interrupted_is_finished_by_whoever_asks_again(store, monkeypatch):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(ticket, 3) for ticket in ALL])
    with monkeypatch.context() as patch, pytest.raises(StoreAway):
        patch.setattr(tickets, "remove_codes", lambda *_: (_ for _ in ()).throw(StoreAway("away")))
        store.delete_tickets([PUMP.id])
    assert store.connection.get("codes-b1", [PUMP.id])
    theirs = VisibleStore(store, frozenset())
    assert theirs.delete_tickets([PUMP.id]) == 1
    assert not store.connection.get("codes-b1", [PUMP.id])
    assert theirs.delete_tickets([PUMP.id]) == 0


def read_by_twos(store):
    """The tickets in pages of two, the first of which is asked for."""
    reading = store.connection.pages("tickets", [{"id": "asc"}], size=2)
    return chain([next(reading)], reading)


def test_a_long_read_is_of_one_moment(store):
    store.put_tickets(ALL)
    reading = read_by_twos(store)
    store.put_tickets([Ticket("Z-1", "Added meanwhile")])
    store.delete_tickets([PUMP.id])
    assert [hit["_id"] for hit in reading] == ["A-1", "T-10", "T-2"]
    assert [ticket.id for ticket in store.iter_tickets()] == ["A-1", "T-10", "Z-1"]


def test_a_moment_that_the_server_forgot_is_said(store):
    store.put_tickets(ALL)
    reading = read_by_twos(store)
    alias = store.connection.alias("tickets")
    with store.connection.client() as client:
        client.indices.close(index=alias)
        client.indices.open(index=alias, wait_for_active_shards=1)
    with pytest.raises(StoreAway, match="forgot what was being read; try again"):
        list(reading)


def test_no_page_of_a_long_read_is_taken_without_all_shards(store, monkeypatch):
    """A server's own rule is to give the hits of the others, as though they were all."""
    store.put_tickets(ALL)
    with store.connection.client() as client:
        send, asked = client.transport.perform_request, []

        def spied(method, target, **kwargs):
            asked.append(target)
            return send(method, target, **kwargs)

        monkeypatch.setattr(client.transport, "perform_request", spied)
        assert len(list(read_by_twos(store))) == len(ALL)
    searches = [target for target in asked if "/_search" in target]
    assert len(searches) > 1
    assert all("allow_partial_search_results=false" in target for target in searches)


@pytest.fixture
def lost(monkeypatch):
    """As often as it holds something, the answer to a write is lost: the client sends it again,
    which the first one contradicts."""
    write, times = Connection.write, []

    def written(self, *args, **kwargs):
        return write(self, *args, **kwargs) and not (times and times.pop())

    monkeypatch.setattr(Connection, "write", written)
    return times


def test_a_change_of_a_job_that_was_written_without_an_answer_counts_once(store, lost):
    job = store.create_job(JobKind.REINDEX, "b1", 100)
    lost.append("once")
    assert store.update_job(job.id, more=10, log="ten more").done == 10
    found = store.get_job(job.id)
    assert (found.done, [line.text for line in found.log].count("ten more")) == (10, 1)


def test_a_file_whose_name_was_written_without_an_answer_keeps_its_bytes(store, lost):
    for content in (b"first", b"second"):
        lost.append("once")
        kept = store.put_file("bundle/b1/weights", [content])
        assert b"".join(store.file_chunks("bundle/b1/weights")) == content
        assert kept.bytes == len(content)


def test_a_lease_that_was_written_without_an_answer_is_held(store, lost):
    for _ in ("taken", "renewed"):
        lost.append("once")
        assert store.take_lease("job 1", "a", 60)
    assert not store.take_lease("job 1", "b", 60)


@pytest.mark.parametrize("codes", [[], [code(PUMP, 1)]], ids=["without codes", "with codes"])
def test_a_ticket_that_was_deleted_without_an_answer_counts(store, monkeypatch, codes):
    store.put_tickets([PUMP])
    store.put_codes("b1", codes)
    bulk = Connection.bulk

    def sent_again(self, name, actions, **options):
        actions = list(actions)
        bulk(self, name, actions, **options)
        return bulk(self, name, actions, **options)

    monkeypatch.setattr(Connection, "bulk", sent_again)
    assert store.delete_tickets([PUMP.id]) == 1
    assert store.delete_tickets([PUMP.id]) == 0


def test_a_job_that_ends_while_it_is_looked_for_is_not_taken_for_an_unfinished_one(
    store, monkeypatch
):
    job = store.create_job(JobKind.REINDEX, "b1", 10)
    listed = Connection.listed

    def ended(self, *args, **kwargs):
        hits = listed(self, *args, **kwargs)
        store.update_job(job.id, state=JobState.DONE)
        return hits

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "listed", ended)
        new = store.create_job(JobKind.REINDEX, "b1", 10)
    assert new.id != job.id and not new.finished
    assert store.unfinished_jobs() == [new]


def test_a_list_goes_on_beyond_what_a_server_lists_at_once(store, monkeypatch):
    monkeypatch.setattr(connection, "MOST_HITS", 2)
    store.put_tickets(ALL)
    store.put_codes("b1", [replace(code(ticket, 1), topic=5) for ticket in ALL])
    newest_first = store.topic_tickets("b1", 5, limit=2)
    assert newest_first + store.topic_tickets("b1", 5, limit=2, offset=2) == (
        store.topic_tickets("b1", 5, limit=3)
    )


def test_a_heartbeat_is_read_at_once_without_a_refresh(store, monkeypatch):
    job = store.create_job(JobKind.REINDEX, "b1", 10)
    original, refreshed = Connection.bulk, []

    def bulk(self, name, actions, *, refresh=True):
        refreshed.append(refresh)
        return original(self, name, actions, refresh=refresh)

    monkeypatch.setattr(Connection, "bulk", bulk)
    store.update_job(job.id, done=4)
    assert refreshed == [False]
    assert [found.done for found in store.jobs()] == [4]
    store.update_job(job.id, state=JobState.DONE)
    assert refreshed == [False, True]
    assert store.unfinished_jobs() == []
