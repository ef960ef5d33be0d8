"""The tickets worth an exact comparison: near in words, near by vector, near by vector of late."""

import base64
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from ticketing.files import Json
from ticketing.queries import EncodedQuery
from ticketing.stores.elasticsearch.connection import Connection
from ticketing.stores.elasticsearch.copies import codes_of, where
from ticketing.stores.elasticsearch.serving import ElasticsearchServing
from ticketing.stores.elasticsearch.tickets import any_word
from ticketing.stores.protocols import CodeBlock, Codes
from ticketing.tickets import Filters

BY_VECTOR, BY_WORDS = 800, 200
"""Tickets found each way; measured by `tests.benchmarks.candidates`."""

WINDOWS = tuple(timedelta(days) for days in (10, 100, 1000))
"""Where time counts, its part of the distance grows by the logarithm of days up to a horizon: among
tickets within one of these of the query it differs so little that the nearest by vector are found.
They share BY_VECTOR among them, with all the other tickets."""

COLUMNS = {"docvalue_fields": ["id", "code", "checksum"], "stored_fields": "_none_"}
"""What is read of a hit: from columns alone, as whole documents take ten times as long."""


class Candidates(ElasticsearchServing, Codes):
    """Finds tickets by their words and by their vectors, in one request."""

    by_vector, by_words = BY_VECTOR, BY_WORDS

    def __init__(self, connection: Connection):
        super().__init__(connection)
        self._damaged: dict[str, set[str]] = defaultdict(set)

    def damaged_codes(self, bundle_id: str) -> list[str]:
        """Ids of the tickets whose codes were read and are no longer as they were."""
        return sorted(self._damaged[bundle_id])

    def candidates(
        self,
        bundle_id: str,
        query: EncodedQuery,
        filters: Filters = Filters(),
        limit: int = 10,
    ) -> CodeBlock:
        """The union of what each way finds, with codes, in one request."""
        if limit > self.by_words:
            return self.codes(bundle_id, filters)
        self._show(bundle_id)
        counted = {"query": where(filters), "size": 0, "track_total_hits": True}
        ways = [{**way, **COLUMNS} for way in self._ways(query, filters)]
        answers = self.connection.searches(codes_of(bundle_id), [counted, *ways])
        if not answers:
            return self._block(bundle_id, [])
        hits = (hit for answer in answers[1:] for hit in answer["hits"]["hits"])
        return self._block(bundle_id, hits, of=answers[0]["hits"]["total"]["value"])

    def _block(
        self, bundle_id: str, hits: Iterable[Mapping[str, Any]], of: int | None = None
    ) -> CodeBlock:
        """Hits with their COLUMNS, some maybe twice, as the scan wants them; damaged ones are
        remembered until they are read again and are whole."""
        damaged, codes = self._damaged[bundle_id], dict[str, npt.NDArray[np.uint8]]()
        for hit in hits:
            fields = hit["fields"]
            id, code = fields["id"][0], base64.b64decode(fields["code"][0])
            if fields.get("checksum", [crc32(code)]) == [crc32(code)]:
                codes[id] = np.frombuffer(code, np.uint8)
                damaged.discard(id)
            else:
                damaged.add(id)
        ids = tuple(sorted(codes))
        stacked = np.stack([codes[id] for id in ids]) if ids else np.empty((0, 0), np.uint8)
        return CodeBlock(stacked, np.arange(len(ids)), ids, of)

    def _show(self, bundle_id: str) -> None:
        """Let the next search see all codes of a bundle.

        Codes of one that does not serve are written without that: Elasticsearch then makes few
        large segments of them instead of one for each batch, at half the cost.
        """
        if self.serving() != bundle_id:
            self.connection.refresh(codes_of(bundle_id))

    def _ways(self, query: EncodedQuery, filters: Filters) -> Iterator[Json]:
        words = {"bool": {"must": any_word(query.words), "filter": where(filters)}}
        yield {"query": words, "size": self.by_words}
        if len(query.vector):
            near = {"field": "vector", "query_vector": query.vector.tobytes().hex()}
            spans: list[Json] = [{"filter": where(filters)} if filters != Filters() else {}]
            if query.time:
                near_in_time = (around(query.time, window) for window in WINDOWS)
                spans += [{"filter": [where(filters), close]} for close in near_in_time]
            each = self.by_vector // len(spans)
            for span in spans:
                yield {"knn": {**near, "k": each, "num_candidates": each, **span}, "size": each}


def around(time: datetime, window: timedelta) -> Json:
    """The query for what was created within so much of a time."""
    first = time - min(window, time - datetime.min)
    last = time + min(window, datetime.max - time)
    return {"range": {"created": {"gte": first.isoformat(), "lte": last.isoformat()}}}
