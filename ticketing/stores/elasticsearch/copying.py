"""Copies an index into one with another number of shards, while it is read and written.

First all documents of one point in time are copied; then, in rounds, those written meanwhile, which
are found by their sequence numbers. Writes wait only during the last round and the search for
deleted documents, which takes no longer for a large index than for a small one.

A process that has read a document from the old index may write it under the condition of its
sequence number and primary term. The terms of the copy are higher than all terms of the old index,
so such a condition never holds in the copy.
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from ticketing.batches import batches
from ticketing.errors import StoreAway
from ticketing.files import Json
from ticketing.stores.elasticsearch.actions import deletion, writing
from ticketing.stores.elasticsearch.connection import AT_ONCE, Connection
from ticketing.stores.elasticsearch.copies import between
from ticketing.stores.elasticsearch.documents import COPIED, OWN, columns, own_of
from ticketing.stores.elasticsearch.indices import TICKETS, Index, indices_of, next_name

ROUNDS = 20
"""Maximum number of rounds before writes wait, while more than FEW documents change per round."""

FEW = 200
"""Number of documents copied within a second."""

RANGES = 1000
"""Ranges of ids counted in one request."""

OF_AN_INDEX = (
    *("uuid", "version.", "creation_date", "provided_name", "history_uuid", "resize."),
    *("number_of_shards", "number_of_routing_shards", "routing.allocation.initial_recovery."),
    "blocks.",
)
"""Prefixes of settings that are specific to one index."""


class Copy:
    """A copy of an index in the making; `name` is the part of the store that it belongs to.

    It is written by an alias that no other copy ever has. So a process that was suspended while
    another one started again cannot write to the new copy.
    """

    def __init__(self, connection: Connection, name: str, source: Index, shards: int, meta: Json):
        self._connection, self._name, self._source = connection, name, source
        self._seen: dict[str, int] = {}
        self._last_ids: list[str] = []
        self._key = f"resizing-{uuid.uuid4().hex}"
        self.target = next_name(connection.alias(name), indices_of(connection, f"{name}*"))
        with connection.client() as client:
            client.indices.create(
                index=self.target,
                aliases={connection.alias(self._key): {}},
                settings=self._settings() | {"number_of_shards": shards},
                mappings={
                    "dynamic": False,
                    "_source": {"enabled": name == TICKETS},
                    "_meta": meta,
                    "properties": source.fields,
                },
                wait_for_active_shards=1,
            )
        while min(_terms(connection, self.target)) <= self._highest_term():
            with connection.client() as client:  # both start a new term of the shards
                client.indices.close(index=self.target)
                client.indices.open(index=self.target, wait_for_active_shards=1)

    def run(self) -> None:
        """Copy everything, and changes in rounds, until few are left."""
        self._copy_changed()
        for _ in range(ROUNDS):
            if self._copy_changed() <= FEW:
                break
        self._delete_gone()

    def finish(self) -> None:
        """Copy the rest when nothing is written any more."""
        self._copy_changed()
        self._delete_gone()
        if min(_terms(self._connection, self.target)) <= self._highest_term():
            raise StoreAway(f"A node with {self._source.name} was lost meanwhile; try again.")

    def switch(self) -> list[Json]:
        """The alias actions that put the copy in the place of the old index."""
        alias = self._connection.alias(self._name)
        own = {"index": self.target, "alias": self._connection.alias(self._key)}
        return [
            {"remove": own | {"must_exist": True}},
            {"remove": {"index": self._source.name, "alias": alias, "must_exist": True}},
            {"add": {"index": self.target, "alias": alias}},
        ]

    def _copy_changed(self) -> int:
        """Copy documents written since the last round, shard by shard; returns how many."""
        seen, self._seen = self._seen, _checkpoints(self._connection, self._source.name)
        self._connection.refresh(self._below(self._source.name))
        copied = 0
        for shard, checkpoint in self._seen.items():
            later = {"range": {"_seq_no": {"gt": seen.get(shard, -1)}}}
            if seen.get(shard) != checkpoint:
                copied += self._write(self._hits(later, preference=f"_shards:{shard}"), not seen)
        return copied

    def _write(self, hits: Iterator[Json], first: bool) -> int:
        """Write documents of the old index into the copy; returns how many there were."""
        copied = 0
        for page in batches(hits, AT_ONCE):
            documents = self._documents(page)
            actions = (writing(id, source) for id, source in documents.items())
            self._connection.bulk(self._key, actions, refresh=False)
            copied += len(page)
            if first:
                self._last_ids.append(max(documents))
        return copied

    def _documents(self, hits: Iterable[Json]) -> Mapping[str, Json]:
        """The documents to write for hits, by id. Codes are kept in doc values except their words,
        which come from the tickets."""
        if self._name == TICKETS:
            return {hit["_id"]: hit["_source"] for hit in hits}
        fields = {hit["fields"]["id"][0]: hit["fields"] for hit in hits}
        tickets = self._connection.get(TICKETS, fields, ["tokens"])
        words = {id: found["_source"] for id, found in tickets.items()}
        return {
            id: own_of(own) | {x: own[x] for x in own if x not in OWN} | words.get(id, {})
            for id, own in fields.items()
        }

    def _delete_gone(self) -> None:
        """Delete documents that the old index no longer has, if it has fewer documents than the
        copy."""
        both = [self._below(self._source.name), self._below(self.target)]
        for name in both:
            self._connection.refresh(name)
        last = sorted(self._last_ids)
        ranges = [between(after, until) for after, until in pairwise(["", *last, ""])]
        for some in batches(ranges, RANGES):
            here, there = (self._counts(name, some) for name in both)
            for ids, *counts in zip(some, here, there, strict=True):
                if counts[0] != counts[1]:
                    self._delete_gone_among(ids, both)

    def _delete_gone_among(self, ids: Json, both: list[str]) -> None:
        kept, copied = ({hit["fields"]["id"][0] for hit in self._ids(x, ids)} for x in both)
        self._connection.bulk(self._key, map(deletion, copied - kept))

    def _ids(self, name: str, query: Json) -> Iterator[Json]:
        return self._connection.pages(
            name, sort=[{"id": "asc"}], query=query, size=AT_ONCE, **columns()
        )

    def _counts(self, name: str, queries: list[Json]) -> list[int]:
        """The number of documents that each query matches."""
        ranges = {"filters": {"filters": queries}}
        answer = self._connection.search(name, size=0, aggs={"ranges": ranges})
        return [bucket["doc_count"] for bucket in answer["aggregations"]["ranges"]["buckets"]]

    def _hits(self, query: Json, preference: str) -> Iterator[Json]:
        body = {} if self._name == TICKETS else columns(*OWN, *_COPIED)
        return self._connection.pages(
            self._below(self._source.name),
            sort=[{"id": "asc"}],
            size=AT_ONCE,
            preference=preference,
            query=query,
            **body,
        )

    def _highest_term(self) -> int:
        return max(_terms(self._connection, self._source.name))

    def _below(self, index: str) -> str:
        """An index's name without the store's prefix."""
        return index.removeprefix(self._connection.alias(""))

    def _settings(self) -> Json:
        """The settings of the old index that the copy shall have too; an admin may have changed
        them."""
        with self._connection.client() as client:
            found = client.indices.get_settings(index=self._source.name, flat_settings=True)
        settings = found[self._source.name]["settings"]
        return {x: settings[x] for x in settings if not x.startswith(_ITS_OWN)}


def _checkpoints(connection: Connection, index: str) -> dict[str, int]:
    """By shard, the sequence number up to which all copies have all writes (global checkpoint)."""
    with connection.client() as client:
        stats = client.indices.stats(index=index, level="shards", metric="docs")
    shards = stats["indices"][index]["shards"]
    return {
        shard: next(x["seq_no"]["global_checkpoint"] for x in copies if x["routing"]["primary"])
        for shard, copies in shards.items()
    }


def _terms(connection: Connection, index: str) -> list[int]:
    """The present primary terms of an index's shards; each assignment of a shard increases its
    term."""
    with connection.client() as client:
        state = client.cluster.state(metric="metadata", index=index)
    terms: Mapping[str, int] = state["metadata"]["indices"][index]["primary_terms"]
    return list(terms.values())


_ITS_OWN = tuple(f"index.{name}" for name in OF_AN_INDEX)
_COPIED = [*(field for field in COPIED if field != "tokens"), "month", "stamp"]
