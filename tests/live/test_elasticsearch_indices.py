"""Indices that were split, restored or lost, behind a desk that goes on or says what it lacks."""

import os
import re
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from elasticsearch import Elasticsearch

from tests.contract.contract_examples import ALL, EVENT, PUMP, code, scanned
from tests.examples import query_by
from ticketing.desk import open_desk
from ticketing.errors import InputError, NotFound, StoreAway, StoreError, StoreFull
from ticketing.history import AuditEntry
from ticketing.stores import open_store
from ticketing.stores.elasticsearch import opening, resizing
from ticketing.stores.elasticsearch.indices import MAPPINGS, VERSION, behind, indices_of
from ticketing.stores.elasticsearch.opening import make_anew
from ticketing.stores.elasticsearch.resizing import resize, use
from ticketing.tickets import Filters, Ticket
from web.app import create_app

pytestmark = pytest.mark.elasticsearch


class Killed(BaseException):
    """Ends a step as SIGKILL would."""


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


def ticketing(settings, *arguments):
    """What a command prints."""
    environment = os.environ | {
        "TICKETING_HOME": str(settings.home),
        "TICKETING_STORE": settings.store,
        "TICKETING_STORE_PREFIX": settings.store_prefix,
    }
    ended = subprocess.run(
        [sys.executable, "-m", "ticketing", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return ended.stdout


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
        assert again.known_words(["leaks", "flame"]) == {"leaks"}
        assert list(again.findings()) == []
        assert names(client, settings, "tickets") == [f"{settings.store_prefix}-tickets-000002"]
        again.drop_codes("b1")
        assert again.put_codes("b1", [code(PUMP, 4)]) == 1
        assert scanned(again.codes("b1")) == {"T-2": 4}


def test_a_part_that_was_lost_is_said_and_never_replaced(client, settings, filled):
    alias = f"{settings.store_prefix}-records"
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
        lambda: store.known_words(["pump"]),
        lambda: list(store.iter_tickets()),
        lambda: store.put_tickets(ALL),
    ):
        with pytest.raises(StoreError, match=r"has lost a part of the store \(no such index"):
            read()


class Importer:
    """A thread that puts tickets and their codes all the time, changes and deletes every third;
    what is refused it sends again."""

    def __init__(self, store):
        self.put, self.changed, self.deleted = set(), set(), set()
        self.refused, self.failed = 0, []
        self._store, self._stop = store, threading.Event()
        self._thread = threading.Thread(target=self._write_all)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _write_all(self):
        number = 0
        while not self._stop.is_set() and not self.failed:
            try:
                self._write(f"new-{number:05}", (None, self.changed, self.deleted)[number % 3])
                number += 1
            except StoreAway:
                self.refused += 1
            except Exception as error:
                self.failed.append(error)

    def _write(self, id, then):
        ticket = Ticket(id, "pump leaks")
        if id not in self.put:
            self._store.put_tickets([ticket])
            self._store.put_codes("b1", [code(ticket, 3)])
            self.put.add(id)
        if then is self.changed:
            self._store.put_tickets([replace(ticket, status="closed")])
        if then is self.deleted:
            self._store.delete_tickets([id])
        if then is not None:
            then.add(id)

    def require_all(self, store):
        """All that was acknowledged is there, as it was written last, and nothing else."""
        assert self.failed == []
        there = {ticket.id: ticket for ticket in store.iter_tickets()}
        lost = {ticket.id for ticket in ALL} | (self.put - self.deleted)
        assert (lost - there.keys(), self.deleted & there.keys()) == (set(), set())
        assert {there[id].status for id in self.changed} == {"closed"}
        closed = scanned(store.codes("b1", Filters(status="closed")))
        assert closed.keys() >= self.changed
        assert scanned(store.codes("b1")).keys() == there.keys()
        assert list(store.findings()) == []


def shards(client, settings, part):
    found = client.indices.get_settings(index=f"{settings.store_prefix}-{part}").body
    return {name: int(x["settings"]["index"]["number_of_shards"]) for name, x in found.items()}


def test_indices_are_resized_while_tickets_are_written(client, settings, filled):
    prefix, before = settings.store_prefix, 1
    for number, wanted in [(2, 2), (3, 3), (4, 1)]:
        with Importer(filled) as importer:
            said = ticketing(settings, "store", "resize", "--shards", str(wanted))
            assert filled.count_tickets() >= 3
        shown = rf"{before} → {wanted} shards?, [\d,]+ documents; writes to it waited for \d+\.\d s"
        ending = rf"have {wanted} shards?\.\n"
        if wanted > 1:
            ending += rf"Set TICKETING_STORE_SHARDS={wanted} for those to come\.\n"
        assert re.fullmatch(
            rf"{prefix}-codes-b1: {shown}\.\n{prefix}-tickets: {shown}\.\n"
            rf"All indices of tickets and codes {ending}",
            said,
        )
        importer.require_all(filled)
        for part in ("tickets", "codes-b1"):
            assert shards(client, settings, part) == {f"{prefix}-{part}-00000{number}": wanted}
        assert len(indices_of(filled.connection)) == len(MAPPINGS) + 1
        print(said, len(importer.put), "tickets put,", importer.refused, "attempts refused")
        filled.delete_tickets([id for id in importer.put])
        before = wanted


def test_what_is_asked_of_a_copied_index_is_as_it_was(client, settings, filled):
    vectors = [replace(code(ticket, 4), vector=bytes([n, 1] * 4)) for n, ticket in enumerate(ALL)]
    filled.put_codes("b2", vectors)
    filled.set_serving("b2")
    tickets = f"{settings.store_prefix}-tickets"
    client.indices.put_settings(index=tickets, settings={"refresh_interval": "3s"})

    def asked():
        near = query_by(["pump"], np.array([1, 1] * 4, np.int8))
        return (
            list(filled.iter_tickets()),
            list(filled.code_rows("b2")),
            filled.topic_counts("b2"),
            filled.candidates("b2", near).ids,
            filled.candidates("b2", query_by(["pump"], np.zeros(0, np.int8))).ids,
            filled.count_codes("b2"),
            filled.known_words(["pump", "boiler"]),
        )

    before = asked()
    assert [done.after for done in resize(filled.connection, 2)] == [2] * 3
    assert asked() == before
    assert [done.after for done in resize(filled.connection, 1)] == [1] * 3
    assert asked() == before
    assert list(resize(filled.connection, 1)) == []
    [found] = client.indices.get_settings(index=tickets, flat_settings=True).values()
    assert found["settings"]["index.refresh_interval"] == "3s"
    assert found["settings"]["index.auto_expand_replicas"] == "0-1"


def test_what_was_read_before_an_index_was_copied_is_not_written_over_the_copy(settings, filled):
    """Its number may be that of another state of the ticket there, its term never."""
    list(resize(filled.connection, 2))
    read = filled.connection.get("tickets", ["T-2"])["T-2"]
    list(resize(filled.connection, 1))
    now = filled.connection.get("tickets", ["T-2"])["T-2"]
    assert now["_primary_term"] > read["_primary_term"]
    filled.put_tickets([replace(PUMP, status="closed")])
    assert filled.get_tickets(["T-2"])["T-2"].status == "closed"


def test_codes_of_a_ticket_that_is_deleted_go_though_their_index_is_copied_meanwhile(
    filled, monkeypatch
):
    """Copied between the reading of the codes and their deletion, which is of what was read."""
    list(resize(filled.connection, 2))
    write, copied = filled.connection.bulk, []

    def copying(name, actions, **options):
        if not copied and name.startswith("codes"):
            copied.append(True)
            list(resize(filled.connection, 1))
        return write(name, actions, **options)

    monkeypatch.setattr(filled.connection, "bulk", copying)
    filled.delete_tickets(["T-2"])
    assert copied
    assert scanned(filled.codes("b1")).keys() == {ticket.id for ticket in filled.iter_tickets()}


@pytest.mark.parametrize(
    "before, shards_wanted, step",
    [(1, 2, "split"), (1, 2, "update_aliases")]
    + [(2, 1, step) for step in ("create", "add_block")],
)
def test_a_resizing_that_is_killed_leaves_all_there_and_is_ended_by_the_next(
    client, settings, filled, monkeypatch, before, shards_wanted, step
):
    """Killed just after a step: nothing is undone, as by SIGKILL."""
    list(resize(filled.connection, before))
    original = getattr(type(client.indices), step)

    def away(*_):
        raise StoreAway("Nothing more is done.")

    def dying(self, **options):
        original(self, **options)
        killing.setattr(resizing, "indices_of", away)
        raise Killed

    with monkeypatch.context() as killing, pytest.raises(Killed):
        killing.setattr(type(client.indices), step, dying)
        list(resize(filled.connection, shards_wanted))
    assert len(list(filled.iter_tickets())) == 3
    if step in ("split", "add_block"):
        with pytest.raises(StoreFull, match="run `ticketing store resize` again"):
            filled.require_room()
    list(resize(filled.connection, shards_wanted))
    filled.require_room()
    filled.put_tickets([Ticket("new", "pump")])
    assert list(shards(client, settings, "tickets").values()) == [shards_wanted]
    assert list(shards(client, settings, "codes-*").values()) == [shards_wanted]
    assert len(indices_of(filled.connection, "tickets-*")) == 1
    assert not any(resizing.RESIZING in index.meta for index in indices_of(filled.connection))


def test_a_part_that_is_gone_for_good_is_made_anew_when_told(client, settings, filled):
    with pytest.raises(InputError, match="are there; nothing was made"):
        make_anew(filled.connection, "tickets")
    client.indices.delete(index=f"{settings.store_prefix}-tickets-000001")
    ticketing(settings, "store", "make", "tickets")
    with closing(open_store(settings)) as store:
        assert (store.count_tickets(), list(store.judgments())) == (0, [EVENT])
        [entry] = store.events(AuditEntry)
        assert (entry.deed, entry.which) == ("mended", "part tickets")


def test_health_says_that_a_part_is_missing_or_there_twice(client, settings):
    with closing(open_desk(settings)) as desk:
        page, alias = create_app(desk).test_client(), f"{settings.store_prefix}-files"
        assert page.get("/healthz").status_code == 200
        client.indices.delete(index=f"{alias}-000001")
        health = page.get("/healthz")
        assert health.status_code == 503
        assert f"(no index has the alias {alias})" in health.json["away"]["store"]
        for number in (1, 2):
            client.indices.create(index=f"{alias}-00000{number}", aliases={alias: {}})
        health = page.get("/healthz")
        assert health.status_code == 503
        assert "keep the right one with `ticketing store use" in health.json["away"]["store"]


def test_lost_codes_of_the_serving_bundle_are_said_until_they_are_made_anew(
    client, settings, filled
):
    filled.set_serving("b1")
    filled.require_room()
    client.indices.delete(index=f"{settings.store_prefix}-codes-b1-000001")
    for ask in (
        lambda: filled.candidates("b1", query_by(["pump"], np.zeros(0, np.int8))),
        lambda: filled.codes("b1"),
        lambda: filled.topic_counts("b1"),
        lambda: list(filled.code_rows("b1")),
        lambda: filled.put_codes("b1", [code(PUMP, 1)]),
        filled.require_room,
    ):
        with pytest.raises(StoreError, match="has lost the codes of bundle b1, which serves"):
            ask()
    [finding] = filled.findings()
    assert str(finding) == (
        "codes of bundle b1: those of 3 tickets were lost; encode these tickets anew."
    )
    finding.mend()
    assert filled.put_codes("b1", [code(ticket, 5) for ticket in ALL]) == 3
    assert scanned(filled.codes("b1")) == {"A-1": 5, "T-10": 5, "T-2": 5}
    filled.require_room()
    assert list(filled.findings()) == []


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
        dying.setattr(opening, "behind", die)
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
    with pytest.raises(StoreError, match="keep the right one"):
        filled.require_room()
    with pytest.raises(StoreError, match="keep the right one"):
        filled.get_tickets(["T-2"])
    with pytest.raises(StoreError, match="keep the right one"):
        filled.put_tickets([Ticket("new", "pump")])
    said = ticketing(settings, "store", "use", f"{alias}-000001")
    assert said == f"{alias} leads to {alias}-000001.\n"
    filled.require_room()
    with closing(open_store(settings)) as store:
        assert store.count_tickets() == 3


def test_an_alias_that_was_taken_from_its_index_is_given_back(client, settings, filled):
    alias = f"{settings.store_prefix}-records"
    client.indices.delete_alias(index=f"{alias}-000001", name=alias)
    assert refusal(settings).endswith(
        f"(no index has the alias {alias}); run `ticketing store use {alias}-000001`."
    )
    assert use(filled.connection, f"{alias}-000001") == alias
    assert list(filled.judgments()) == [EVENT]


def test_only_an_index_of_this_store_can_be_used(settings, filled):
    connection = filled.connection
    with pytest.raises(NotFound, match="There is no index"):
        use(connection, f"{settings.store_prefix}-tickets-000009")
    with pytest.raises(InputError, match="not named after a part of this store"):
        use(connection, "another-000001")


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
