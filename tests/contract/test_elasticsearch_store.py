"""ElasticsearchStore passes the contract on a real server, and keeps its copies right."""

import base64
from contextlib import nullcontext
from dataclasses import replace

import pytest

from tests.contract.contract_examples import ALL, EVENT, PUMP, code, event, scanned
from tests.contract.elasticsearch_rows import as_before_format_9, forged
from tests.contract.store_contract import StoreContract
from ticketing.errors import Conflict, StoreAway, StoreError
from ticketing.jobs import JobKind
from ticketing.stores.elasticsearch import codes, copies, tickets
from ticketing.stores.elasticsearch.codes import ElasticsearchCodes
from ticketing.stores.elasticsearch.connection import Connection
from ticketing.tickets import Filters, Ticket

pytestmark = pytest.mark.elasticsearch


@pytest.fixture
def store(elasticsearch_store):
    return elasticsearch_store


class TestElasticsearchStore(StoreContract):
    pass


# others at the same time ------------------------------------------------------------------


def meanwhile(monkeypatch, owner, name, happens):
    """Let something happen once, right after a step."""
    step = getattr(owner, name)
    left = [happens]

    def stepped(*arguments, **options):
        result = step(*arguments, **options)
        if left:
            left.pop()()
        return result

    monkeypatch.setattr(owner, name, stepped)


def test_a_ticket_that_is_hidden_while_it_is_put_stays_hidden(store, monkeypatch):
    store.put_tickets([PUMP])
    hidden = replace(PUMP, groups=frozenset(["lab"]))
    meanwhile(monkeypatch, Connection, "get", lambda: store.put_tickets([hidden]))
    closed = replace(PUMP, status="Closed later")
    store.put_tickets([closed], keep=["groups"])
    assert list(store.iter_tickets()) == [replace(closed, groups=hidden.groups)]
    meanwhile(monkeypatch, Connection, "get", lambda: store.put_tickets([hidden]))
    with pytest.raises(Conflict):
        store.put_tickets([PUMP], theirs=Filters(groups=frozenset(["service"])))
    assert list(store.iter_tickets()) == [hidden]


CHANGED = {
    "its status": (replace(PUMP, status="Open"), {"T-2": 7}, []),
    "who may see it": (replace(PUMP, groups=frozenset(["lab"])), {"T-2": 7}, []),
    "its text and status": (replace(PUMP, subject="Other", status="Open"), {"T-2": 7}, ["T-2"]),
}


@pytest.mark.parametrize(("changed", "found", "stale"), CHANGED.values(), ids=CHANGED)
def test_a_ticket_that_changes_while_its_codes_are_stored_is_filtered_as_it_is_now(
    store, monkeypatch, changed, found, stale
):
    store.put_tickets(ALL)
    meanwhile(monkeypatch, ElasticsearchCodes, "write_codes", lambda: store.put_tickets([changed]))
    store.put_codes("b1", [code(PUMP, 7)])
    now = Filters(status=changed.status, groups=changed.groups or None)
    assert scanned(store.codes("b1", now)) == found
    if changed.status != PUMP.status:
        assert scanned(store.codes("b1", Filters(status=PUMP.status))) == {}
    if changed.groups:
        assert scanned(store.codes("b1", Filters(groups=frozenset()))) == {}
    assert store.stale_ids("b1", among=["T-2"]) == stale


def test_a_ticket_that_goes_while_its_codes_are_stored_leaves_none(store, monkeypatch):
    store.put_tickets(ALL)
    meanwhile(monkeypatch, ElasticsearchCodes, "write_codes", lambda: store.delete_tickets(["T-2"]))
    assert store.put_codes("b1", [code(PUMP, 7), code(ALL[1], 7)]) == 1
    assert scanned(store.codes("b1")) == {"T-10": 7}
    assert store.topic_counts("b1") == {(None, ALL[1].created.date().replace(day=1)): 1}


def test_a_late_batch_whose_process_dies_brings_no_old_groups_back(store, monkeypatch):
    """It was handed to another worker meanwhile, whose codes count."""
    store.put_tickets([PUMP])
    hidden = replace(PUMP, groups=frozenset(["lab"]))

    def die(*_):
        raise StoreAway("gone")

    def others():
        store.put_codes("b1", [code(PUMP, 1)])
        store.put_tickets([hidden])
        monkeypatch.setattr(ElasticsearchCodes, "mark_coded", die)

    meanwhile(monkeypatch, ElasticsearchCodes, "open_build", others)
    with pytest.raises(StoreAway):
        store.put_codes("b1", [code(PUMP, 2)])
    assert scanned(store.codes("b1", Filters(groups=frozenset()))) == {}
    assert scanned(store.codes("b1", Filters(groups=hidden.groups))) == {"T-2": 1}


