"""Queries and judgments in Elasticsearch."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from ticketing import times
from ticketing.batches import batches
from ticketing.files import Json
from ticketing.stores.checks import require_same, require_text
from ticketing.stores.elasticsearch.actions import creation, deletion_of, writing
from ticketing.stores.elasticsearch.connection import PAGE, ConnectionPart
from ticketing.stores.elasticsearch.history import asked_before
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.elasticsearch.records import append, in_order, key_of, of_kind
from ticketing.stores.protocols import Judgments
from ticketing.tickets import Grade, Judgment, Query


class ElasticsearchJudgments(ConnectionPart, Judgments):
    """A record per query and per judgment; judgments are never changed."""

    def put_query(self, query: Query) -> str:
        key = f"query:{query.id}"
        if not self.connection.create(RECORDS, key, _query_source(query)):  # it was asked before
            found = self.connection.source(RECORDS, key)
            if not found or found.get("asked", "") < _today():
                self.put_queries([query])
        return query.id

    def put_queries(self, queries: Sequence[Query]) -> None:
        """Keep many queries at once; they can be read by id at once, and `queries` refreshes
        first."""
        self.connection.bulk(RECORDS, [_query_action(query) for query in queries], refresh=False)

    def get_query(self, query_id: str) -> Query | None:
        found = self.connection.find(RECORDS, f"query:{query_id}")
        return _query(found["_source"]) if found else None

    def queries(self) -> Iterator[Query]:
        self.connection.refresh(RECORDS)  # `put_query` does not refresh
        return (_query(hit["_source"]) for hit in in_order(self.connection, "query"))

    def forget_queries(self, before: date, keep: Collection[str] = ()) -> int:
        """Delete unjudged queries, with askings and saved queries of them. A query of a format
        without the date of asking stays until it is asked again."""
        self.connection.refresh(RECORDS)  # `put_query` does not refresh
        self.connection.bulk(RECORDS, asked_before(self.connection, before, keep))
        kept, forgotten = set(keep), 0
        for page in batches(self._asked_before(before), PAGE):
            some = {hit["_id"].partition(":")[2]: hit for hit in page}
            gone = some.keys() - kept - self._judged(some)
            answers = self.connection.bulk(RECORDS, [deletion_of(some[id]) for id in gone])
            forgotten += sum(answer["status"] < 300 for answer in answers)
        return forgotten

    def _asked_before(self, day: date) -> Iterator[Json]:
        """The records of queries last put before a day, as they were read."""
        asked = {"range": {"asked": {"lt": day.isoformat()}}}
        return in_order(self.connection, "query", asked, source=False, seq_no_primary_term=True)

    def _judged(self, query_ids: Iterable[str]) -> set[str]:
        """Ids of the judged ones among the queries, at most a page of them."""
        found = self.connection.search(
            RECORDS,
            size=0,
            query=of_kind("judgment", {"terms": {"query_id": list(query_ids)}}),
            aggs={"judged": {"terms": {"field": "query_id", "size": PAGE}}},
        )
        return {bucket["key"] for bucket in found["aggregations"]["judged"]["buckets"]}

    def add_judgments(self, judgments: Sequence[Judgment]) -> int:
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
        kept = self.connection.get(RECORDS, map(_key, judgments))
        require_same((_judgment(record["_source"]) for record in kept.values()), judgments)
        queries = {judgment.query.id: judgment.query for judgment in judgments}
        actions = [*map(_query_action, queries.values()), *map(_creation, judgments)]
        return append(self.connection, actions) - len(queries)

    def judgments(self, query_id: str = "", ticket_id: str = "") -> Iterator[Judgment]:
        """All events, optionally of one query and one ticket, in the order in which they were
        added. Events of formats before 10 are filtered by ticket here."""
        of: list[Json] = [{"term": {"query_id": query_id}}] if query_id else []
        if ticket_id:
            unknown = {"bool": {"must_not": {"exists": {"field": "ticket_id"}}}}
            of.append({"bool": {"should": [{"term": {"ticket_id": ticket_id}}, unknown]}})
        found = (_judgment(hit["_source"]) for hit in in_order(self.connection, "judgment", *of))
        return (event for event in found if ticket_id in ("", event.ticket_id))

    def judgment_log(self, start: int = 0) -> Iterator[tuple[int, Judgment]]:
        """All events with their sequence numbers plus one, since the first is 0."""
        since: list[Json] = [{"range": {"_seq_no": {"gte": start - 1}}}] if start else []
        hits = in_order(self.connection, "judgment", *since)
        return ((hit["sort"][0] + 1, _judgment(hit["_source"])) for hit in hits)

    def count_judgments(self) -> int:
        return self.connection.count(RECORDS, of_kind("judgment"))


def _query_source(query: Query) -> Json:
    require_text((query.subject, query.description, query.ticket_id))
    return {
        "kind": "query",
        "subject": query.subject,
        "description": query.description,
        "ticket_id": query.ticket_id,
        "asked": _today(),
    }


def _query_action(query: Query) -> Json:
    return writing(f"query:{query.id}", _query_source(query))


def _creation(judgment: Judgment) -> Json:
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
    return creation(_key(judgment), source)


def _today() -> str:
    return times.utc_now().date().isoformat()


def _key(judgment: Judgment) -> str:
    return key_of("judgment", judgment.event_id)


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
