"""Mirrors: bundles' codes in memory, kept equal to their indices by reading only changes.

Each write of a row has a random stamp. The number of rows and the sum of their stamps, which a
server computes once for each state of an index, tell whether a mirror is up to date. If not, rows
written later are read; if that is not enough, as after deletions, ranges of ids are compared by the
same two numbers.
"""

import logging
import threading
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from ticketing.batches import batches
from ticketing.errors import StoreError
from ticketing.files import Json
from ticketing.stores.elasticsearch.connection import AT_ONCE, Connection
from ticketing.stores.elasticsearch.copies import between, codes_of
from ticketing.stores.elasticsearch.documents import columns
from ticketing.stores.elasticsearch.mirror import MOST, Held, HeldRow, Mirror, Print

log = logging.getLogger(__name__)

FEW = 500
"""Number of missing rows for which a query waits; more are read in the background."""

TURNS = 7
"""Maximum number of attempts to catch up while others are writing."""

RANGE = 200
"""Number of ids in a compared range."""

MOST_MIRRORS = 2
"""Number of bundles held: the serving one, and the one before or after it."""

PRINT: Json = {
    "size": 0,
    "track_total_hits": True,
    "aggs": {
        "stamps": {"sum": {"field": "stamp"}},
        "stamped": {"value_count": {"field": "stamp"}},
    },
}
"""The search for the Print of an index, as part of a multi-search."""

READ = columns(
    *("stamp", "code", "checksum", "product", "status", "created", "groups", "has_solution")
)
"""The fields read of a row."""

Read = Callable[[str, Sequence[Json]], dict[str, bytes]]


def print_of(answer: Json) -> Print | None:
    """The Print in the answer to PRINT; None if there are rows of an older program, which have no
    stamps."""
    count, found = answer["hits"]["total"]["value"], answer["aggregations"]
    if found["stamped"]["value"] < count:
        return None
    return Print(count, round(found["stamps"]["value"]))