@pytest.mark.parametrize("coded", [True, False])
def test_codes_that_are_stored_while_others_are_forgotten_stay(store, monkeypatch, coded):
    store.put_tickets([PUMP])
    store.put_codes("b1", [code(PUMP, 1)])
    now = PUMP if coded else replace(PUMP, subject="Other")
    store.put_tickets([now])
    meanwhile(monkeypatch, Connection, "bulk", lambda: store.put_codes("b1", [code(now, 2)]))
    store.forget_codes("b1", ["T-2"])
    assert store.stale_ids("b1") == []
    assert scanned(store.codes("b1")) == {"T-2": 2}


@pytest.mark.parametrize("dies", [False, True])
def test_a_ticket_that_is_hidden_before_an_earlier_change_is_copied_stays_hidden(
    store, monkeypatch, dies
):
    """The earlier change was copied over the later one, also where its process then died."""
    store.put_tickets([PUMP])
    store.put_codes("b1", [code(PUMP, 1)])
    hidden = replace(PUMP, groups=frozenset(["lab"]))
    bulk, copy, others = Connection.bulk, copies.copy_filters, [hidden]

    def die_after_copying(self, name, actions, **options):
        answers = bulk(self, name, actions, **options)
        if answers and name == "codes-b1":
            raise StoreAway("gone")
        return answers

    def late(*arguments):
        if others:
            store.put_tickets([others.pop()])
            store.put_codes("b1", [code(hidden, 1)])
            if dies:
                monkeypatch.setattr(Connection, "bulk", die_after_copying)
        copy(*arguments)

    monkeypatch.setattr(copies, "copy_filters", late)
    with pytest.raises(StoreAway) if dies else nullcontext():
        store.put_tickets([replace(PUMP, status="Closed later")])
    assert store.stale_ids("b1") == []
    assert scanned(store.codes("b1", Filters(groups=frozenset()))) == {}
    assert scanned(store.codes("b1", Filters(groups=hidden.groups))) == {"T-2": 1}


def test_codes_that_are_forgotten_while_they_are_stored_are_put_again(store, monkeypatch):
    """They are not marked as there, though nothing else of their ticket has changed."""
    store.put_tickets([PUMP])
    store.put_codes("b2", [code(PUMP, 1)])
    meanwhile(
        monkeypatch, ElasticsearchCodes, "write_codes", lambda: store.forget_codes("b1", ["T-2"])
    )
    assert store.put_codes("b1", [code(PUMP, 2)]) == 1
    assert (store.stale_ids("b1"), scanned(store.codes("b1"))) == ([], {"T-2": 2})


def test_a_ticket_that_is_put_again_while_its_codes_are_deleted_keeps_the_new_ones(
    store, monkeypatch
):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(PUMP, 1)])

    def put_again():
        store.put_tickets([PUMP])
        store.put_codes("b1", [code(PUMP, 2)])

    original, calls = Connection.bulk, []

    def bulk(self, name, actions, **options):
        actions = list(actions)
        answers = original(self, name, actions, **options)
        if actions and actions[0].get("_op_type") == "delete" and not calls:
            calls.append(1)
            put_again()
        return answers

    monkeypatch.setattr(Connection, "bulk", bulk)
    store.delete_tickets(["T-2"])
    assert scanned(store.codes("b1")) == {"T-2": 2}
    assert store.stale_ids("b1", among=["T-2"]) == []


@pytest.mark.parametrize("after", ["tickets", "codes-b1"])
def test_a_ticket_that_is_stored_while_the_store_is_checked_is_no_damage(store, monkeypatch, after):
    """Its codes were deleted as those of no ticket, or said to be lost."""
    store.put_tickets([ALL[1]])
    store.put_codes("b1", [code(ALL[1], 1)])
    pages, others = Connection.pages, [PUMP]

    def read(self, name, *arguments, **options):
        yield from pages(self, name, *arguments, **options)
        if name == after and "docvalue_fields" in options and others:
            store.put_tickets([pump := others.pop()])
            store.put_codes("b1", [code(pump, 1)])
            store.connection.refresh("tickets")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Connection, "pages", read)
        assert list(store.findings()) == []
    assert not others


