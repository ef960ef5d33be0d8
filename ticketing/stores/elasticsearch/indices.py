"""The indices, their mappings, and the metadata that identify their owner and version.

All access is by alias, so that a late write does not recreate a dropped index without its mapping.
The index behind an alias is looked up each time, since an admin may split or restore one.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from elasticsearch import BadRequestError

from ticketing.errors import StoreError
from ticketing.files import Json
from ticketing.plurals import counted
from ticketing.stores.elasticsearch.connection import OF_BUNDLES, Connection

APPLICATION = "ticketing"
"""`_meta.application` of this program's indices."""

VERSION = 13
"""`_meta.version`; increased by each change of the mappings below."""

TICKETS, RECORDS, FILES = "tickets", "records", "files"

COPIED_WITHIN = "5s"
"""How long the creator of an index waits for its replicas: if the only node that has it is lost, it
can no longer be written."""

KEYWORD, BOOLEAN = {"type": "keyword"}, {"type": "boolean"}
# Tokens are joined by blanks; their positions are never searched.
_WORDS = {"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
_FILTERS = {
    # Times are written so that their order as text is their order.
    **{field: KEYWORD for field in ("id", "product", "status", "created", "groups")},
    "has_solution": BOOLEAN,
    "tokens": _WORDS,
}

MAPPINGS = {
    # `coded`: the builds whose codes of this ticket are fresh and agree with it in every copy.
    # `literals`: the keys of the numbers and codes that its text names.
    TICKETS: {**_FILTERS, "coded": KEYWORD, "literals": KEYWORD},
    # Queries, judgments, verdicts, history, jobs, leases, accounts, what serves: `kind` says which.
    RECORDS: {field: KEYWORD for field in ("kind", "query_id", "name", "bundle_id", "created")}
    | {field: KEYWORD for field in ("finished", "subject_digest", "person", "asked", "ticket_id")},
    # A file's name, or a piece of its bytes: `number` of those that came with one `upload`.
    FILES: {field: KEYWORD for field in ("kind", "name", "upload", "put")}
    | {"number": {"type": "integer"}},
}
"""The parts of the store, with the fields that are searched; all other fields are only stored."""

CODES = {
    **_FILTERS,
    "month": {**KEYWORD, "index": False},
    "topic": {"type": "integer"},
    "code": {"type": "binary", "doc_values": True},
    "checksum": {"type": "long", "index": False},
    # Drawn anew for each write: the sum of all tells one state of the index from another.
    "stamp": {"type": "long", "index": False},
}
"""The fields of an index of one bundle's codes; filter fields are copies of the ticket's.

They are kept only in doc values; documents would take as many bytes again.
"""


def vector_of(dims: int) -> Json:
    """The field of vectors with this many bytes."""
    return {
        "type": "dense_vector",
        "element_type": "byte",
        "dims": dims,
        "similarity": "l2_norm",
        "index_options": {"type": "hnsw", "m": 16, "ef_construction": 100},
    }


@dataclass(frozen=True)
class Index:
    """An index below the store's prefix, with its aliases, its `_meta` and its fields."""

    name: str
    aliases: tuple[str, ...]
    meta: Json
    fields: Json


def indices_of(connection: Connection, pattern: str = "*") -> list[Index]:
    """The indices that match a pattern of names and aliases, by name."""
    with connection.client() as client:
        found = client.indices.get(
            index=connection.alias(pattern),
            features=["aliases", "mappings"],
            ignore_unavailable=True,
            expand_wildcards=["open", "closed"],
        ).body
    return [
        Index(
            name,
            tuple(described["aliases"]),
            described["mappings"].get("_meta", {}),
            described["mappings"].get("properties", {}),
        )
        for name, described in sorted(found.items())
    ]


def behind(connection: Connection, pattern: str = "*") -> dict[str, Index]:
    """The index behind each alias that matches a pattern, by alias.

    Raises StoreError for an alias of two indices: both would be searched, and neither could be
    written.
    """
    wanted, leads = connection.alias(pattern), dict[str, Index]()
    for index in indices_of(connection, pattern):
        for alias in index.aliases:
            if not fnmatchcase(alias, wanted) or not is_part(connection, alias):
                continue
            if (other := leads.setdefault(alias, index)) != index:
                raise _twice(connection, alias, [other, index])
    return leads


def is_part(connection: Connection, alias: str) -> bool:
    """Whether an alias is one of the store's own; an admin may have others."""
    parts = map(connection.alias, MAPPINGS)
    return alias in parts or alias.startswith(connection.alias(OF_BUNDLES))


def create(connection: Connection, name: str, fields: Json, meta: Json, shards: int) -> None:
    """Create an index with its alias atomically, and wait for its replicas; an index made by
    another process is left alone."""
    alias, taken = connection.alias(name), indices_of(connection, f"{name}*")
    if any(alias in index.aliases for index in taken):
        return
    with connection.client() as client:
        try:
            client.indices.create(
                index=next_name(alias, taken),
                aliases={alias: {}},
                settings={
                    "number_of_shards": shards,
                    "auto_expand_replicas": "0-1",  # a copy as soon as there are two nodes
                },
                mappings={
                    "dynamic": False,
                    "_source": {"enabled": not name.startswith(OF_BUNDLES)},
                    "_meta": {"application": APPLICATION, "version": VERSION, **meta},
                    "properties": fields,
                },
                wait_for_active_shards="all",
                timeout=COPIED_WITHIN,
            )
        except BadRequestError as error:
            if error.error != "resource_already_exists_exception":
                raise


def next_name(alias: str, taken: Iterable[Index]) -> str:
    """A new index name for an alias. Of two processes that create the same name at once, one is
    refused."""
    found = (re.fullmatch(rf"{re.escape(alias)}-(\d{{6}})", index.name) for index in taken)
    return f"{alias}-{max((int(match[1]) for match in found if match), default=0) + 1:06}"


def meta_of(connection: Connection, name: str) -> Json | None:
    """The `_meta` of an index, or None if it does not exist."""
    index = behind(connection, name).get(connection.alias(name))
    return index.meta if index else None


def metas_of(connection: Connection, pattern: str) -> list[Json]:
    """The `_meta` of the indices that match a pattern."""
    return [index.meta for index in behind(connection, pattern).values()]


def drop(connection: Connection, name: str) -> None:
    """Delete an index if it exists."""
    for index in behind(connection, name).values():
        with connection.client() as client:
            client.indices.delete(index=index.name, ignore_unavailable=True)


def _twice(connection: Connection, alias: str, indices: Sequence[Index]) -> StoreError:
    with connection.client() as client:
        counts = [client.count(index=index.name)["count"] for index in indices]
    held = " and ".join(
        f"{index.name} ({counted(count, 'document')})"
        for index, count in zip(indices, counts, strict=True)
    )
    return StoreError(
        f"The alias {alias} at {connection.where} leads to {held}; keep the right one with"
        " `ticketing store use NAME`."
    )
