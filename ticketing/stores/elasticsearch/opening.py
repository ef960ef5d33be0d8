"""Opens the store: creates it if there is none, upgrades it, and refuses it if a part was lost.

Indices are created only if there are none at all. An index that is missing later was lost, unless
the others have a version that did not have it yet.
"""

import logging
from collections.abc import Mapping

from ticketing.batches import batches
from ticketing.errors import InputError, StoreError
from ticketing.files import Json
from ticketing.plurals import counted
from ticketing.stores.elasticsearch.actions import replacement
from ticketing.stores.elasticsearch.connection import AT_ONCE, Connection
from ticketing.stores.elasticsearch.copies import copy_filters
from ticketing.stores.elasticsearch.documents import FIELDS, document_of, ticket_of
from ticketing.stores.elasticsearch.faults import RESTORE
from ticketing.stores.elasticsearch.indices import (
    APPLICATION,
    BOOLEAN,
    FILES,
    KEYWORD,
    MAPPINGS,
    RECORDS,
    TICKETS,
    VERSION,
    Index,
    behind,
    create,
    indices_of,
)

log = logging.getLogger(__name__)

OLDEST = 17
"""Oldest usable minor version of Elasticsearch 8."""

SINCE = {TICKETS: 1, RECORDS: 1, FILES: 7}
"""The version that introduced each part: in a store of an older version it is not lost."""

MAKING = "making"
"""In the `_meta` of the records while other parts of the store are still being created."""

DIMS = 384
"""Dimensions of vectors in versions before 9, in which the first vector determined them."""

ADDED: dict[int, Json] = {
    2: {"groups": KEYWORD},
    3: {"subject_digest": KEYWORD},
    4: {"person": KEYWORD},
    5: {"asked": KEYWORD},
    6: {"checksum": {"type": "long"}},
    7: {},  # the index of files
    8: {},  # jobs have steps, arguments, results and logs, which are never searched
    9: {},  # codes are kept in columns alone, in indices that are made from now on
    10: {"ticket_id": KEYWORD},
    11: {"stamp": {"type": "long", "index": False}},
    12: {"literals": KEYWORD},
    13: {"has_solution": BOOLEAN},
}
"""The fields that each version added; documents of older versions lack them."""

FILLED = 13
"""The last version with a field that tickets of older versions are given when they are upgraded."""


def open_indices(connection: Connection) -> None:
    """Check the server, then create the indices of an empty store, or upgrade existing ones.
    Several processes may do this at once.

    Raises StoreError for a server or index that this program cannot use, for a part that was lost,
    and for one that exists twice.
    """
    _require_version(connection)
    found = indices_of(connection)
    for index in found:
        _require_readable(connection, index)
    if not found:  # who creates the records creates the store; if it dies, others go on
        create(connection, RECORDS, MAPPINGS[RECORDS], {MAKING: True}, 1)
    parts = behind(connection)
    _make_missing(connection, parts)
    for index in parts.values():
        _add_fields(connection, index)
    tickets = parts.get(connection.alias(TICKETS))
    if tickets and tickets.meta["version"] < FILLED:
        _fill_tickets(connection)
    for index in parts.values():
        _mark_upgraded(connection, index)


def make_anew(connection: Connection, name: str) -> None:
    """Create an empty part in place of a lost one. Raises InputError for a part that exists, or
    that no store has."""
    if name not in MAPPINGS:
        raise InputError(f"A store has no part {name!r}; name one of {', '.join(MAPPINGS)}.")
    if connection.alias(name) in behind(connection):
        raise InputError(f"The {name} at {connection.where} are there; nothing was made.")
    _make(connection, name)


def require_parts(connection: Connection) -> None:
    """Raises StoreError for a part of the store that was lost or exists twice."""
    parts = behind(connection)
    for name in MAPPINGS:
        if connection.alias(name) not in parts:
            raise _lost(connection, name)