class Mirrors:
    """Codes of requested bundles in memory, if they are not too many."""

    def __init__(self, connection: Connection, read: Read):
        """`read` extracts undamaged codes from hits."""
        self._connection, self._read = connection, read
        self._copy = uuid.uuid4().hex  # one copy of a shard: each refreshes by itself
        self._mirrors: dict[str, Mirror] = {}
        self._changing = threading.Lock()
        self.filling: threading.Thread | None = None
        """The thread that fills a mirror in the background, or the last one."""

    def __contains__(self, bundle_id: str) -> bool:
        """Whether a bundle is held in a recent state."""
        return bundle_id in self._mirrors

    def held(self, bundle_id: str, now: Print | None) -> Held | None:
        """All codes of a bundle in the state `now` or later; None if they are not loaded yet or too
        many."""
        if now is None or now.count > MOST:
            self._mirrors.pop(bundle_id, None)
            return None
        mirror = self._mirrors.get(bundle_id)
        held = mirror.held if mirror else None
        if held and held.print == now:
            return held
        if self.filling and self.filling.is_alive():
            return None
        if now.count - (held.print.count if held else 0) <= FEW:
            return self._kept_up(bundle_id)
        self.filling = threading.Thread(target=self._fill, args=(bundle_id,), daemon=True)
        self.filling.start()
        return None

    def _fill(self, bundle_id: str) -> None:
        try:
            self._kept_up(bundle_id)
        except StoreError as error:
            log.warning("Codes of bundle %s are not held yet: %s", bundle_id, error)

    def _kept_up(self, bundle_id: str) -> Held | None:
        """All codes of a bundle; None if others write faster than this reads."""
        with self._changing:
            mirror = self._mirrors.get(bundle_id) or Mirror()
            if not self._keep_up(mirror, bundle_id):
                return None
            if bundle_id not in self._mirrors and len(self._mirrors) == MOST_MIRRORS:
                del self._mirrors[next(iter(self._mirrors))]
            self._mirrors[bundle_id] = mirror
            return mirror.held

    def _keep_up(self, mirror: Mirror, bundle_id: str) -> bool:
        """Update a mirror to the state that is searched now; False if that does not succeed."""
        for turn in range(TURNS):
            answer = self._search(bundle_id, **PRINT)
            now = print_of(answer) if answer else None
            if now is None or now.count > MOST:
                return False
            if now == mirror.print:
                mirror.settle()
                return True
            if turn % 2 == 0 and answer["_shards"]["total"] == 1:
                self._take_later(mirror, bundle_id)
            else:
                self._take_different(mirror, bundle_id)
        return False

    def _take_later(self, mirror: Mirror, bundle_id: str) -> None:
        """Read all rows written after the last one read, by sequence number."""
        hits: Sequence[Json] = ()
        while not hits or len(hits) == AT_ONCE:
            later = {"range": {"_seq_no": {"gt": mirror.newest}}}
            answer = self._search(
                bundle_id, query=later, sort=[{"_seq_no": "asc"}], size=AT_ONCE, **READ
            )
            hits = answer["hits"]["hits"] if answer else ()
            self._put(mirror, bundle_id, hits)
            if not hits:
                return
            mirror.newest = hits[-1]["sort"][0]

    def _take_different(self, mirror: Mirror, bundle_id: str) -> None:
        """Compare ranges of ids, and read or remove the rows that differ."""
        stamps = mirror.stamps()
        ids = list(stamps)
        last = ids[RANGE - 1 :: RANGE]
        ranges = [between(after, until) for after, until in pairwise(["", *last, ""])]
        parts = {"filters": {"filters": ranges}, "aggs": PRINT["aggs"]}
        aggs = {"ranges": parts, "newest": {"max": {"field": "_seq_no"}}}
        answer = self._search(bundle_id, size=0, track_total_hits=False, aggs=aggs)
        if not answer:
            return
        found = answer["aggregations"]
        different, here = [], dict[str, int]()
        for i, part in enumerate(found["ranges"]["buckets"]):
            some = {id: stamps[id] for id in ids[i * RANGE : (i + 1) * RANGE]}
            if (part["doc_count"], part["stamps"]["value"]) != (len(some), sum(some.values())):
                different.append(ranges[i])
                here |= some
        there = self._stamps(bundle_id, different) if different else {}
        for id in here.keys() - there.keys():
            mirror.remove(id)
        changed = [id for id in there if here.get(id) != there[id]]
        for some_ids in batches(changed, AT_ONCE):
            these = {"ids": {"values": some_ids}}
            answer = self._search(bundle_id, query=these, size=len(some_ids), **READ)
            self._put(mirror, bundle_id, answer["hits"]["hits"] if answer else ())
        mirror.newest = int(found["newest"]["value"] or -1)

    def _stamps(self, bundle_id: str, ranges: Sequence[Json]) -> dict[str, int]:
        """The stamps of the rows in ranges of ids, by id."""
        hits = self._connection.pages(
            codes_of(bundle_id),
            sort=[{"id": "asc"}],
            size=AT_ONCE,
            preference=self._copy,
            query={"bool": {"should": ranges}},
            **columns("stamp"),
        )
        return {hit["fields"]["id"][0]: hit["fields"]["stamp"][0] for hit in hits}

    def _put(self, mirror: Mirror, bundle_id: str, hits: Sequence[Json]) -> None:
        codes = self._read(bundle_id, hits)
        for hit in hits:
            fields = hit["fields"]
            [id], [created] = fields["id"], fields.get("created", [None])
            mirror.put(
                HeldRow(
                    id,
                    fields["stamp"][0],
                    codes.get(id),
                    fields["product"][0],
                    fields["status"][0],
                    created and datetime.fromisoformat(created),
                    frozenset(fields.get("groups", ())),
                    fields.get("has_solution") == [True],
                )
            )

    def _search(self, bundle_id: str, **body: Any) -> Json:
        """One search of a bundle's codes; {} if there are none."""
        return self._connection.search(codes_of(bundle_id), preference=self._copy, **body)
