"""Queries, and what people judged of the answers to them."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from ticketing.files import Json
from ticketing.stores.checks import require_text
from ticketing.stores.elasticsearch.connection import CONFLICT, ConnectionPart
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.protocols import Judgments
from ticketing.tickets import Grade, Judgment, Query


class ElasticsearchJudgments(ConnectionPart, Judgments):
    """A record for each query and for each judgment; none is ever changed."""

    def put_query(self, query: Query) -> str:
        """Remember a query so that its address can be shared; returns query.id."""
        if self.get_query(query.id) is None:
            self.put_queries([query])
        return query.id

    def put_queries(self, queries: Sequence[Query]) -> None:
        """Remember many at once; they are found by id at once, and by `queries` when it asks."""
        actions = [self._query_action(query) for query in queries]
        self.connection.bulk(actions, refresh=False)

    def get_query(self, query_id: str) -> Query | None:
        """A query put or judged before."""
        key = f"query:{query_id}"
        found = self.connection.get(RECORDS, [key])
        return _query(found[key]["_source"]) if found else None

    def queries(self) -> Iterator[Query]:
        """All queries, read page by page."""
        self.connection.refresh(RECORDS)  # `put_query` leaves that out
        pages = self.connection.pages(
            RECORDS, sort=[{"_seq_no": "asc"}], query={"term": {"kind": "query"}}
        )
        return (_query(hit["_source"]) for hit in pages)

    def add_judgments(self, judgments: Sequence[Judgment]) -> int:
        """Append events in their order, on disk once this returns; returns how many were new."""
        for judgment in judgments:
            require_text(
                (
                    judgment.event_id,
                    judgment.ticket_id,
                    judgment.judge,
                    judgment.bundle_id,
                    judgment.note,
                )
            )
        queries = {judgment.query.id: judgment.query for judgment in judgments}
        actions = [self._query_action(query) for query in queries.values()]
        actions += [self._judgment_action(judgment) for judgment in judgments]
        answers = self.connection.bulk(actions)[len(queries) :]
        return sum(answer["status"] != CONFLICT for answer in answers)

    def judgments(self, query_id: str = "") -> Iterator[Judgment]:
        """All events, of one query where given, in the order they were added."""
        must = [{"term": {"kind": "judgment"}}]
        if query_id:
            must.append({"term": {"query_id": query_id}})
        # Their index has one shard, which numbers what it is given.
        pages = self.connection.pages(
            RECORDS, sort=[{"_seq_no": "asc"}], query={"bool": {"filter": must}}
        )
        return (_judgment(hit["_source"]) for hit in pages)

    def _query_action(self, query: Query) -> Json:
        require_text((query.subject, query.description, query.ticket_id))
        source = {
            "kind": "query",
            "subject": query.subject,
            "description": query.description,
            "ticket_id": query.ticket_id,
        }
        return self._create(f"query:{query.id}", source)

    def _judgment_action(self, judgment: Judgment) -> Json:
        query = judgment.query
        source = {
            "kind": "judgment",
            "event_id": judgment.event_id,
            "query_id": query.id,
            "query": [query.subject, query.description, query.ticket_id],
            "ticket_id": judgment.ticket_id,
            "grade": judgment.grade,
            "judge": judgment.judge,
            "time": judgment.time.isoformat(),
            "rank": judgment.rank,
            "score": judgment.score,
            "bundle_id": judgment.bundle_id,
            "note": judgment.note,
        }
        digest = hashlib.sha256(judgment.event_id.encode()).hexdigest()
        return self._create(f"judgment:{digest}", source)

    def _create(self, key: str, source: Mapping[str, Any]) -> Json:
        """The action that writes a record unless there is one already."""
        index = self.connection.alias(RECORDS)
        return {"_op_type": "create", "_index": index, "_id": key, "_source": source}


def _query(source: Mapping[str, Any]) -> Query:
    return Query(source["subject"], source["description"], source["ticket_id"])


def _judgment(source: Mapping[str, Any]) -> Judgment:
    return Judgment(
        source["event_id"],
        Query(*source["query"]),
        source["ticket_id"],
        None if source["grade"] is None else Grade(source["grade"]),
        source["judge"],
        datetime.fromisoformat(source["time"]),
        source["rank"],
        source["score"],
        source["bundle_id"],
        source.get("note", ""),  # a record of format 3 has none
    )
