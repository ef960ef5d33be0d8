"""Checks the servers for damage: missing shards, and inconsistent documents.

Elasticsearch itself checks the bytes of its indices.
"""

import base64
from collections.abc import Iterator
from functools import partial
from zlib import crc32

from ticketing.batches import batches
from ticketing.errors import StoreFull
from ticketing.files import Json
from ticketing.plurals import counted
from ticketing.stores.damage import A_DAY, BACKUP, Checked, Finding
from ticketing.stores.elasticsearch.actions import change, deletion
from ticketing.stores.elasticsearch.codes import PAGE, ElasticsearchCodes
from ticketing.stores.elasticsearch.copies import coded_by, codes_of, remove_codes
from ticketing.stores.elasticsearch.documents import FIELDS, columns, ticket_of
from ticketing.stores.elasticsearch.files import ElasticsearchFiles
from ticketing.stores.elasticsearch.indices import FILES, TICKETS
from ticketing.stores.elasticsearch.opening import require_parts
from ticketing.stores.files import damaged_files
from ticketing.times import utc_now

_WITHOUT_CHECKSUM: Json = {"bool": {"must_not": {"exists": {"field": "checksum"}}}}


FULL = "as when its disk is full; free some room"
RESIZED = "as while it is resized; where nobody does that, run `ticketing store resize` again"


class ElasticsearchChecking(ElasticsearchCodes, ElasticsearchFiles, Checked):
    """Compares the data of different indices."""

    def require_room(self) -> None:
        """Raises StoreFull if the server refuses writes, for example because its disk is full;
        StoreError if a part of the store is missing or exists twice."""
        require_parts(self.connection)
        self.require_codes(self.serving())
        with self.connection.client() as client:
            found = client.indices.get_settings(
                index=self.connection.alias("*"), name="index.blocks.*"
            )
        for index, described in found.body.items():
            blocks = described.get("settings", {}).get("index", {}).get("blocks", {})
            if "true" in blocks.values():
                resized = blocks.get("write") == "true"
                raise StoreFull(
                    f"Elasticsearch at {self.connection.where} lets nothing be written to {index},"
                    f" {RESIZED if resized else FULL}, or lift the block."
                )

    def findings(self) -> Iterator[Finding]:
        """Missing shards, tickets whose text was changed, codes and tickets that do not match,
        codes without a checksum, and damaged or half-put files."""
        with self.connection.client() as client:
            health = client.cluster.health(index=self.connection.alias("*"))
        if health["status"] == "red":
            where = f"Elasticsearch at {self.connection.where}"
            yield Finding(where, "some of its shards are away", f"start all its nodes, or {BACKUP}")
            return
        yield from self._texts()
        tickets = self._ids(TICKETS, {"match_all": {}})
        for bundle_id in self.bundles():
            yield from self._codes(bundle_id, tickets)
        yield from self._lost_codes()
        yield from damaged_files(self)
        yield from self._half_put()

    def _lost_codes(self) -> Iterator[Finding]:
        """The serving bundle's codes, if their index is missing."""
        serving = self.serving()
        if serving and serving not in self.bundles():
            self.connection.refresh(TICKETS)
            if ids := self._ids(TICKETS, coded_by(serving)):
                what = f"those of {counted(len(ids), 'ticket')} were lost"
                mend = partial(self._unmark, serving, ids)
                yield Finding(f"codes of bundle {serving}", what, "encode these tickets anew", mend)

    def _half_put(self) -> Iterator[Finding]:
        """Chunks of files whose upload or deletion was not finished within a day."""
        old = {"range": {"put": {"lt": (utc_now() - A_DAY).isoformat()}}}
        hits = self.connection.pages(
            FILES,
            sort=[{"upload": "asc"}, {"number": "asc"}],
            query={"bool": {"filter": [{"term": {"kind": "chunk"}}, old]}},
            source_includes=["upload"],
        )
        chunks = {hit["_id"]: hit["_source"]["upload"] for hit in hits}
        named = {source["upload"] for source in self.named()}
        if ids := {id for id, upload in chunks.items() if upload not in named}:
            what = f"{counted(len(ids), 'piece')} of no file"
            mend = partial(self._drop_pieces, ids)
            yield Finding("files in the store", what, "delete them", mend)

    def _texts(self) -> Iterator[Finding]:
        """A ticket's version is the digest of its text."""
        fields = [*FIELDS, "version"]
        every: Json = {"match_all": {}}
        for hit in self.connection.pages(
            TICKETS, sort=[{"id": "asc"}], query=every, source_includes=fields
        ):
            if ticket_of(hit).version != hit["_source"]["version"]:
                what, todo = "its text is not the one that was stored", "import it again"
                yield Finding(f"ticket {hit['_id']}", what, todo)

    def _codes(self, bundle_id: str, tickets: set[str]) -> Iterator[Finding]:
        """Codes without a ticket, and marked tickets without codes. Others may be at work: a ticket
        is marked after its codes are written, so marks are read first; what differs is compared
        with the tickets that exist now."""
        name, where = codes_of(bundle_id), f"codes of bundle {bundle_id}"
        self.connection.refresh(TICKETS)  # `mark_coded` leaves that out
        marked = self._ids(TICKETS, {"term": {"coded": self._build(bundle_id)}})
        self._show(bundle_id)
        coded = self._ids(name, {"match_all": {}})
        if orphans := self._gone(coded - tickets):
            what = f"{counted(len(orphans), 'row')} of no ticket"
            yield Finding(where, what, "delete them", partial(self._drop_orphans, orphans))
        lost = marked - coded
        if lost := lost - self._gone(lost):
            what = f"those of {counted(len(lost), 'ticket')} were lost"
            mend = partial(self._unmark, bundle_id, lost)
            yield Finding(where, what, "encode these tickets anew", mend)
        if count := len(self._ids(name, _WITHOUT_CHECKSUM)):
            what = f"{counted(count, 'row')} without a checksum, as an older program put them"
            yield Finding(where, what, "take them as they are", partial(self._sum, name))

    def _ids(self, name: str, query: Json) -> set[str]:
        hits = self.connection.pages(
            name, sort=[{"id": "asc"}], query=query, size=PAGE, **columns()
        )
        return {hit["fields"]["id"][0] for hit in hits}

    def _gone(self, ids: set[str]) -> set[str]:
        """Those of `ids` that no ticket has now."""
        return ids - self.connection.get(TICKETS, ids, ["id"]).keys()

    def _drop_pieces(self, ids: set[str]) -> str:
        self.connection.bulk(FILES, map(deletion, ids))
        return "they were deleted"

    def _drop_orphans(self, ids: set[str]) -> str:
        for some in batches(ids, PAGE):
            remove_codes(self.connection, some)  # except of tickets that were put again meanwhile
        return "they were deleted"

    def _unmark(self, bundle_id: str, ids: set[str]) -> str:
        self.forget_codes(bundle_id, sorted(ids))
        return "these tickets count as not encoded"

    def _sum(self, name: str) -> str:
        """Give rows without a checksum the checksum of their present bytes; a row that was written
        meanwhile has its own."""
        hits = self.connection.pages(
            name,
            sort=[{"id": "asc"}],
            query=_WITHOUT_CHECKSUM,
            size=PAGE,
            seq_no_primary_term=True,
            **columns("code"),
        )
        self.connection.bulk(name, map(_with_checksum, hits))
        return "they have one now"


def _with_checksum(hit: Json) -> Json:
    [id], [code] = hit["fields"]["id"], hit["fields"]["code"]
    return change(hit, id, {"checksum": crc32(base64.b64decode(code))})