def test_codes_of_no_ticket_stay_if_the_ticket_is_put_again_before_they_are_deleted(store):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    with store.connection.client() as client:
        client.delete(index=store.connection.alias("tickets"), id="T-2", refresh=True)
    [finding] = store.findings()
    assert finding.what == "1 row of no ticket"
    store.put_tickets([PUMP])
    store.put_codes("b1", [code(PUMP, 2)])
    assert finding.mend() == "they were deleted"
    assert scanned(store.codes("b1")) == {"A-1": 1, "T-10": 1, "T-2": 2}


# processes that die -----------------------------------------------------------------------


def test_a_change_that_dies_half_way_leaves_a_ticket_to_be_encoded_anew(store, monkeypatch):
    """The ticket is hidden, and its codes do not know yet: they are not taken for fresh."""
    store.put_tickets(ALL)
    store.put_codes("b1", [code(ticket, 1) for ticket in ALL])
    hidden = replace(PUMP, groups=frozenset(["lab"]))

    def die(*_):
        raise StoreAway("gone")

    with monkeypatch.context() as dying, pytest.raises(StoreAway):
        dying.setattr(copies, "copy_filters", die)
        store.put_tickets([hidden])
    assert store.get_tickets(["T-2"]) == {"T-2": hidden}
    assert store.stale_ids("b1") == ["T-2"]
    assert store.put_codes("b1", [code(hidden, 1)]) == 1
    assert scanned(store.codes("b1", Filters(groups=frozenset()))) == {"A-1": 1, "T-10": 1}


def test_a_deletion_that_dies_half_way_is_ended_by_the_next(store, monkeypatch):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(ticket, 1) for ticket in ALL])

    def die(*_):
        raise StoreAway("gone")

    with monkeypatch.context() as dying, pytest.raises(StoreAway):
        dying.setattr(tickets, "remove_codes", die)
        store.delete_tickets(["T-2"])
    assert store.delete_tickets(["T-2"]) == 1
    assert scanned(store.codes("b1")) == {"A-1": 1, "T-10": 1}
    assert store.delete_tickets(["T-2"]) == 0


def test_codes_that_die_before_their_tickets_are_marked_are_stored_again(store, monkeypatch):
    store.put_tickets(ALL)

    def die(*_):
        raise StoreAway("gone")

    with monkeypatch.context() as dying, pytest.raises(StoreAway):
        dying.setattr(ElasticsearchCodes, "mark_coded", die)
        store.put_codes("b1", [code(PUMP, 7)])
    assert store.stale_ids("b1") == ["A-1", "T-10", "T-2"]
    assert store.put_codes("b1", [code(PUMP, 7)]) == 1
    assert store.count_codes("b1") == 1


def test_codes_that_were_changed_are_left_out_and_said_until_they_are_put_again(store):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    forged(store, "T-10", code=base64.b64encode(bytes([1, 1, 2, 1])).decode())
    assert scanned(store.codes("b1")) == {"A-1": 1, "T-2": 1}
    assert store.damaged_codes("b1") == ["T-10"]
    assert [row.ticket_id for row in store.code_rows("b1")] == ["A-1", "T-2"]
    store.forget_codes("b1", ["T-10"])
    store.put_codes("b1", [code(ALL[1], 4)])
    assert scanned(store.codes("b1")) == {"A-1": 1, "T-10": 4, "T-2": 1}
    assert store.damaged_codes("b1") == []


def test_codes_of_an_older_program_have_no_checksum_and_count(store):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    forged(store, "T-10", checksum=None)
    assert scanned(store.codes("b1")) == {"A-1": 1, "T-10": 1, "T-2": 1}
    assert len(list(store.code_rows("b1"))) == 3


