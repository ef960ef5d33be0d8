"""Requests to Elasticsearch by many threads: index names, time limits, one-sentence errors."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from typing import Any

import elastic_transport
from elastic_transport import ObjectApiResponse
from elasticsearch import ApiError, ConflictError, Elasticsearch, NotFoundError, helpers

from ticketing.batches import batches
from ticketing.errors import StoreError
from ticketing.files import Json
from ticketing.settings import Settings
from ticketing.stores.elasticsearch.client import opened_client
from ticketing.stores.elasticsearch.faults import plain, refused

PAGE = 500
"""Documents held in memory while all of them are read."""

AT_ONCE = 1000
"""Ids requested at a time."""

MOST_HITS = 10_000
"""Maximum number of hits that a server returns or skips by default."""

KEPT = "5m"
"""How long a server keeps an unused point in time."""

BULK_BYTES = 10_000_000
"""Maximum number of bytes sent in one bulk request."""

MISSING, CONFLICT = 404, 409

NODE_AWAY = {502, 503}
"""Statuses of a search whose node died before it was finished."""

OF_BUNDLES = "codes-"
"""Prefix of indices that may be missing; any other missing index was lost."""


class Connection:
    """The client, and the names of the store's indices below a prefix.

    Every index is accessed only by an alias, so that late writes do not recreate a dropped one.
    """

    def __init__(self, settings: Settings):
        hosts = [host.strip().rstrip("/") for host in settings.store.split(",")]
        self.where = ", ".join(hosts)
        self.prefix = settings.store_prefix
        self.shards = settings.store_shards
        self._closed = False
        self._client = opened_client(hosts, settings)

    def alias(self, name: str) -> str:
        """The full name of one of the store's indices, or a pattern of them."""
        return f"{self.prefix}-{name}"

    @contextmanager
    def client(self) -> Iterator[Elasticsearch]:
        """Context manager: the client; its errors become one sentence."""
        if self._closed:
            raise StoreError(f"The store at {self.where} was closed; open it again.")
        try:
            yield self._client
        except (ApiError, elastic_transport.TransportError) as error:
            raise plain(error, self.where) from error

    def get(self, name: str, ids: Iterable[str], fields: Sequence[str] = ()) -> dict[str, Json]:
        """The existing documents among `ids`, by id, read in real time: `_source` (only the named
        fields, if any), `_seq_no` and `_primary_term`. An empty id has no document."""
        found: dict[str, Json] = {}
        for some in batches(dict.fromkeys(id for id in ids if id), AT_ONCE):
            with self.client() as client:
                answer = client.mget(
                    index=self.alias(name), ids=some, source_includes=fields or None
                )
            for doc in answer["docs"]:
                if error := doc.get("error"):
                    lost = error["type"] == "index_not_found_exception"
                    if not lost or not name.startswith(OF_BUNDLES):
                        raise refused(503, error["type"], error["reason"], self.where)
                if doc.get("found"):
                    found[doc["_id"]] = doc
        return found

    def find(self, name: str, id: str) -> Json | None:
        """One document, as from `get`."""
        return self.get(name, [id]).get(id)

    def source(self, name: str, id: str) -> Json | None:
        """The source of one document, read in real time, at half the cost of `get`."""
        with self.client() as client:
            try:
                found: Json = client.get(
                    index=self.alias(name), id=id, filter_path=["_source", "error"]
                )["_source"]
            except NotFoundError as error:
                if not error.body:  # the filter leaves nothing of a missing document
                    return None
                raise
        return found

    def search(self, name: str, **body: Any) -> Json:
        """One search over all shards of an index, or an error; {} for a bundle without codes."""
        with self.client() as client:
            try:
                search = partial(client.search, index=self.alias(name), **body)
                answer = _asked_again(partial(search, allow_partial_search_results=False))
            except NotFoundError:
                if not name.startswith(OF_BUNDLES):
                    raise
                return {}
        found: Json = answer.body
        return found

    def searches(self, asked: Sequence[tuple[str, Json]], of_copy: str) -> list[Json]:
        """Several searches in one request, all or none; [] for a bundle without codes. `of_copy`
        selects the copy of each shard for every process alike, since vector searches on two copies
        differ slightly."""
        parts: list[Json] = []
        for name, body in asked:
            header = {"index": self.alias(name), "preference": of_copy}
            parts += header | {"allow_partial_search_results": False}, body
        with self.client() as client:
            answer = client.msearch(searches=parts)
            if any(response["status"] in NODE_AWAY for response in answer["responses"]):
                answer = client.msearch(searches=parts)
        for (name, _), response in zip(asked, answer["responses"], strict=True):
            if error := response.get("error"):
                if response["status"] == MISSING and name.startswith(OF_BUNDLES):
                    return []
                cause = (error.get("root_cause") or [error])[0]
                reason = cause.get("reason") or error.get("reason") or ""
                raise refused(response["status"], cause["type"], reason, self.where)
        responses: list[Json] = answer["responses"]
        return responses

    def listed(
        self, name: str, sort: Sequence[Json], limit: int, offset: int = 0, **body: Any
    ) -> list[Json]:
        """At most `limit` hits after the first `offset`, however many there are. `sort` must be a
        total order."""
        if offset + limit > MOST_HITS:
            hits = self.pages(name, sort, size=MOST_HITS, **body)
            return list(islice(hits, offset, offset + limit))
        answer = self.search(name, sort=sort, size=limit, from_=offset, **body)
        found: list[Json] = answer["hits"]["hits"] if answer else []
        return found

    def pages(
        self,
        name: str,
        sort: Sequence[Json],
        size: int = PAGE,
        preference: str | None = None,
        **body: Any,
    ) -> Iterator[Json]:
        """All hits as of one point in time, read page by page; `sort` must be a total order.
        `preference` restricts the search to some shards or copies.

        Raises StoreAway if the server loses the point in time, for example because a node died.
        """
        answer = self.search(name, sort=sort, size=size, preference=preference, **body)
        hits = answer["hits"]["hits"] if answer else []
        if len(hits) < size:
            yield from hits  # one page needs no point in time
            return
        with self._moment(name, preference) as moment:
            after = None
            while after is None or len(hits) == size:
                with self.client() as client:
                    found = client.search(
                        pit=moment,
                        sort=sort,
                        search_after=after,
                        size=size,
                        allow_partial_search_results=False,
                        **body,
                    )
                moment["id"], hits = found["pit_id"], found["hits"]["hits"]
                yield from hits
                after = hits[-1]["sort"] if hits else []

    @contextmanager
    def _moment(self, name: str, preference: str | None) -> Iterator[Json]:
        """Context manager: a point in time of an index, kept while it is used."""
        with self.client() as client:
            moment = client.open_point_in_time(
                index=self.alias(name), keep_alive=KEPT, preference=preference
            )
        pit = {"id": moment["id"], "keep_alive": KEPT}
        try:
            yield pit
        finally:
            with suppress(StoreError), self.client() as client:
                client.close_point_in_time(id=pit["id"])

    def count(self, name: str, query: Mapping[str, Any]) -> int:
        """Number of matching documents."""
        with self.client() as client:
            answer = client.count(index=self.alias(name), query=query)
        if answer["_shards"]["failed"]:
            raise refused(503, "", "a shard is away", self.where)
        return int(answer["count"])

    def bulk(self, name: str, actions: Iterable[Json], *, refresh: bool = True) -> list[Json]:
        """Do many actions (see `actions`). Returns the results in order: `_id`, `status` (below
        300, MISSING or CONFLICT), and `_seq_no` and `_primary_term` of those written.

        With `refresh`, the next search sees them. Raises StoreError or StoreAway for any other
        status; documents written before stay.
        """
        index = self.alias(name)
        with self.client() as client:
            results = helpers.streaming_bulk(
                client,
                ({"_index": index, **action} for action in actions),
                chunk_size=PAGE,
                max_chunk_bytes=BULK_BYTES,
                raise_on_error=False,
                refresh=refresh,
                require_alias=True,
            )
            return [self._accepted(*result.values()) for _, result in results]

    def _accepted(self, answer: Json) -> Json:
        status, error = answer["status"], answer.get("error") or {}
        lost = error.get("type") == "index_not_found_exception"
        if status < 300 or status == CONFLICT or (status == MISSING and not lost):
            return answer
        raise refused(status, error.get("type", ""), error.get("reason") or "", self.where)

    def write(self, name: str, action: Json, *, refresh: bool = True) -> bool:
        """Do one action; with `refresh`, the next search sees it. False if its condition is not
        met."""
        [answer] = self.bulk(name, [action], refresh=refresh)
        return bool(answer["status"] != CONFLICT)

    def create(self, name: str, id: str, source: Mapping[str, Any]) -> bool:
        """Create one document, without a refresh; False if it exists."""
        with self.client() as client:
            try:
                client.create(
                    index=self.alias(name),
                    id=id,
                    document=source,
                    require_alias=True,
                    filter_path=["result", "error"],
                )
            except ConflictError:
                return False
        return True

    def refresh(self, name: str) -> None:
        """Make all that was written to an index visible to the next search; a missing index is
        ignored."""
        with self.client() as client:
            client.indices.refresh(index=self.alias(name), ignore_unavailable=True)

    def close(self) -> None:
        """Close all connections."""
        self._closed = True
        self._client.close()


def _asked_again(search: Callable[[], ObjectApiResponse[Any]]) -> ObjectApiResponse[Any]:
    """Run a search, and once more if a node died during it, since other nodes have its data."""
    try:
        return search()
    except ApiError as error:
        if error.status_code not in NODE_AWAY:
            raise
    return search()


class ConnectionPart:
    """Base class of the parts of the store, which share the connection."""

    def __init__(self, connection: Connection):
        self.connection = connection
