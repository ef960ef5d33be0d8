"""An index is split into more shards, or an alias led to another index, behind a desk that goes on.

An index that is being split is marked in its `_meta`, and so is the copy that Elasticsearch makes
of it: what a process that was killed left behind is told by the mark from what an admin keeps.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ticketing.errors import InputError, NotFound, StoreAway, StoreError
from ticketing.stores.elasticsearch.connection import OF_BUNDLES, Connection
from ticketing.stores.elasticsearch.indices import (
    TICKETS,
    Index,
    behind,
    indices_of,
    is_part,
    next_name,
)

RESIZING = "resizing"
"""The mark of an index that is being split, and of its copy."""

PATIENCE = 600.0
"""Seconds that a step may take: documents of the other shards are deleted from each new one."""

ASKED = "5s"
"""How long one request waits for a health that does not come."""


@dataclass(frozen=True)
class Resized:
    """What became of an index: its alias, its shards before and after, its documents, and the
    seconds for which writes to it were refused."""

    alias: str
    before: int
    after: int
    documents: int
    refused: float


def resize(connection: Connection, shards: int) -> Iterator[Resized]:
    """Split the indices of tickets and of codes that have fewer shards, one after the other.

    Searching goes on, and so do judgments, whose index keeps its one shard; a write to the index
    that is being split raises StoreAway. Interrupted, it leaves each index as it was or split;
    run again, it ends what it began. Raises InputError for a number that is no multiple.
    """
    parts = {
        alias.removeprefix(connection.alias("")): index
        for alias, index in behind(connection).items()
        if alias == connection.alias(TICKETS) or alias.startswith(connection.alias(OF_BUNDLES))
    }
    counts = {name: _shards(connection, index) for name, index in parts.items()}
    for name, count in counts.items():
        if shards % count:
            raise InputError(
                f"The index {parts[name].name} can be split into a multiple of its {count} shards"
                f" alone; give one, such as {2 * count}."
            )
    for name, index in parts.items():
        _tidy(connection, name)
        if counts[name] < shards:
            documents, refused = _split(connection, name, index, shards)
            yield Resized(connection.alias(name), counts[name], shards, documents, refused)


def use(connection: Connection, index: str) -> str:
    """Let the alias that an index is named after lead to it alone; returns the alias. Others
    are left as they are, without it. Raises InputError, NotFound."""
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
    """Split one index; returns its documents, and the seconds for which writes were refused."""
    alias = connection.alias(name)
    target = next_name(alias, indices_of(connection, f"{name}*"))
    _mark(connection, index, True)
    with _tidied(connection, name), connection.client() as client:
        patient, began = client.options(request_timeout=PATIENCE), time.monotonic()
        patient.indices.add_block(index=index.name, block="write")
        settings = {"index.number_of_shards": shards, "index.blocks.write": None}
        patient.indices.split(
            index=index.name, target=target, settings=settings, wait_for_active_shards="0"
        )
        _wait_for(connection, target, "yellow")
        patient.indices.refresh(index=[index.name, target])
        documents, copied = (client.count(index=i)["count"] for i in (index.name, target))
        if copied != documents:
            raise StoreAway(
                f"The copy {target} has {copied} of {documents} documents; nothing was changed,"
                " try again."
            )
        actions = [
            {"remove": {"index": index.name, "alias": alias}},
            {"add": {"index": target, "alias": alias}},
        ]
        patient.indices.update_aliases(actions=actions)
        refused = time.monotonic() - began
    return documents, refused


@contextmanager
def _tidied(connection: Connection, name: str) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(StoreError):  # what was said first matters; the next run tidies
            _tidy(connection, name)
        raise
    _tidy(connection, name)


def _tidy(connection: Connection, name: str) -> None:
    """End a split, wherever it is: of an index and its copy, the one that the alias leads to
    stays and is written; the other goes, once each shard of the first has its replica."""
    kept = behind(connection, name)[connection.alias(name)]
    if RESIZING not in kept.meta:
        return
    with connection.client() as client:
        client.indices.put_settings(index=kept.name, settings={"index.blocks.write": None})
        _wait_for(connection, kept.name, "green")
        for other in indices_of(connection, f"{name}-*"):
            if RESIZING in other.meta and other.name != kept.name:
                client.indices.delete(index=other.name)
    _mark(connection, kept, False)


def _mark(connection: Connection, index: Index, resizing: bool) -> None:
    meta = {key: value for key, value in index.meta.items() if key != RESIZING}
    with connection.client() as client:
        client.indices.put_mapping(
            index=index.name, meta=meta | ({RESIZING: True} if resizing else {})
        )


def _wait_for(connection: Connection, index: str, status: str) -> None:
    """Wait until an index has all its shards (`yellow`), or all their replicas too (`green`)."""
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
