"""The indices, and the stamp that says whose they are and of which version."""

from elasticsearch import BadRequestError, NotFoundError

from ticketing.errors import StoreError
from ticketing.files import Json
from ticketing.stores.elasticsearch.connection import Connection

APPLICATION = "ticketing"
"""`_meta.application` of our indices."""

VERSION = 8
"""`_meta.version`; a change of the mappings below raises it."""

OLDEST = 14
"""Minor version of Elasticsearch 8 from which all that is used is there."""

TICKETS, RECORDS, FILES = "tickets", "records", "files"

_KEYWORD = {"type": "keyword"}
_WORDS = {"type": "text", "analyzer": "whitespace"}  # tokens come ready-made, joined by blanks
_FILTERS = {
    # Times are written so that their order as text is their order.
    **{field: _KEYWORD for field in ("id", "product", "status", "created", "groups")},
    "tokens": _WORDS,
}

MAPPINGS = {
    # `coded`: the builds whose codes of this ticket are fresh and agree with it in every copy.
    TICKETS: {**_FILTERS, "coded": _KEYWORD},
    # Queries, judgments, verdicts, history, jobs, leases, accounts, what serves: `kind` says which.
    RECORDS: {field: _KEYWORD for field in ("kind", "query_id", "name", "bundle_id", "created")}
    | {field: _KEYWORD for field in ("finished", "subject_digest", "person", "asked")},
    # A file's name, or a piece of its bytes: `number` of those that came with one `upload`.
    FILES: {field: _KEYWORD for field in ("kind", "name", "upload", "put")}
    | {"number": {"type": "integer"}},
}
"""Fields that are searched; all others are only kept."""

CODES = {
    **_FILTERS,
    "month": _KEYWORD,
    "topic": {"type": "integer"},
    "code": {"type": "binary", "doc_values": True},
    "checksum": {"type": "long"},
    "vector": {
        "type": "dense_vector",
        "element_type": "byte",
        "similarity": "l2_norm",
        "index_options": {"type": "hnsw", "m": 16, "ef_construction": 100},
    },
}
"""The fields of an index of one bundle's codes; the filters' are copies of the ticket's."""

ADDED = {
    2: {"groups": _KEYWORD},
    3: {"subject_digest": _KEYWORD},
    4: {"person": _KEYWORD},
    5: {"asked": _KEYWORD},
    6: {"checksum": {"type": "long"}},
    7: {},  # the index of files
    8: {},  # jobs have steps, arguments, results and logs, which are never searched
}
"""The fields that a version added; documents of an older one lack them."""

MOST_HITS = 1_000_000
"""How far a list may be paged into; Elasticsearch's own 10,000 would be an error to a person."""


def open_indices(connection: Connection) -> None:
    """Check the server, then make the indices or bring them to this version.

    Raises StoreError for a server, or an index, that this program cannot use.
    """
    _require_version(connection)
    with connection.client() as client:
        found = client.indices.get_mapping(index=connection.alias("*")).body
    for index, described in found.items():
        _bring_up(connection, index, described["mappings"].get("_meta", {}))
    for name, fields in MAPPINGS.items():
        if behind(connection.alias(name)) not in found:
            shards = connection.shards if name == TICKETS else 1
            create(connection, name, fields, {}, shards)


def behind(alias: str) -> str:
    """The index that an alias leads to: all is read and written by the alias, so that an index
    that was dropped is not made anew, without its mapping, by a write that comes late."""
    return f"{alias}-000001"


def create(connection: Connection, name: str, fields: Json, meta: Json, shards: int) -> None:
    """Make an index with its alias, in one step; one that another process made is left alone."""
    alias = connection.alias(name)
    with connection.client() as client:
        try:
            client.indices.create(
                index=behind(alias),
                aliases={alias: {}},
                settings={
                    "number_of_shards": shards,
                    "auto_expand_replicas": "0-1",  # a copy as soon as there are two nodes
                    "max_result_window": MOST_HITS,
                    "codec": "best_compression",
                },
                mappings={
                    "dynamic": False,
                    "_meta": {"application": APPLICATION, "version": VERSION, **meta},
                    "properties": fields,
                },
                wait_for_active_shards=1,
            )
        except BadRequestError as error:
            if error.error != "resource_already_exists_exception":
                raise


def meta_of(connection: Connection, name: str) -> Json | None:
    """What an index says of itself, or None where it does not exist."""
    with connection.client() as client:
        try:
            found = client.indices.get_mapping(index=connection.alias(name))
        except NotFoundError:
            return None
    [described] = found.body.values()
    meta: Json = described["mappings"]["_meta"]
    return meta


def metas_of(connection: Connection, pattern: str) -> list[Json]:
    """What the indices of a pattern say of themselves."""
    with connection.client() as client:
        found = client.indices.get_mapping(index=connection.alias(pattern))
    return [described["mappings"]["_meta"] for described in found.body.values()]


def drop(connection: Connection, name: str) -> None:
    """Delete an index, if there is one."""
    with connection.client() as client:
        client.indices.delete(index=behind(connection.alias(name)), ignore_unavailable=True)


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


def _bring_up(connection: Connection, index: str, meta: Json) -> None:
    """Add what an older version lacked. Raises StoreError for a foreign or newer index."""
    if meta.get("application") != APPLICATION:
        raise StoreError(
            f"The index {index} at {connection.where} belongs to another program; set"
            " TICKETING_STORE_PREFIX to a name of your own."
        )
    if meta["version"] > VERSION:
        raise StoreError(
            f"The index {index} at {connection.where} has format {meta['version']}, and this"
            f" program reads format {VERSION}; run the program that wrote it, or a newer one."
        )
    added = {
        field: kind
        for version in range(meta["version"] + 1, VERSION + 1)
        for field, kind in ADDED[version].items()
    }
    if meta["version"] < VERSION:
        with connection.client() as client:
            client.indices.put_mapping(
                index=index, properties=added, meta=meta | {"version": VERSION}
            )
