"""Counts and lists tickets by the main topic in their codes."""

from datetime import date

from ticketing.files import Json
from ticketing.stores.elasticsearch.candidates import Candidates
from ticketing.stores.elasticsearch.copies import codes_of, where
from ticketing.stores.elasticsearch.documents import columns
from ticketing.tickets import Filters

PAGE = 2000
"""Number of combinations of topic and month counted in one request."""


class ElasticsearchTopics(Candidates):
    """Counts and lists codes by topic, filtered like their tickets."""

    def topic_counts(
        self, bundle_id: str, filters: Filters = Filters()
    ) -> dict[tuple[int | None, date | None], int]:
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
        self._show(bundle_id)
        hits = self.connection.listed(
            codes_of(bundle_id),
            [{"created": {"order": "desc", "missing": "_last"}}, {"id": "asc"}],
            limit,
            offset,
            query={"bool": {"filter": [{"term": {"topic": topic}}, where(filters)]}},
            **columns(),
        )
        return [hit["fields"]["id"][0] for hit in hits]
