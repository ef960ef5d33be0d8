"""Indices that were split, restored or lost, behind a desk that goes on or says what it lacks."""

import threading
from contextlib import closing

import pytest
from elasticsearch import Elasticsearch

from tests.contract.contract_examples import ALL, EVENT, PUMP, code, scanned
from ticketing.errors import StoreError
from ticketing.stores import open_store
from ticketing.stores.elasticsearch import opening
from ticketing.stores.elasticsearch.indices import MAPPINGS, VERSION, behind
from ticketing.tickets import Ticket

pytestmark = pytest.mark.elasticsearch


@pytest.fixture
def client(elasticsearch_url):
    with Elasticsearch(elasticsearch_url) as client:
        yield client


@pytest.fixture
def settings(own_indices):
    return own_indices


@pytest.fixture
def filled(settings):
    """A desk with three tickets, their codes and a judgment."""
    with closing(open_store(settings)) as store:
        store.put_tickets(ALL)
        store.put_codes("b1", [code(ticket, 7) for ticket in ALL])
        store.add_judgments([EVENT])
        yield store


def names(client, settings, part):
    """The indices that an alias leads to."""
    return sorted(client.indices.get_alias(name=f"{settings.store_prefix}-{part}"))


def split_by_hand(client, alias, shards):
    """What Elasticsearch's own documents advise."""
    old, new = f"{alias}-000001", f"{alias}-000002"
    client.indices.add_block(index=old, block="write")
    settings = {"index.number_of_shards": shards, "index.blocks.write": None}
    client.indices.split(index=old, target=new, settings=settings, wait_for_active_shards=1)
    actions = [{"add": {"index": new, "alias": alias}}, {"remove": {"index": old, "alias": alias}}]
    client.indices.update_aliases(actions=actions)


def refusal(settings):
    with pytest.raises(StoreError) as refused:
        open_store(settings)
    return str(refused.value)


def test_a_desk_goes_on_behind_indices_that_an_admin_split(client, settings, filled):
    for part in ("tickets", "codes-b1"):
        split_by_hand(client, f"{settings.store_prefix}-{part}", 2)
    with closing(open_store(settings)) as again:
        for store in (filled, again):
            assert {ticket.id for ticket in store.iter_tickets()} == {t.id for t in ALL}
            assert scanned(store.codes("b1")) == {"A-1": 7, "T-10": 7, "T-2": 7}
            assert store.bundles() == ["b1"]
        new = Ticket("new", "pump leaks")
        again.put_tickets([new])
        assert filled.put_codes("b1", [code(new, 3)]) == 1
        assert again.delete_tickets(["T-10"]) == 1
        assert scanned(again.codes("b1")) == {"A-1": 7, "T-2": 7, "new": 3}
        assert [id for id, _ in again.search_words(["leaks"], 10)] == ["new"]
        assert list(again.findings()) == []
        assert names(client, settings, "tickets") == [f"{settings.store_prefix}-tickets-000002"]
        again.drop_codes("b1")
        assert again.put_codes("b1", [code(PUMP, 4)]) == 1
        assert scanned(again.codes("b1")) == {"T-2": 4}


@pytest.mark.parametrize("part", ["tickets", "records"])
def test_a_part_that_was_lost_is_said_and_never_replaced(client, settings, filled, part):
    alias = f"{settings.store_prefix}-{part}"
    client.indices.delete(index=f"{alias}-000001")
    assert refusal(settings) == (
        f"Elasticsearch at {settings.store} has lost a part of the store (no index has the alias"
        f" {alias}); restore it from a snapshot or a backup, as docs/how-to/backup.md says."
    )
    assert not client.indices.exists(index=alias)


