"""Codes: one index per bundle; each document holds a ticket's codes and copies of its fields for
filters and ranking."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from zlib import crc32

from ticketing.batches import batches
from ticketing.errors import StoreAway
from ticketing.files import Json
from ticketing.stores.blocks import CodeBlock, CodeRow
from ticketing.stores.checks import require_idle, require_one_width
from ticketing.stores.elasticsearch.actions import change, deletion_of, replacement
from ticketing.stores.elasticsearch.candidates import block_of
from ticketing.stores.elasticsearch.connection import CONFLICT
from ticketing.stores.elasticsearch.copies import (
    ATTEMPTS,
    codes_of,
    copy_filters,
    new_build,
    remove_codes,
    where,
)
from ticketing.stores.elasticsearch.documents import (
    COPIED,
    OWN,
    codes_document,
    columns,
    own_of,
    row_of,
)
from ticketing.stores.elasticsearch.indices import (
    CODES,
    TICKETS,
    create,
    drop,
    meta_of,
    metas_of,
    vector_of,
)
from ticketing.stores.elasticsearch.topics import ElasticsearchTopics
from ticketing.tickets import Filters

PAGE = 2000
"""Rows of codes read in one request."""


class ElasticsearchCodes(ElasticsearchTopics):
    """An index for each bundle.

    Each index of codes has a random `build`. If codes are dropped and built again, they are not
    fresh for any ticket until they are stored.
    """

    def stale_ids(
        self,
        bundle_id: str,
        limit: int = 0,
        after: str = "",
        among: Sequence[str] | None = None,
    ) -> list[str]:
        build = self._build(bundle_id)
        if among is not None:
            found = self.connection.get(TICKETS, among, ["coded"])
            stale = (id for id, doc in found.items() if build not in doc["_source"]["coded"])
            return sorted(id for id in stale if id > after)[: limit or None]
        self.connection.refresh(TICKETS)  # `mark_coded` leaves that out
        later = {"range": {"id": {"gt": after}}}
        query = {"bool": {"filter": later, "must_not": {"term": {"coded": build}}}}
        asked: Json = {"query": query, "sort": [{"id": "asc"}], **columns()}
        if limit:
            hits: Iterable[Json] = self.connection.listed(TICKETS, limit=limit, **asked)
        else:
            hits = self.connection.pages(TICKETS, size=PAGE, **asked)
        return [hit["fields"]["id"][0] for hit in hits]

    def put_codes(self, bundle_id: str, rows: Sequence[CodeRow]) -> int:
        """Store codes. A ticket counts as encoded once it is marked, which is done last."""
        if not rows:
            return 0
        left = {row.ticket_id: row for row in reversed(rows)}
        stored = 0
        for _ in range(ATTEMPTS):
            # Tickets are read after codes: who changes a ticket later also changes these codes, or
            # finds no codes of it and leaves it unmarked.
            before = self.connection.get(codes_of(bundle_id), left, ["id"])
            tickets = self.connection.get(TICKETS, left, ["version", "coded", *COPIED])
            # Builds are read after tickets: a ticket's build that is missing here is gone.
            build, builds = self.open_build(bundle_id, rows)
            wanted = {
                id: doc
                for id, doc in tickets.items()
                if doc["_source"]["version"] == left[id].version
                and build not in doc["_source"]["coded"]
            }
            written = self.write_codes(bundle_id, left, wanted, before)
            lost = self.mark_coded(build, {id: wanted[id] for id in written}, builds)
            stored += len(written) - len(lost)
            # These tickets changed or were deleted while their codes were written.
            remove_codes(self.connection, lost)
            copy_filters(self.connection, lost)
            left = {id: left[id] for id in wanted if id in lost or id not in written}
            if not left:
                return stored
        raise StoreAway(f"Others keep changing the ticket {min(left)}; try again.")

    def open_build(self, bundle_id: str, rows: Sequence[CodeRow]) -> tuple[str, set[str]]:
        """The build to store in, created if there is none, and all builds. Raises StoreError for a
        wrong width, and if the serving bundle's codes were lost."""
        widths = {len(row.code) for row in rows}
        metas = self._metas()
        if len(widths) == 1 and bundle_id not in metas:
            self.require_codes(bundle_id)
            new = {"bundle_id": bundle_id, "build": new_build(bundle_id), "width": min(widths)}
            dims = max(len(row.vector) for row in rows)
            fields = CODES | ({"vector": vector_of(dims)} if dims else {})
            create(self.connection, codes_of(bundle_id), fields, new, self.connection.shards)
            metas = self._metas()
        meta = metas.get(bundle_id)
        widths |= {meta["width"]} if meta else set()
        require_one_width(bundle_id, widths)
        if meta is None:
            raise StoreAway(f"The codes of bundle {bundle_id} were dropped just now; try again.")
        return meta["build"], {other["build"] for other in metas.values()}

    def write_codes(
        self,
        bundle_id: str,
        rows: Mapping[str, CodeRow],
        tickets: Mapping[str, Json],
        before: Mapping[str, Json],
    ) -> set[str]:
        """Write the rows of tickets, with copies of their filter fields, replacing the codes
        `before` if these have not changed since; returns the ids of those written."""
        actions = [
            replacement(before.get(id), id, codes_document(rows[id], doc["_source"]))
            for id, doc in tickets.items()
        ]
        refresh = self.serving() == bundle_id
        answers = self.connection.bulk(codes_of(bundle_id), actions, refresh=refresh)
        return {answer["_id"] for answer in answers if answer["status"] != CONFLICT}

    def mark_coded(
        self, build: str, tickets: Mapping[str, Json], builds: Collection[str]
    ) -> list[str]:
        """Mark tickets, if unchanged since they were read, as having codes of this build, and
        remove marks of builds not in `builds`; returns the ids of tickets that were changed."""
        actions = []
        for id, doc in tickets.items():
            others = [other for other in doc["_source"]["coded"] if other in builds]
            actions.append(change(doc, id, {"coded": [*others, build]}))
        # Searches for the marks refresh first.
        answers = self.connection.bulk(TICKETS, actions, refresh=False)
        return [answer["_id"] for answer in answers if answer["status"] >= 300]

    def count_codes(self, bundle_id: str) -> int:
        build = self._build(bundle_id)
        if not build:
            return 0
        self.connection.refresh(TICKETS)  # `mark_coded` leaves that out
        return self.connection.count(TICKETS, {"term": {"coded": build}})

    def codes(self, bundle_id: str, filters: Filters = Filters()) -> CodeBlock:
        self._show(bundle_id)
        hits = self.connection.pages(
            codes_of(bundle_id),
            sort=[{"id": "asc"}],
            query=where(filters),
            size=PAGE,
            **columns("code", "checksum"),
        )
        return block_of(self._read(bundle_id, hits))

    def bundles(self) -> list[str]:
        return sorted(self._metas())

    def code_rows(self, bundle_id: str) -> Iterator[CodeRow]:
        self._show(bundle_id)
        build = self._build(bundle_id)
        hits = self.connection.pages(
            codes_of(bundle_id),
            sort=[{"id": "asc"}],
            query={"match_all": {}},
            **columns(*OWN),
        )
        for some in batches(hits, PAGE):
            page = {hit["fields"]["id"][0]: hit["fields"] for hit in some}
            tickets = self.connection.get(TICKETS, page, ["version", "coded"])
            for id, fields in page.items():
                if id in tickets and build in tickets[id]["_source"]["coded"]:
                    own = own_of(fields)
                    row = row_of(id, tickets[id]["_source"]["version"], own)
                    if own.get("checksum", crc32(row.code)) == crc32(row.code):
                        yield row

    def forget_codes(self, bundle_id: str, ids: Sequence[str]) -> None:
        """Delete the codes of these tickets, which are first marked as not encoded; codes stored by
        another process meanwhile stay."""
        name = codes_of(bundle_id)
        codes = self.connection.get(name, ids, ["id"])
        self._mark_uncoded(bundle_id, ids)
        self.connection.bulk(name, map(deletion_of, codes.values()))
        self._damaged[bundle_id] -= set(ids)

    def _mark_uncoded(self, bundle_id: str, ids: Sequence[str]) -> None:
        """Mark tickets as having no codes of a bundle. Each ticket is written even if it is already
        marked so, so that a process storing codes of it sees a change."""
        build, left = self._build(bundle_id), list(ids)

        def named(coded: str) -> bool:
            return coded == build or coded.startswith(f"{bundle_id}.")

        for _ in range(ATTEMPTS):
            tickets = self.connection.get(TICKETS, left, ["coded"])
            actions = [
                change(doc, id, {"coded": [x for x in doc["_source"]["coded"] if not named(x)]})
                | {"detect_noop": False}
                for id, doc in tickets.items()
            ]
            answers = self.connection.bulk(TICKETS, actions, refresh=False)
            left = [answer["_id"] for answer in answers if answer["status"] == CONFLICT]
            if not left:
                return
        raise StoreAway(f"Others keep changing the ticket {min(left)}; try again.")

    def drop_codes(self, bundle_id: str) -> None:
        require_idle(bundle_id, self.serving())
        drop(self.connection, codes_of(bundle_id))

    def _build(self, bundle_id: str) -> str:
        """The build of a bundle's codes, or "", with which no ticket is marked."""
        meta = meta_of(self.connection, codes_of(bundle_id))
        return meta["build"] if meta else ""

    def _metas(self) -> dict[str, Json]:
        """The `_meta` of the indices of codes, by bundle."""
        metas = metas_of(self.connection, codes_of("*"))
        return {meta["bundle_id"]: meta for meta in metas}
