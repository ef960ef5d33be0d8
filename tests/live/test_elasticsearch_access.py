"""Passwords, certificates, and indices that are foreign, newer or older, on a real server."""

import shutil
from contextlib import closing
from datetime import datetime
from pathlib import Path

import certifi
import pytest
from elasticsearch import Elasticsearch, helpers

from tests.conftest import missing
from tests.contract.contract_examples import code, scanned
from tests.servers import SCRIPT, elasticsearch_server
from ticketing.errors import StoreAway, StoreError
from ticketing.settings import Settings, load_settings
from ticketing.stores import open_store
from ticketing.stores.elasticsearch import indices
from ticketing.stores.elasticsearch.connection import Connection
from ticketing.stores.elasticsearch.copies import codes_of
from ticketing.tickets import Filters, Grade, Judgment, Query, Ticket, Verdict

pytestmark = pytest.mark.elasticsearch

PASSWORD = "secret-word"


@pytest.fixture(scope="module")
def safe() -> Settings:
    """Settings that open a store on a server with a password and a certificate."""
    if not SCRIPT.exists() or not shutil.which("java"):
        missing(f"Elasticsearch ({SCRIPT}, and Java 17)")
    with elasticsearch_server("--password", PASSWORD, "--tls") as server:
        yield load_settings(
            store=server.url,
            store_user="elastic",
            store_password=PASSWORD,
            store_ca=server.folder / "ca.crt",
        )


def refusal(settings: Settings, **changes) -> str:
    with pytest.raises(StoreError) as refused:
        open_store(load_settings(**settings.model_dump() | changes))
    return str(refused.value)


def test_password_and_certificate_let_in(safe):
    store = open_store(safe)
    store.put_tickets([Ticket("1", "pump")])
    assert store.count_tickets() == 1
    store.close()


def test_a_wrong_password_is_said_without_showing_it(safe):
    said = refusal(safe, store_password="wrong-word")
    assert said == (
        f"Elasticsearch at {safe.store} lets nobody in with these credentials; check"
        " TICKETING_STORE_USER and TICKETING_STORE_PASSWORD, or TICKETING_STORE_API_KEY."
    )


def test_no_password_and_a_wrong_key_let_nobody_in(safe):
    nothing = {"store_user": "", "store_password": ""}
    assert "lets nobody in" in refusal(safe, **nothing)
    assert "lets nobody in" in refusal(safe, **nothing, store_api_key="bm9ib2R5OmtleQ==")


@pytest.mark.parametrize("authority", [None, Path(certifi.where())], ids=["none", "another"])
def test_a_certificate_of_an_unknown_authority_is_not_trusted(safe, authority):
    assert refusal(safe, store_ca=authority) == (
        f"The certificate of {safe.store} is not trusted; name the file of its certificate"
        " authority in TICKETING_STORE_CA."
    )


def test_the_wrong_scheme_is_said(safe, elasticsearch_url):
    http = safe.store.replace("https", "http")
    said = f"The server at {http} speaks https; write https:// in TICKETING_STORE."
    assert refusal(safe, store=http, store_ca=None) == said
    https = elasticsearch_url.replace("http", "https")
    said = f"The server at {https} speaks http without TLS; write http:// in TICKETING_STORE."
    assert refusal(safe, store=https, store_ca=None) == said


# indices ----------------------------------------------------------------------------------


@pytest.fixture
def client(elasticsearch_settings):
    with Elasticsearch(elasticsearch_settings.store) as client:
        yield client


def meta_of(client, alias):
    [described] = client.indices.get_mapping(index=alias).values()
    return described["mappings"]["_meta"]


def test_a_newer_format_is_refused(client, own_indices):
    open_store(own_indices).close()
    index = f"{own_indices.store_prefix}-tickets"
    newer = meta_of(client, index) | {"version": indices.VERSION + 1}
    client.indices.put_mapping(index=index, meta=newer)
    said = refusal(own_indices)
    assert f"has format {indices.VERSION + 1}, and this program reads format" in said