def test_a_store_that_lost_its_tickets_says_so_and_finds_nothing_silently(filled):
    store = filled
    [index] = behind(store.connection, "tickets").values()
    with store.connection.client() as client:
        client.indices.delete(index=index.name)
    for read in (
        lambda: store.get_tickets(["T-2"]),
        lambda: store.count_tickets(),
        lambda: store.search_words(["pump"], 10),
        lambda: list(store.iter_tickets()),
        lambda: store.put_tickets(ALL),
    ):
        with pytest.raises(StoreError, match=r"has lost a part of the store \(no such index"):
            read()


def test_a_part_that_is_newer_than_the_store_is_made_and_then_missed(
    client, settings, filled, monkeypatch
):
    monkeypatch.setitem(MAPPINGS, "extra", {"id": {"type": "keyword"}})
    monkeypatch.setitem(opening.SINCE, "extra", VERSION)
    for part in ("tickets", "records", "codes-b1"):
        alias = f"{settings.store_prefix}-{part}"
        [described] = client.indices.get_mapping(index=alias).values()
        older = described["mappings"]["_meta"] | {"version": VERSION - 1}
        client.indices.put_mapping(index=alias, meta=older)
    open_store(settings).close()
    [extra] = names(client, settings, "extra")
    open_store(settings).close()
    client.indices.delete(index=extra)
    assert f"no index has the alias {settings.store_prefix}-extra" in refusal(settings)


def test_processes_that_start_at_once_make_one_store(client, settings):
    gate, failed = threading.Barrier(6), []

    def start():
        gate.wait()
        try:
            with closing(open_store(settings)) as store:
                store.put_tickets([Ticket("1", "pump")])
        except Exception as error:
            failed.append(error)

    processes = [threading.Thread(target=start) for _ in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert failed == []
    assert [len(names(client, settings, part)) for part in MAPPINGS] == [1] * len(MAPPINGS)
    with closing(open_store(settings)) as store:
        assert store.count_tickets() == 1


def test_a_store_whose_maker_died_half_way_is_made_by_the_next(client, settings, monkeypatch):
    def die(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as dying, pytest.raises(KeyboardInterrupt):
        dying.setattr(opening, "_make_missing", die)
        open_store(settings)
    assert len(names(client, settings, "records")) == 1
    with closing(open_store(settings)) as store:
        assert store.count_tickets() == 0
    [index] = names(client, settings, "tickets")
    client.indices.delete(index=index)
    assert "has lost a part" in refusal(settings)


def test_an_alias_of_two_indices_is_refused_with_the_command_that_mends_it(
    client, settings, filled
):
    alias = f"{settings.store_prefix}-tickets"
    client.indices.create(
        index=f"{alias}-000002",
        aliases={alias: {}},
        mappings={"_meta": {"application": opening.APPLICATION, "version": VERSION}},
    )
    said = refusal(settings)
    assert said == (
        f"The alias {alias} at {settings.store} leads to {alias}-000001 (3 documents) and"
        f" {alias}-000002 (0 documents); keep the right one with `ticketing store use NAME`."
    )


def test_a_snapshot_brings_a_lost_part_back(client, settings, filled):
    """The commands of docs/how-to/backup.md."""
    alias = f"{settings.store_prefix}-tickets"
    snapshot = client.snapshot
    snapshot.create_repository(
        name="backups", repository={"type": "fs", "settings": {"location": settings.store_prefix}}
    )
    only = {"indices": f"{settings.store_prefix}-*", "include_global_state": False}
    snapshot.create(repository="backups", snapshot="first", wait_for_completion=True, **only)
    client.indices.delete(index=f"{alias}-000001")
    assert "has lost a part" in refusal(settings)
    lost = {"indices": f"{alias}-000001", "include_global_state": False}
    snapshot.restore(repository="backups", snapshot="first", wait_for_completion=True, **lost)
    with closing(open_store(settings)) as store:
        assert {ticket.id for ticket in store.iter_tickets()} == {ticket.id for ticket in ALL}
        assert list(store.judgments()) == [EVENT]
        assert list(store.findings()) == []
