"""One Elasticsearch for many threads: addresses, time limits, plain errors, and a few verbs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from typing import Any

import elastic_transport
from elastic_transport import ObjectApiResponse
from elasticsearch import ApiError, ConflictError, Elasticsearch, NotFoundError, helpers

from ticketing.errors import StoreError
from ticketing.files import Json
from ticketing.settings import Settings
from ticketing.stores.elasticsearch.client import opened_client
from ticketing.stores.elasticsearch.faults import plain, refused

PAGE = 500
"""Documents held in memory while all of them are read."""

AT_ONCE = 1000
"""Ids that are asked for in one request."""

MOST_HITS = 10_000
"""As many hits as a server lists, or skips, at once by default."""

KEPT = "5m"
"""How long a server remembers a moment that nobody asks it about."""

BULK_BYTES = 10_000_000
"""Most bytes of documents that are sent in one request."""

MISSING, CONFLICT = 404, 409

NODE_AWAY = {502, 503}
"""What is said of a search whose node died before its answer was whole."""

OF_BUNDLES = "codes-"
"""Begins the names of indices that may not exist; any other that does not was lost."""


class Connection:
    """The client, and the names of the store's indices below a prefix.

    Every index is reached by an alias and written by it alone, so that no write can make an
    index that was dropped come back without its mapping.
    """

    def __init__(self, settings: Settings):
        hosts = [host.strip().rstrip("/") for host in settings.store.split(",")]
        self.where = ", ".join(hosts)
        self.prefix = settings.store_prefix
        self.shards = settings.store_shards
        self._closed = False
        self._client = opened_client(hosts, settings)

    def alias(self, name: str) -> str:
        """The full name of one of the store's indices, or of a pattern of them."""
        return f"{self.prefix}-{name}"

    @contextmanager
    def client(self) -> Iterator[Elasticsearch]:
        """The client; what it raises inside the block becomes one sentence."""
        if self._closed:
            raise StoreError(f"The store at {self.where} was closed; open it again.")
        try:
            yield self._client
        except (ApiError, elastic_transport.TransportError) as error:
            raise plain(error, self.where) from error

    def get(self, name: str, ids: Iterable[str], fields: Sequence[str] = ()) -> dict[str, Json]:
        """The documents that exist among `ids`, by id, as of this moment: `_source` (of the named
        fields only, where any are), `_seq_no` and `_primary_term`. None has an empty id."""
        ids = iter(dict.fromkeys(id for id in ids if id))
        found: dict[str, Json] = {}
        while some := list(islice(ids, AT_ONCE)):
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

    def source(self, name: str, id: str) -> Json | None:
        """What one document says as of this moment, at half the cost of `get`."""
        with self.client() as client:
            try:
                found: Json = client.get(
                    index=self.alias(name), id=id, filter_path=["_source", "error"]
                )["_source"]
            except NotFoundError as error:
                if not error.body:  # the filter leaves nothing of a document that is not there
                    return None
                raise
        return found

    def search(self, name: str, **body: Any) -> Json:
        """One search over all of an index or none of it; {} for a bundle without codes."""
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
        """Several searches of indices by name in one request, all of them or none; [] for a bundle
        without codes. `of_copy` chooses which copy of a shard is searched, for every process alike:
        two copies find by vector nearly the same."""
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
        """At most so many hits after the first `offset`, however many these are, in an order that
        no two share a place in."""
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
        """All hits as of one moment, in an order that no two share a place in, read page by page;
        those of some shards or copies alone, by `preference`.

        Raises StoreAway where the server forgets the moment, as when a node is lost meanwhile.
        """
        answer = self.search(name, sort=sort, size=size, preference=preference, **body)
        hits = answer["hits"]["hits"] if answer else []
        if len(hits) < size:
            yield from hits  # one page is of one moment
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
        """An index as it is now, for as long as the block goes on asking."""
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
        """How many documents match."""
        with self.client() as client:
            answer = client.count(index=self.alias(name), query=query)
        if answer["_shards"]["failed"]:
            raise refused(503, "", "a shard is away", self.where)
        return int(answer["count"])

    def bulk(self, actions: Iterable[Json], *, refresh: bool = True) -> list[Json]:
        """Write many documents; what became of each, in order: `status` (below 300, MISSING or
        CONFLICT), and `_seq_no` and `_primary_term` where it was written.

        `refresh`: the next search sees them. Raises StoreError or StoreAway for any other
        status; what was written until then stays.
        """
        with self.client() as client:
            results = helpers.streaming_bulk(
                client,
                actions,
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

    def write(
        self,
        name: str,
        id: str,
        source: Mapping[str, Any],
        *,
        refresh: bool = True,
        **conditions: Any,
    ) -> bool:
        """Write one document, that the next search sees with `refresh`; False where a condition
        (`op_type`, or `if_seq_no` with `if_primary_term`) does not hold."""
        action = {"_op_type": conditions.pop("op_type", "index"), **conditions}
        action |= {"_index": self.alias(name), "_id": id, "_source": source}
        [answer] = self.bulk([action], refresh=refresh)
        return bool(answer["status"] != CONFLICT)

    def create(self, name: str, id: str, source: Mapping[str, Any]) -> bool:
        """Write one document, which the next search need not see; False where there is one."""
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

    def deletion(self, name: str, doc: Json) -> Json:
        """The action that deletes a document if it is still as it was read."""
        at = {"_index": self.alias(name), "_id": doc["_id"]}
        return {"_op_type": "delete", **at, **if_unchanged(doc)}

    def refresh(self, name: str) -> None:
        """Let the next search see all that was written to an index, if there is one."""
        with self.client() as client:
            client.indices.refresh(index=self.alias(name), ignore_unavailable=True)

    def close(self) -> None:
        """Close all connections."""
        self._closed = True
        self._client.close()


def _asked_again(search: Callable[[], ObjectApiResponse[Any]]) -> ObjectApiResponse[Any]:
    """A search; the same once more where a node died amid it: other nodes have what it had."""
    try:
        return search()
    except ApiError as error:
        if error.status_code not in NODE_AWAY:
            raise
    return search()


def if_unchanged(doc: Mapping[str, Any]) -> dict[str, int]:
    """The condition that a document is still as it was read."""
    return {"if_seq_no": doc["_seq_no"], "if_primary_term": doc["_primary_term"]}


class ConnectionPart:
    """What the parts of the store share: the connection they stand on."""

    def __init__(self, connection: Connection):
        self.connection = connection