def _require_version(connection: Connection) -> None:
    with connection.client() as client:
        nodes = client.nodes.info(filter_path="nodes.*.version")["nodes"]
    for version in {node["version"] for node in nodes.values()}:
        major, minor = map(int, version.split(".")[:2])
        if major != 8 or minor < OLDEST:
            raise StoreError(
                f"The server at {connection.where} runs Elasticsearch {version}; this program"
                f" needs version 8, from 8.{OLDEST} on."
            )


def _make_missing(connection: Connection, parts: Mapping[str, Index]) -> None:
    """Create the parts that an empty or older store does not have yet."""
    records = parts.get(connection.alias(RECORDS))  # a node may not know a new index yet
    making = not parts or (records is not None and MAKING in records.meta)
    oldest = min((index.meta["version"] for index in parts.values()), default=VERSION)
    for name in MAPPINGS:
        if connection.alias(name) not in parts:
            if not making and oldest >= SINCE[name]:
                raise _lost(connection, name)
            _make(connection, name)


def _make(connection: Connection, name: str) -> None:
    shards = connection.shards if name == TICKETS else 1
    create(connection, name, MAPPINGS[name], {}, shards)


def _add_fields(connection: Connection, index: Index) -> None:
    """Add the fields that an older version lacked."""
    added = {
        field: kind
        for version in range(index.meta["version"] + 1, VERSION + 1)
        for field, kind in ADDED[version].items()
    }
    if "dims" not in (vector := index.fields.get("vector", {"dims": DIMS})):
        added["vector"] = vector | {"dims": DIMS}
    if added:
        with connection.client() as client:
            client.indices.put_mapping(index=index.name, properties=added)


def _fill_tickets(connection: Connection) -> None:
    """Write the new fields of tickets of an older version, but first their copies in codes, so that
    an interrupted upgrade leaves nothing out. Tickets changed meanwhile are skipped, since this
    program writes the new fields with each change."""
    lacking: Json = {"bool": {"must_not": {"exists": {"field": "has_solution"}}}}
    connection.refresh(TICKETS)  # marks of codes are written without
    count = connection.count(TICKETS, lacking)
    if count:
        log.warning(
            "%s at %s must be upgraded first, which takes a while; if it is interrupted, the next"
            " start continues.",
            counted(count, "ticket"),
            connection.where,
        )
    hits = connection.pages(
        TICKETS,
        sort=[{"id": "asc"}],
        query=lacking,
        source_includes=[*FIELDS, "coded"],
        seq_no_primary_term=True,
    )
    for some in batches(hits, AT_ONCE):
        copy_filters(connection, [hit["_id"] for hit in some])
        connection.bulk(TICKETS, map(_with_new_fields, some))


def _with_new_fields(hit: Json) -> Json:
    """The action that writes a ticket with all fields of this version."""
    filled = document_of(ticket_of(hit)) | {"coded": hit["_source"]["coded"]}
    return replacement(hit, hit["_id"], filled)


def _mark_upgraded(connection: Connection, index: Index) -> None:
    """Record that an index has all that this version has, and that all parts exist."""
    meta = {key: value for key, value in index.meta.items() if key != MAKING}
    meta["version"] = VERSION
    if meta != index.meta:
        with connection.client() as client:
            client.indices.put_mapping(index=index.name, meta=meta)


def _require_readable(connection: Connection, index: Index) -> None:
    """Raises StoreError for a foreign or newer index."""
    if index.meta.get("application") != APPLICATION:
        raise StoreError(
            f"The index {index.name} at {connection.where} belongs to another program; set"
            " TICKETING_STORE_PREFIX to a name of your own."
        )
    if index.meta["version"] > VERSION:
        raise StoreError(
            f"The index {index.name} at {connection.where} has format {index.meta['version']}, and"
            f" this program reads format {VERSION}; run the program that wrote it, or a newer one."
        )


def _lost(connection: Connection, name: str) -> StoreError:
    alias = connection.alias(name)
    loose = [index.name for index in indices_of(connection, f"{name}-*")]
    todo = f"run `ticketing store use {loose[-1]}`" if loose else RESTORE
    return StoreError(
        f"Elasticsearch at {connection.where} has lost a part of the store (no index has the alias"
        f" {alias}); {todo}."
    )
