"""What an Elasticsearch store says of servers and settings that it cannot use."""

import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ticketing.errors import InputError, StoreAway, StoreError
from ticketing.settings import load_settings
from ticketing.stores import open_store
from ticketing.stores.elasticsearch.faults import refused


def opened(address, **settings):
    return open_store(load_settings(store=address, store_timeout=2, **settings))


@pytest.fixture
def server():
    """Answers every request with what `answer` holds: status, headers, body."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, headers, body = server.answer
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


ELASTIC = {"x-elastic-product": "Elasticsearch"}


def nodes(*versions):
    return json.dumps({"nodes": {f"n{i}": {"version": v} for i, v in enumerate(versions)}})


def test_another_kind_of_server_is_said_to_be_none(server):
    server.answer = 200, {}, nodes("8.19.3")
    with pytest.raises(StoreError, match=f"The server at {server.url} is no Elasticsearch; set"):
        opened(server.url)


@pytest.mark.parametrize("version", ["7.17.1", "8.9.0", "9.0.0"])
def test_another_version_is_said_with_what_is_needed(server, version):
    server.answer = 200, ELASTIC, nodes("8.19.3", version)
    with pytest.raises(StoreError, match=rf"runs Elasticsearch {version}; .* 8, from 8\.17 on"):
        opened(server.url)


def test_an_answer_that_is_not_elasticsearchs_is_said(server):
    server.answer = 200, ELASTIC, "{half"
    with pytest.raises(StoreError, match="does not answer as Elasticsearch does"):
        opened(server.url)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_server_that_is_not_ready_is_away(server, status):
    server.answer = status, ELASTIC, json.dumps({"error": "starting"})
    with pytest.raises(StoreAway, match="is not ready"):
        opened(server.url)


PAGE = "<!DOCTYPE HTML>\n<html><h1>Error response</h1></html>\n"
"""What a server that is no Elasticsearch, or a proxy before one, answers."""


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (404, "The server at {} is no Elasticsearch; set TICKETING_STORE to one of version 8."),
        (502, "Elasticsearch at {} is not ready (502); try again."),
        (500, "Elasticsearch at {} refused: 500."),
    ],
)
def test_the_page_of_another_program_is_not_quoted(server, status, sentence):
    server.answer = status, {"content-type": "text/html"}, PAGE
    with pytest.raises(StoreError) as fault:
        opened(server.url)
    assert str(fault.value) == sentence.format(server.url)


def test_a_request_that_is_forbidden_is_said(server):
    reason = {"type": "security_exception", "reason": "no right to monitor"}
    server.answer = 403, ELASTIC, json.dumps({"error": reason})
    with pytest.raises(StoreError, match="does not allow this: no right to monitor"):
        opened(server.url)


def test_nobody_there_is_away():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(StoreAway, match="is away; try again"):
        opened(address)


def test_a_server_that_hangs_is_given_up_in_time():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        start = time.monotonic()
        with pytest.raises(StoreAway, match="has not answered in time"):
            opened(address)
        assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"store_user": "elastic"}, "both or neither"),
        ({"store_password": "x"}, "both or neither"),
        ({"store_user": "u", "store_password": "x", "store_api_key": "k"}, "not both"),
        ({"store_ca": "/nowhere/ca.crt"}, "STORE_CA=/nowhere/ca.crt is no file of a certificate"),
        ({"store_ca": __file__}, "test_elasticsearch_faults.py is no file of a certificate"),
        ({"store_prefix": "Has-Dashes"}, "TICKETING_STORE_PREFIX='Has-Dashes' cannot be used"),
    ],
)
def test_settings_that_contradict_are_refused(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        opened("http://127.0.0.1:1", **settings)


@pytest.mark.parametrize("address", ["http://host", "http://host:port", "http://u:p@host:9200"])
def test_an_address_without_a_port_or_with_a_password_is_refused(address):
    with pytest.raises(InputError, match=r"TICKETING_STORE.* cannot be used") as refused:
        opened(address)
    assert "u:p" not in str(refused.value)


def test_another_kind_of_address_is_refused():
    with pytest.raises(InputError, match="'redis://host' is of no known kind"):
        opened("redis://host")


def test_secrets_are_not_shown():
    settings = load_settings(store_user="u", store_password="pass-word", store_api_key="api-key")
    assert "pass-word" not in repr(settings)
    assert "api-key" not in repr(settings)


def test_a_copy_of_a_shard_that_fails_is_waited_for():
    fault = refused(500, "refresh_failed_engine_exception", "Refresh failed", "here")
    assert isinstance(fault, StoreAway), "its disk is full; another copy takes its place"


def test_a_full_queue_is_told_without_the_names_of_java():
    reason = "rejected execution of TimedRunnable{original=org.elasticsearch.action.bulk"
    fault = refused(429, "es_rejected_execution_exception", reason, "here")
    assert isinstance(fault, StoreAway)
    assert str(fault) == "Elasticsearch at here has more to do than it can take; try again."


def test_an_index_that_a_killed_resize_left_without_writes_is_said_with_what_to_do():
    """Writes were refused for ever, and each refusal said to try again."""
    reason = "index [t-tickets-000001] blocked by: [FORBIDDEN/8/index write (api)];"
    fault = refused(403, "cluster_block_exception", reason, "here")
    assert isinstance(fault, StoreAway)
    assert str(fault) == (
        f"Elasticsearch at here takes no writes to an index while it is resized ({reason}); try"
        " again, or if nobody resizes it, run `ticketing store resize` again."
    )