def test_an_older_format_is_brought_up(client, own_indices):
    """Version 1 knew no groups: its tickets are everybody's, and may be given groups now."""
    open_store(own_indices).close()
    index = f"{own_indices.store_prefix}-tickets"
    client.indices.delete(index=f"{index}-000001")
    fields = dict(indices.MAPPINGS["tickets"])
    del fields["groups"]
    client.indices.create(
        index=f"{index}-000001",
        aliases={index: {}},
        mappings={
            "dynamic": False,
            "_meta": {"application": indices.APPLICATION, "version": 1},
            "properties": fields,
        },
    )
    old = {"id": "1", "subject": "pump", "description": "", "solution": "", "product": ""}
    old |= {"status": "", "created": None, "version": "v", "tokens": "pump", "coded": []}
    client.index(index=index, id="1", document=old, refresh=True)
    store = open_store(own_indices)
    store.put_tickets([Ticket("2", "flame", groups=frozenset(["service"]))])
    nobody = Filters(groups=frozenset())
    assert list(store.iter_tickets(nobody)) == [Ticket("1", "pump")]
    assert store.count_tickets(Filters(groups=frozenset(["service"]))) == 2
    store.close()
    assert meta_of(client, index) == {
        "application": indices.APPLICATION,
        "version": indices.VERSION,
    }


def grow_old(client, index, version, *lacked):
    """Replace an index by one of an older version, whose documents lack some fields."""
    [described] = client.indices.get_mapping(index=index).values()
    mapping = described["mappings"]
    fields = {name: kind for name, kind in mapping["properties"].items() if name not in lacked}
    client.indices.create(
        index=f"{index}-000002",
        mappings=mapping | {"_meta": mapping["_meta"] | {"version": version}, "properties": fields},
    )
    client.indices.refresh(index=index)
    whole = {"source_excludes": [*lacked]}
    in_columns = {"docvalue_fields": [name for name in fields if name != "tokens"]}
    has_source = mapping.get("_source", {}).get("enabled", True)
    found = client.search(index=index, size=2000, **(whole if has_source else in_columns))
    old = (
        {
            "_index": f"{index}-000002",
            "_id": x["_id"],
            "_source": x["_source" if has_source else "fields"],
        }
        for x in found["hits"]["hits"]
    )
    count, failed = helpers.bulk(client, old, refresh=True)
    assert (count, failed) == (found["hits"]["total"]["value"], [])
    client.indices.delete(index=f"{index}-000001")
    client.indices.put_alias(index=f"{index}-000002", name=index)


def test_tickets_of_format_11_are_found_by_codes_and_by_whether_they_have_a_solution(
    client, own_indices, caplog
):
    store = open_store(own_indices)
    tickets = [Ticket(f"{i:04}", "Backup", f"fails, ORA-{i:05}") for i in range(1201)]
    solved = Ticket("solved", "pump", solution="Replaced the relay.")
    every = [*tickets, Ticket("none", "pump"), solved]
    store.put_tickets(every)
    store.put_codes("b1", [code(ticket, 1) for ticket in every])
    store.set_serving("b1")
    store.close()
    index = f"{own_indices.store_prefix}-tickets"
    codes = f"{own_indices.store_prefix}-{codes_of('b1')}"
    grow_old(client, index, 11, "literals", "has_solution")
    grow_old(client, codes, 12, "has_solution")
    store = open_store(own_indices)
    assert f"1,203 tickets at {own_indices.store} must be upgraded first" in caplog.text
    assert store.naming(["ora00000", "ora01200", "ora01201"]) == {
        "0000": ["ora00000"],
        "1200": ["ora01200"],
    }
    assert list(store.iter_tickets()) == every
    with_solution = Filters(has_solution=True)
    assert store.count_tickets(with_solution) == 1
    assert scanned(store.codes("b1", with_solution)) == {"solved": 1}
    assert (store.stale_ids("b1"), list(store.findings())) == ([], [])
    store.close()
    assert {meta_of(client, name)["version"] for name in (index, codes)} == {indices.VERSION}
    caplog.clear()
    open_store(own_indices).close()
    assert caplog.text == ""


