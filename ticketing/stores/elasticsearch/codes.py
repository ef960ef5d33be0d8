"""Codes: an index a bundle, each document a ticket's codes and all that filters and ranks them."""

import base64
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import Any
from zlib import crc32

from ticketing.errors import StoreAway, StoreError
from ticketing.files import Json
from ticketing.stores.elasticsearch.candidates import COLUMNS, Candidates
from ticketing.stores.elasticsearch.connection import CONFLICT, seen
from ticketing.stores.elasticsearch.copies import (
    codes_of,
    copy_filters,
    remove_codes,
    where,
)
from ticketing.stores.elasticsearch.indices import CODES, TICKETS, create, drop, meta_of, metas_of
from ticketing.stores.elasticsearch.tickets import tickets_of
from ticketing.stores.protocols import CodeBlock, CodeRow
from ticketing.tickets import Filters

PAGE = 2000
"""Rows of codes that are read in one request."""

ATTEMPTS = 20

_COPIED = ("product", "status", "created", "groups", "tokens")


class ElasticsearchCodes(Candidates):
    """An index for each bundle.

    An index of codes carries a `build` that is drawn when it is made: codes that were dropped
    and are built again are fresh for no ticket until they are stored.
    """

    def stale_ids(
        self,
        bundle_id: str,
        limit: int = 0,
        after: str = "",
        among: Sequence[str] | None = None,
    ) -> list[str]:
        """Ids, ascending and greater than `after`, of tickets without fresh codes."""
        build = self._build(bundle_id)
        if among is not None:
            found = self.connection.get(TICKETS, among, ["coded"])
            stale = (id for id, doc in found.items() if build not in doc["_source"]["coded"])
            return sorted(id for id in stale if id > after)[: limit or None]
        ids = []
        for hit in self.connection.pages(
            TICKETS,
            sort=[{"id": "asc"}],
            after=[after],
            query={"bool": {"must_not": [{"term": {"coded": build}}]}},
            source=False,
            size=min(limit or PAGE, PAGE),
        ):
            ids.append(hit["_id"])
            if len(ids) == limit:
                break
        return ids

    def put_codes(self, bundle_id: str, rows: Sequence[CodeRow]) -> int:
        """Store codes; a ticket's count as there once the ticket is marked, which is done last."""
        if not rows:
            return 0
        build = self.open_build(bundle_id, rows)
        left = {row.ticket_id: row for row in reversed(rows)}
        stored = 0
        for _ in range(ATTEMPTS):
            tickets = self.connection.get(TICKETS, left, ["version", "coded", *_COPIED])
            wanted = {
                id: doc
                for id, doc in tickets.items()
                if doc["_source"]["version"] == left[id].version
                and build not in doc["_source"]["coded"]
            }
            self.write_codes(bundle_id, (left[id] for id in wanted), wanted)
            lost = self.mark_coded(build, wanted)
            stored += len(wanted) - len(lost)
            if not lost:
                return stored
            # These tickets changed or went while their codes were written.
            remove_codes(self.connection, lost)
            now = tickets_of(self.connection, lost)
            copy_filters(self.connection, list(now.values()))
            left = {id: left[id] for id in lost}
        raise StoreAway(f"Others keep changing the ticket {min(left)}; try again.")

    def open_build(self, bundle_id: str, rows: Sequence[CodeRow]) -> str:
        """The build to store in, made where there is none; raises StoreError for a wrong width."""
        widths = {len(row.code) for row in rows}
        if len(widths) == 1 and not self._build(bundle_id):
            new = {"bundle_id": bundle_id, "build": uuid.uuid4().hex, "width": min(widths)}
            create(self.connection, codes_of(bundle_id), CODES, new, self.connection.shards)
        meta = meta_of(self.connection, codes_of(bundle_id))
        widths |= {meta["width"]} if meta else set()
        if len(widths) > 1:
            raise StoreError(
                f"Codes of bundle {bundle_id} must all have one width, not"
                f" {' and '.join(map(str, sorted(widths)))} bytes; drop its codes and reindex."
            )
        if meta is None:
            raise StoreAway(f"The codes of bundle {bundle_id} were dropped just now; try again.")
        build: str = meta["build"]
        return build

    def write_codes(
        self, bundle_id: str, rows: Iterable[CodeRow], tickets: Mapping[str, Json]
    ) -> None:
        """Write rows with what their tickets are filtered by, as it was read."""
        index = self.connection.alias(codes_of(bundle_id))
        self.connection.bulk(
            (
                {"_index": index, "_id": row.ticket_id, "_source": _document(row, tickets)}
                for row in rows
            ),
            refresh=self.serving() == bundle_id,
        )

    def mark_coded(self, build: str, tickets: Mapping[str, Json]) -> list[str]:
        """Note that the tickets have codes of this build, if they are still as they were read;
        returns the ids of those that are not."""
        answers = self.connection.bulk(
            {
                "_op_type": "update",
                "_index": self.connection.alias(TICKETS),
                "_id": id,
                "doc": {"coded": [*doc["_source"]["coded"], build]},
                **seen(doc),
            }
            for id, doc in tickets.items()
        )
        return [id for id, answer in zip(tickets, answers, strict=True) if answer["status"] >= 300]

    def count_codes(self, bundle_id: str) -> int:
        """How many tickets carry fresh codes under the bundle."""
        build = self._build(bundle_id)
        return self.connection.count(TICKETS, {"term": {"coded": build}}) if build else 0

    def codes(self, bundle_id: str, filters: Filters = Filters()) -> CodeBlock:
        """All codes that a query under this bundle may be compared with, read now."""
        self._show(bundle_id)
        hits = self.connection.pages(
            codes_of(bundle_id),
            sort=[{"id": "asc"}],
            query=where(filters),
            size=PAGE,
            **COLUMNS,
        )
        return self._block(bundle_id, hits)

    def topic_counts(
        self, bundle_id: str, filters: Filters = Filters()
    ) -> dict[tuple[int | None, date | None], int]:
        """How many matching tickets have each main topic in each month."""
        self._show(bundle_id)
        by = [
            {field: {"terms": {"field": field, "missing_bucket": True}}}
            for field in ("topic", "month")
        ]
        counts: dict[tuple[int | None, date | None], int] = {}
        after: Json = {}
        while True:
            answer = self.connection.search(
                codes_of(bundle_id),
                size=0,
                query=where(filters),
                aggs={"counts": {"composite": {"sources": by, "size": PAGE, **after}}},
            )
            found = answer["aggregations"]["counts"] if answer else {"buckets": []}
            for bucket in found["buckets"]:
                month = bucket["key"]["month"]
                month = month and date.fromisoformat(f"{month}-01")
                counts[bucket["key"]["topic"], month] = bucket["doc_count"]
            if "after_key" not in found:
                return counts
            after = {"after": found["after_key"]}

    def topic_tickets(
        self,
        bundle_id: str,
        topic: int,
        filters: Filters = Filters(),
        limit: int = 10,
        offset: int = 0,
    ) -> list[str]:
        """Ids of the matching tickets with this main topic, newest first, undated ones last."""
        self._show(bundle_id)
        answer = self.connection.search(
            codes_of(bundle_id),
            query={"bool": {"filter": [{"term": {"topic": topic}}, where(filters)]}},
            sort=[{"created": {"order": "desc", "missing": "_last"}}, {"id": "asc"}],
            size=limit,
            from_=offset,
            source=False,
        )
        return [hit["_id"] for hit in answer["hits"]["hits"]] if answer else []

    def bundles(self) -> list[str]:
        """Ids of the bundles that codes are kept under."""
        return sorted(meta["bundle_id"] for meta in metas_of(self.connection, codes_of("*")))

    def code_rows(self, bundle_id: str) -> Iterator[CodeRow]:
        """All fresh codes in ascending order of ticket id."""
        self._show(bundle_id)
        build = self._build(bundle_id)
        hits = self.connection.pages(
            codes_of(bundle_id),
            sort=[{"id": "asc"}],
            query={"match_all": {}},
            source_includes=["version", "topic", "code", "checksum", "vector"],
        )
        while page := list(islice(hits, PAGE)):
            tickets = self.connection.get(TICKETS, [hit["_id"] for hit in page], ["coded"])
            for hit in page:
                if hit["_id"] in tickets and build in tickets[hit["_id"]]["_source"]["coded"]:
                    row = _row(hit)
                    if hit["_source"].get("checksum", crc32(row.code)) == crc32(row.code):
                        yield row

    def forget_codes(self, bundle_id: str, ids: Sequence[str]) -> None:
        """Delete the codes of these tickets, which are marked as uncoded first."""
        name, build, left = codes_of(bundle_id), self._build(bundle_id), list(ids)
        for _ in range(ATTEMPTS):
            tickets = self.connection.get(TICKETS, left, ["coded"])
            answers = self.connection.bulk(
                {
                    "_op_type": "update",
                    "_index": self.connection.alias(TICKETS),
                    "_id": id,
                    "doc": {"coded": sorted({*doc["_source"]["coded"]} - {build})},
                    **seen(doc),
                }
                for id, doc in tickets.items()
            )
            left = [id for id, x in zip(tickets, answers, strict=True) if x["status"] == CONFLICT]
            if not left:
                break
        else:
            raise StoreAway(f"Others keep changing the ticket {min(left)}; try again.")
        self.connection.bulk(
            {"_op_type": "delete", "_index": self.connection.alias(name), "_id": id}
            for id in self.connection.get(name, ids, ["id"])
        )
        self._damaged[bundle_id] -= set(ids)

    def drop_codes(self, bundle_id: str) -> None:
        """Delete all codes of a bundle; raises StoreError for the serving one."""
        if self.serving() == bundle_id:
            raise StoreError(
                f"Bundle {bundle_id} serves; let another one serve before its codes go."
            )
        drop(self.connection, codes_of(bundle_id))

    def _build(self, bundle_id: str) -> str:
        """The build of a bundle's codes, or an empty string, which no ticket is marked with."""
        meta = meta_of(self.connection, codes_of(bundle_id))
        return meta["build"] if meta else ""


def _document(row: CodeRow, tickets: Mapping[str, Json]) -> Json:
    ticket = tickets[row.ticket_id]["_source"]
    return {
        **{field: ticket[field] for field in _COPIED if field in ticket},
        "month": ticket["created"] and ticket["created"][:7],
        "id": row.ticket_id,
        "version": row.version,
        "topic": row.topic,
        "code": base64.b64encode(row.code).decode(),
        "checksum": crc32(row.code),
        **({"vector": row.vector.hex()} if row.vector else {}),
    }


def _row(hit: Mapping[str, Any]) -> CodeRow:
    source = hit["_source"]
    return CodeRow(
        hit["_id"],
        source["version"],
        base64.b64decode(source["code"]),
        source["topic"],
        bytes.fromhex(source.get("vector", "")),
    )
