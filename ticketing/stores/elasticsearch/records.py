"""Records: documents of one index, each of a `kind`. Events are records that never change."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from ticketing.files import Json
from ticketing.stores.elasticsearch.connection import CONFLICT, Connection
from ticketing.stores.elasticsearch.indices import RECORDS


def key_of(kind: str, name: str) -> str:
    """The id of the record with a name that people or programs chose, of any length."""
    return f"{kind}:{digest_of(name)}"


def digest_of(text: str) -> str:
    """SHA-256 of a text in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def of_kind(kind: str, *conditions: Json) -> Json:
    """The query for records of a kind that meet all conditions."""
    return {"bool": {"filter": [{"term": {"kind": kind}}, *conditions]}}


def in_order(connection: Connection, kind: str, *conditions: Json, **body: Any) -> Iterator[Json]:
    """Records of a kind that meet all conditions, in the order in which they were written: their
    index has one shard, so sequence numbers are that order."""
    sort = [{"_seq_no": "asc"}]
    return connection.pages(RECORDS, sort, query=of_kind(kind, *conditions), **body)


def append(connection: Connection, actions: Iterable[Json], *, refresh: bool = True) -> int:
    """Write records in order; returns how many were written. Creations of records that are there
    already are not."""
    answers = connection.bulk(RECORDS, actions, refresh=refresh)
    return sum(answer["status"] != CONFLICT for answer in answers)