@pytest.mark.parametrize("killed_after", ["tickets", "codes-b1"])
def test_an_upgrade_that_was_interrupted_is_ended_by_the_next_start(
    client, own_indices, monkeypatch, killed_after
):
    """Tickets of its last page were to be encoded anew, and had no solution until then."""
    solved = Ticket("solved", "pump", solution="Replaced the relay.")
    with closing(open_store(own_indices)) as store:
        store.put_tickets([solved])
        store.put_codes("b1", [code(solved, 1)])
        store.set_serving("b1")
    grow_old(client, f"{own_indices.store_prefix}-tickets", 12, "has_solution")
    grow_old(client, f"{own_indices.store_prefix}-codes-b1", 12, "has_solution")
    bulk = Connection.bulk

    def dying(self, name, actions, **options):
        answers = bulk(self, name, actions, **options)
        if answers and name == killed_after:
            raise StoreAway("gone")
        return answers

    with monkeypatch.context() as killing, pytest.raises(StoreAway):
        killing.setattr(Connection, "bulk", dying)
        open_store(own_indices)
    with closing(open_store(own_indices)) as store:
        assert store.stale_ids("b1") == []
        with_solution = Filters(has_solution=True)
        assert store.count_tickets(with_solution) == 1
        assert scanned(store.codes("b1", with_solution)) == {"solved": 1}


def test_judgments_of_format_9_are_still_found_by_their_ticket(client, own_indices):
    open_store(own_indices).close()
    index = f"{own_indices.store_prefix}-records"
    client.indices.delete(index=f"{index}-000001")
    fields = dict(indices.MAPPINGS["records"])
    del fields["ticket_id"]
    client.indices.create(
        index=f"{index}-000001",
        aliases={index: {}},
        mappings={
            "dynamic": False,
            "_meta": {"application": indices.APPLICATION, "version": 9},
            "properties": fields,
        },
    )
    first, second = (
        Judgment(f"e{number}", Query("pump"), "T-2", grade, "ann", datetime(2024, 1, number))
        for number, grade in ((1, Grade.YES), (2, None))
    )
    source = {"kind": "judgment", "query_id": first.query.id, "query": ["pump", "", ""]}
    source |= {"event_id": "e1", "ticket_id": "T-2", "grade": 2, "judge": "ann", "rank": None}
    source |= {"time": first.time.isoformat(), "score": None, "bundle_id": ""}
    client.index(index=index, document=source, refresh=True)
    client.index(index=index, document=source | {"ticket_id": "T-9"}, refresh=True)
    store = open_store(own_indices)
    store.add_judgments([second])
    assert list(store.judgments(ticket_id="T-2")) == [first, second]
    store.close()


def test_records_of_format_2_are_given_what_verdicts_are_found_by(client, own_indices):
    open_store(own_indices).close()
    index = f"{own_indices.store_prefix}-records"
    client.indices.delete(index=f"{index}-000001")
    fields = dict(indices.MAPPINGS["records"])
    del fields["subject_digest"]
    client.indices.create(
        index=f"{index}-000001",
        aliases={index: {}},
        mappings={
            "dynamic": False,
            "_meta": {"application": indices.APPLICATION, "version": 2},
            "properties": fields,
        },
    )
    store = open_store(own_indices)
    said = Verdict("v1", "pump", "SGT-400", True, "ann", datetime(2024, 1, 1))
    assert store.add_verdicts([said]) == 1
    assert list(store.verdicts("pump")) == [said]
    store.close()


def test_an_index_of_another_program_is_refused_and_left_alone(client, own_indices):
    index = f"{own_indices.store_prefix}-tickets-000001"
    client.indices.create(index=index)
    said = refusal(own_indices)
    assert f"The index {index} at" in said
    assert "TICKETING_STORE_PREFIX" in said
    assert client.indices.get_mapping(index=index)[index]["mappings"] == {}


def test_two_desks_share_a_server_by_their_prefixes(elasticsearch_settings, own_indices):
    with (
        closing(open_store(elasticsearch_settings)) as one,
        closing(open_store(own_indices)) as two,
    ):
        one.put_tickets([Ticket("1", "pump")])
        assert (one.count_tickets(), two.count_tickets()) == (1, 0)
