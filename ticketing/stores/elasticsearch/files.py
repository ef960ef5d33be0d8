"""Files: one document per name, and the bytes in documents of their own.

The bytes of each upload have new ids and are written first, so a name always refers to a complete
upload. Who replaces a name deletes the former bytes.
"""

import base64
import hashlib
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from ticketing.batches import batches
from ticketing.errors import StoreAway
from ticketing.files import Json
from ticketing.stores.elasticsearch.actions import deletion, deletion_of, replacement, writing
from ticketing.stores.elasticsearch.connection import ConnectionPart
from ticketing.stores.elasticsearch.indices import FILES
from ticketing.stores.files import Files, KeptFile, compared, damaged, no_file
from ticketing.times import utc_now

CHUNK = 1 << 20
"""Bytes per document."""

AT_ONCE = 8
"""Chunks sent in one request."""

ATTEMPTS = 20


class ElasticsearchFiles(ConnectionPart, Files):
    """An index of files and their chunks; `upload` connects a chunk with its file."""

    def put_file(self, name: str, chunks: Iterable[bytes]) -> KeptFile:
        """Keep a file; its bytes are written before its name."""
        upload, size, count, digest = uuid.uuid4().hex, 0, 0, hashlib.sha256()
        begun = utc_now().isoformat()
        for some in batches(_cut(chunks), AT_ONCE):
            actions = []
            for data in some:
                source = {"kind": "chunk", "upload": upload, "number": count, "put": begun}
                source["data"] = base64.b64encode(data).decode()
                actions.append(writing(f"{upload}:{count}", source))
                digest.update(data)
                size, count = size + len(data), count + 1
            self.connection.bulk(FILES, actions, refresh=False)
        kept = KeptFile(name, size, digest.hexdigest(), utc_now())
        source = {"kind": "file", "name": name, "bytes": size, "sha256": kept.sha256}
        source |= {"put": kept.put.isoformat(), "upload": upload, "chunks": count}
        for _ in range(ATTEMPTS):
            before = self._named(name)
            if before and before["_source"]["upload"] == upload:
                return kept  # written, but the answer was lost
            if self.connection.write(FILES, replacement(before, _key(name), source)):
                if before:
                    self._drop_chunks(before["_source"])
                return kept
        raise StoreAway(f"Others keep writing the file {name}; try again.")

    def file_chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a file, in blocks of a megabyte."""
        source = self._require(name)
        yield from compared(self._chunks(source), kept_of(source))

    def files(self, prefix: str = "") -> list[KeptFile]:
        return [kept_of(source) for source in self.named(prefix)]

    def drop_file(self, name: str) -> None:
        """Delete a file, its name first."""
        for _ in range(ATTEMPTS):
            before = self._named(name)
            if before is None:
                return
            if self.connection.write(FILES, deletion_of(before)):
                self._drop_chunks(before["_source"])
                return
        raise StoreAway(f"Others keep writing the file {name}; try again.")

    def file_at(self, name: str) -> Path | None:
        """Always None."""
        return None

    def named(self, prefix: str = "") -> Iterator[Json]:
        """The documents of files whose names have a prefix, by name."""
        query = {"bool": {"filter": [{"term": {"kind": "file"}}, {"prefix": {"name": prefix}}]}}
        for hit in self.connection.pages(FILES, sort=[{"name": "asc"}], query=query):
            yield hit["_source"]

    def _chunks(self, source: Json) -> Iterator[bytes]:
        for number in range(source["chunks"]):
            id = f"{source['upload']}:{number}"
            found = self.connection.find(FILES, id)
            if found is None:
                if self._require(source["name"])["upload"] == source["upload"]:
                    raise damaged(source["name"])
                raise StoreAway(f"Another file took the place of {source['name']}; try again.")
            yield base64.b64decode(found["_source"]["data"])

    def _named(self, name: str) -> Json | None:
        return self.connection.find(FILES, _key(name))

    def _require(self, name: str) -> Json:
        found = self._named(name)
        if found is None:
            raise no_file(name)
        source: Json = found["_source"]
        return source

    def _drop_chunks(self, source: Json) -> None:
        ids = [f"{source['upload']}:{number}" for number in range(source["chunks"])]
        self.connection.bulk(FILES, map(deletion, ids), refresh=False)


def kept_of(source: Json) -> KeptFile:
    """The file that a document describes."""
    put = datetime.fromisoformat(source["put"])
    return KeptFile(source["name"], source["bytes"], source["sha256"], put)


def _cut(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The bytes of chunks, cut to the size of a document."""
    held = bytearray()
    for chunk in chunks:
        held += chunk
        while len(held) >= CHUNK:
            yield bytes(held[:CHUNK])
            del held[:CHUNK]
    if held:
        yield bytes(held)


def _key(name: str) -> str:
    return f"file:{name}"