def test_what_does_not_agree_is_found_and_mended(store):
    as_before_format_9(store)
    store.put_tickets(ALL)
    store.put_codes("b1", [code(t, 1) for t in ALL])
    assert list(store.findings()) == []
    forged(store, "T-10", checksum=None, id="nobody")
    alias = store.connection.alias
    with store.connection.client() as client:
        client.delete(index=alias("codes-b1"), id="T-2")
        client.update(index=alias("tickets"), id="A-1", doc={"subject": "Forged"}, refresh=True)
        client.indices.refresh(index=alias("*"))
    found = {finding.where: finding for finding in store.findings()}
    assert {(finding.where, finding.what) for finding in store.findings()} == {
        ("ticket A-1", "its text is not the one that was stored"),
        ("codes of bundle b1", "1 row of no ticket"),
        ("codes of bundle b1", "those of 1 ticket were lost"),
        ("codes of bundle b1", "1 row without a checksum, as an older program put them"),
    }
    assert found["ticket A-1"].mend is None
    for finding in store.findings():
        if finding.mend:
            finding.mend()
    assert [finding.where for finding in store.findings()] == ["ticket A-1"]
    assert store.stale_ids("b1") == ["T-2"]
    store.put_tickets([ALL[2]])
    assert list(store.findings()) == []


def test_rows_without_a_checksum_are_given_one(store):
    as_before_format_9(store)
    store.put_tickets([PUMP])
    store.put_codes("b1", [code(PUMP, 1)])
    forged(store, "T-2", checksum=None)
    [finding] = store.findings()
    finding.mend()
    assert list(store.findings()) == []
    assert scanned(store.codes("b1")) == {"T-2": 1}


def test_a_row_that_is_stored_while_others_are_given_a_checksum_keeps_its_own(store, monkeypatch):
    """It had that of its former bytes, and was left out of answers as damaged."""
    as_before_format_9(store)
    store.put_tickets([PUMP])
    store.put_codes("b1", [code(PUMP, 1)])
    forged(store, "T-2", checksum=None)
    [finding] = store.findings()
    pages = Connection.pages

    def read(self, *arguments, **options):
        found = list(pages(self, *arguments, **options))
        store.forget_codes("b1", ["T-2"])
        store.put_codes("b1", [code(PUMP, 2)])
        return iter(found)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Connection, "pages", read)
        finding.mend()
    assert scanned(store.codes("b1")) == {"T-2": 2}
    assert store.damaged_codes("b1") == []


# what the server refuses ------------------------------------------------------------------


@pytest.fixture
def read_only(store):
    """Does what the server does to its indices when the disk is nearly full."""
    pattern = store.connection.alias("*")

    def block(blocked):
        with store.connection.client() as client:
            settings = {"index.blocks.read_only_allow_delete": blocked}
            client.indices.put_settings(index=pattern, settings=settings)

    yield block
    block(None)


def test_a_full_disk_is_said_and_reading_goes_on(store, read_only):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(PUMP, 1)])
    store.add_judgments([EVENT])
    store.require_room()
    read_only(True)
    with pytest.raises(StoreError, match=r"lets nothing be written to .*free some room"):
        store.require_room()
    for write in (
        lambda: store.put_tickets([Ticket("new", "one more")]),
        lambda: store.put_codes("b1", [code(ALL[1], 1)]),
        lambda: store.add_judgments([event(2)]),
        lambda: store.create_job(JobKind.REINDEX, "b1", 1),
    ):
        with pytest.raises(StoreError, match="lets nothing be written, as when its disk is full"):
            write()
    assert store.known_words(["pump", "boiler"]) == {"pump"}
    assert scanned(store.codes("b1")) == {"T-2": 1}
    assert list(store.judgments()) == [EVENT]
    read_only(None)
    assert store.add_judgments([event(2)]) == 1


def test_codes_that_are_dropped_as_they_are_begun_can_be_stored_again(store, monkeypatch):
    store.put_tickets(ALL)
    meanwhile(monkeypatch, codes, "create", lambda: store.drop_codes("b1"))
    with pytest.raises(StoreAway, match="dropped just now; try again"):
        store.put_codes("b1", [code(PUMP, 7)])
    assert store.put_codes("b1", [code(PUMP, 7)]) == 1


def test_codes_that_were_dropped_do_not_come_back_with_a_late_write(store, monkeypatch):
    store.put_tickets(ALL)
    store.put_codes("b1", [code(PUMP, 1)])
    opened = ElasticsearchCodes.open_build

    def drop_then_write(self, bundle_id, rows):
        build = opened(self, bundle_id, rows)
        store.drop_codes("b1")
        return build

    with monkeypatch.context() as late, pytest.raises(StoreError, match="lost a part"):
        late.setattr(ElasticsearchCodes, "open_build", drop_then_write)
        store.put_codes("b1", [code(ALL[1], 1)])
    assert store.bundles() == []
    assert store.put_codes("b1", [code(ALL[1], 2, width=9)]) == 1
    assert scanned(store.codes("b1")) == {"T-10": 2}
