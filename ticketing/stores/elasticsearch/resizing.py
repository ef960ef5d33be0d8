"""Changes the number of shards of an index, or the index behind an alias, while the desk is in use.

An index that is being split or copied is marked in its `_meta`, and so is the new one. The mark
distinguishes what a killed process left from indices of an admin.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ticketing.errors import InputError, NotFound, StoreAway, StoreError
from ticketing.files import Json
from ticketing.stores.elasticsearch.connection import OF_BUNDLES, Connection
from ticketing.stores.elasticsearch.copying import Copy
from ticketing.stores.elasticsearch.indices import (
    TICKETS,
    Index,
    behind,
    indices_of,
    is_part,
    next_name,
)

RESIZING = "resizing"
"""The mark of an index that is being resized, and of its copy."""

PATIENCE = 600.0
"""Timeout of a step in seconds: after a split, each new shard deletes the documents of the
others."""

ASKED = "5s"
"""Timeout of one request for a health status."""


@dataclass(frozen=True)
class Resized:
    """Result of resizing an index: alias, shards before and after, documents, and seconds during
    which writes were refused."""

    alias: str
    before: int
    after: int
    documents: int
    refused: float


def resize(connection: Connection, shards: int) -> Iterator[Resized]:
    """Give the indices of tickets and of codes this many shards, one index after the other.

    Searches go on, and so do judgments, whose index keeps its one shard. If the new number is a
    multiple, the index is split, and writes wait meanwhile (they raise StoreAway); otherwise it is
    copied, and writes wait only at the end. If interrupted, each index is as before or resized;
    running it again completes the work.
    """
    _tidy(connection)
    for name, index in _parts(connection).items():
        before = _shards(connection, index)
        if before != shards:
            way = _split if _can_be_split(connection, index, shards) else _copy
            with _tidied(connection):
                documents, refused = way(connection, name, index, shards)
            yield Resized(connection.alias(name), before, shards, documents, refused)


def use(connection: Connection, index: str) -> str:
    """Let the alias that an index is named after refer to it alone; returns the alias. Other
    indices keep existing without the alias. Raises InputError, NotFound."""
    alias = index.rpartition("-")[0]
    if not is_part(connection, alias):
        raise InputError(
            f"The index {index} is not named after a part of this store; name one as"
            f" {connection.alias(TICKETS)}-000002."
        )
    found = indices_of(connection, f"{alias.removeprefix(connection.alias(''))}-*")
    if index not in (each.name for each in found):
        raise NotFound(f"There is no index {index} at {connection.where}; see GET _cat/indices.")
    actions = [
        {"remove": {"index": each.name, "alias": alias}}
        for each in found
        if alias in each.aliases and each.name != index
    ]
    with connection.client() as client:
        client.indices.update_aliases(actions=[*actions, {"add": {"index": index, "alias": alias}}])
    return alias


def _split(connection: Connection, name: str, index: Index, shards: int) -> tuple[int, float]:
    """Split an index; returns its number of documents, and the seconds during which writes were
    refused."""
    alias = connection.alias(name)
    target = next_name(alias, indices_of(connection, f"{name}*"))
    switch = [
        {"remove": {"index": index.name, "alias": alias}},
        {"add": {"index": target, "alias": alias}},
    ]
    _mark(connection, index, True)
    with connection.client() as client:
        patient, began = client.options(request_timeout=PATIENCE), time.monotonic()
        patient.indices.add_block(index=index.name, block="write")
        settings = {"index.number_of_shards": shards, "index.blocks.write": None}
        patient.indices.split(
            index=index.name, target=target, settings=settings, wait_for_active_shards="0"
        )
    _wait_for(connection, target, "yellow")
    return _switch(connection, index.name, target, switch), time.monotonic() - began


def _copy(connection: Connection, name: str, index: Index, shards: int) -> tuple[int, float]:
    """Copy an index; returns its number of documents, and the seconds during which writes were
    refused."""
    _mark(connection, index, True)
    copy = Copy(connection, name, index, shards, index.meta | {RESIZING: True})
    copy.run()
    with connection.client() as client:
        began = time.monotonic()
        client.options(request_timeout=PATIENCE).indices.add_block(index=index.name, block="write")
    copy.finish()
    return _switch(connection, index.name, copy.target, copy.switch()), time.monotonic() - began


def _switch(connection: Connection, index: str, target: str, actions: list[Json]) -> int:
    """Put the copy of an index that is not written any more in its place; returns its number of
    documents."""
    with connection.client() as client:
        patient = client.options(request_timeout=PATIENCE)
        patient.indices.refresh(index=[index, target])
        documents, copied = (client.count(index=i)["count"] for i in (index, target))
        if copied != documents:
            raise StoreAway(
                f"The copy {target} has {copied} of {documents} documents; nothing was changed,"
                " try again."
            )
        patient.indices.update_aliases(actions=actions)
    return int(documents)


def _can_be_split(connection: Connection, index: Index, shards: int) -> bool:
    """One shard can be split into any number, others into as many as their routing allows."""
    before = _shards(connection, index)
    with connection.client() as client:
        state = client.cluster.state(metric="metadata", index=index.name)
    routed: int = state["metadata"]["indices"][index.name]["routing_num_shards"]
    return shards % before == 0 and (before == 1 or routed % shards == 0)


@contextmanager
def _tidied(connection: Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(StoreError):  # the first error matters; the next run tidies
            _tidy(connection)
        raise
    _tidy(connection)


def _tidy(connection: Connection) -> None:
    """Finish an interrupted resizing: of an index and its copy, the one behind the alias stays and
    becomes writable; the other is deleted when each shard of the first has its replica."""
    marked = [
        index
        for part in (TICKETS, f"{OF_BUNDLES}*")
        for index in indices_of(connection, f"{part}-*")
        if RESIZING in index.meta
    ]
    kept = [index for index in marked if any(is_part(connection, x) for x in index.aliases)]
    with connection.client() as client:
        for index in kept:
            client.indices.put_settings(index=index.name, settings={"index.blocks.write": None})
            _wait_for(connection, index.name, "green")
        for index in marked:
            if index not in kept:
                client.indices.delete(index=index.name)
    for index in kept:
        _mark(connection, index, False)


def _parts(connection: Connection) -> dict[str, Index]:
    """The indices that can be resized, by their names below the store's prefix."""
    return {
        alias.removeprefix(connection.alias("")): index
        for alias, index in behind(connection).items()
        if alias == connection.alias(TICKETS) or alias.startswith(connection.alias(OF_BUNDLES))
    }


def _mark(connection: Connection, index: Index, resizing: bool) -> None:
    meta = {key: value for key, value in index.meta.items() if key != RESIZING}
    with connection.client() as client:
        client.indices.put_mapping(
            index=index.name, meta=meta | ({RESIZING: True} if resizing else {})
        )


def _wait_for(connection: Connection, index: str, status: str) -> None:
    """Wait until an index has all its shards (`yellow`), or also all replicas (`green`)."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with connection.client() as client:
            found = client.options(ignore_status=408).cluster.health(
                index=index, wait_for_status=status, timeout=ASKED
            )
        if not found["timed_out"]:
            return
    raise StoreAway(
        f"The index {index} at {connection.where} found no room for all its shards within"
        f" {PATIENCE:.0f} seconds; make some, and run `ticketing store resize` again."
    )


def _shards(connection: Connection, index: Index) -> int:
    with connection.client() as client:
        found = client.indices.get_settings(index=index.name, flat_settings=True)
    return int(found[index.name]["settings"]["index.number_of_shards"])
