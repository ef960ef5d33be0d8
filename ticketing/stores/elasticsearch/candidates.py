"""The tickets worth an exact comparison: near in words, near by vector, near by vector of late."""

import base64
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from zlib import crc32

import numpy as np

from ticketing.errors import StoreError
from ticketing.files import Json
from ticketing.queries import EncodedQuery
from ticketing.stores.blocks import CodeBlock
from ticketing.stores.elasticsearch.connection import MOST_HITS, Connection
from ticketing.stores.elasticsearch.copies import coded_by, codes_of, where
from ticketing.stores.elasticsearch.documents import columns
from ticketing.stores.elasticsearch.indices import RECORDS, TICKETS, meta_of
from ticketing.stores.elasticsearch.mirrors import PRINT, Mirrors, print_of
from ticketing.stores.elasticsearch.serving import SERVES, ElasticsearchServing, bundle_of
from ticketing.stores.protocols import Codes
from ticketing.tickets import Filters

BY_VECTOR, BY_WORDS = 650, 200
"""Tickets found each way; measured by `tests.benchmarks.candidates`."""

WINDOWS: dict[timedelta | None, int] = {None: 8, timedelta(days=45): 3, timedelta(days=7): 2}
"""Where time counts, its part of the distance grows by the logarithm of days up to a horizon. So
BY_VECTOR are shared, in these parts, among the nearest of all and those within so long of the
query."""

VECTOR_BOOST = 1e12
"""Lifts the score of what is near by vector, at least 4e-8, above any score of words."""

FEW_WORDS = 2
OF_FEW_WORDS, OF_UNKNOWN_WORDS = 4, 8
"""A query of so few words, or of none that the vocabulary knows, lies beside all tickets, which are
nearly as far from it as each other: so many times as many are found by vector."""

RAREST_WORDS = 32
"""A word query is cut to its rarest words: common ones cost most and tell least."""

LONGEST_QUERY = 2000
"""Distinct words of a query that are looked at."""

LOOKED_AT = 8
"""The walk through the vectors' graph ends easily there: so many times BY_VECTOR are looked at."""

CODE = columns("code", "checksum")
"""What is read of a hit."""


class Candidates(ElasticsearchServing, Codes):
    """Finds tickets by their words and by their vectors, in one request."""

    by_vector, by_words = BY_VECTOR, BY_WORDS

    def __init__(self, connection: Connection):
        super().__init__(connection)
        self._damaged: dict[str, set[str]] = defaultdict(set)
        self.mirrors = Mirrors(connection, self._read)

    @property
    def keeps_vectors(self) -> bool:
        """See Codes; candidates are found by words and by vector."""
        return True

    def damaged_codes(self, bundle_id: str) -> list[str]:
        """Ids of the tickets whose codes were read and are no longer as they were."""
        return sorted(self._damaged[bundle_id])

    def candidates(
        self,
        bundle_id: str,
        query: EncodedQuery,
        filters: Filters = Filters(),
        limit: int = 10,
        also: Collection[str] = (),
    ) -> CodeBlock:
        """All that match, where this process holds the codes as they are now; else the union of
        what each way finds, in the same request."""
        mirrored = bundle_id in self.mirrors
        if limit > self.by_words and not mirrored:
            return self.codes(bundle_id, filters)
        state: list[tuple[str, Json]] = [(RECORDS, SERVES), (codes_of(bundle_id), PRINT)]
        copy = f"{crc32(query.codes.tobytes()):08x}"
        ways = [] if mirrored else self._ways(bundle_id, query, filters, also)
        answers = self._now(bundle_id, state + ways, copy)
        if answers and (held := self.mirrors.held(bundle_id, print_of(answers[1]))):
            return held.block(filters)
        if mirrored:
            ways = self._ways(bundle_id, query, filters, also)
            answers = self._now(bundle_id, state + ways, copy)
        if not answers:
            self.require_codes(bundle_id)
            return block_of({})
        _, _, counted, *found = (answer["hits"] for answer in answers)
        codes = self._read(bundle_id, [hit for way in found for hit in way["hits"]])
        return block_of(codes, of=counted["total"]["value"])

    def _now(self, bundle_id: str, searches: Sequence[tuple[str, Json]], copy: str) -> list[Json]:
        """The answers to searches of which the first is SERVES, with all codes of the bundle."""
        answers = self.connection.searches(searches, copy)
        if answers and bundle_of(answers[0]) != bundle_id:  # see `_show`
            self.connection.refresh(codes_of(bundle_id))
            answers = self.connection.searches(searches, copy)
        return answers

    def _read(self, bundle_id: str, hits: Iterable[Json]) -> dict[str, bytes]:
        """The codes that hits with CODE bring, by id; damaged ones are left out and remembered
        until they are read again and are whole."""
        damaged, codes = self._damaged[bundle_id], {}
        for hit in hits:
            fields = hit["fields"]
            id, code = fields["id"][0], base64.b64decode(fields["code"][0])
            if "checksum" not in fields or fields["checksum"] == [crc32(code)]:
                codes[id] = code
                damaged.discard(id)
            else:
                damaged.add(id)
        return codes

    def _show(self, bundle_id: str) -> None:
        """Let the next search see all codes of a bundle.

        Codes of one that does not serve are written without that: Elasticsearch then makes few
        large segments of them instead of one for each batch, at half the cost.
        """
        if self.serving() != bundle_id:
            self.connection.refresh(codes_of(bundle_id))
        else:
            self.require_codes(bundle_id)

    def require_codes(self, bundle_id: str) -> None:
        """Raises StoreError where the index of the serving bundle's codes was lost: tickets name it
        still. Any other bundle's may be dropped."""
        if bundle_id != self.serving() or meta_of(self.connection, codes_of(bundle_id)):
            return
        self.connection.refresh(TICKETS)
        if self.connection.count(TICKETS, coded_by(bundle_id)):
            raise StoreError(
                f"Elasticsearch at {self.connection.where} has lost the codes of bundle"
                f" {bundle_id}, which serves; `ticketing check --repair` encodes all tickets anew."
            )

    def _ways(
        self, bundle_id: str, query: EncodedQuery, filters: Filters, also: Collection[str]
    ) -> list[tuple[str, Json]]:
        """The searches for how many tickets match, what is found in either way, and those of `also`
        that match.

        What is found both ways comes once. Whatever is near by vector comes before all that is
        near in words alone, of which `by_words` are taken, and more where vectors found the same.
        """
        counted = {"query": where(filters), "size": 0, "track_total_hits": True}
        words = {"bool": {"must": _any_word(query.words), "filter": where(filters)}}
        near = list(self._near(query, filters)) if len(query.vector) else []
        found: Json = {"query": words, "size": self.by_words, "track_total_hits": False}
        found |= CODE
        if near:
            found |= {"knn": near, "size": self.by_words + sum(way["k"] for way in near) * 3 // 4}
        index = codes_of(bundle_id)
        searches = [(index, counted), (index, found)]
        if also:
            named = {"bool": {"must": {"ids": {"values": [*also]}}, "filter": where(filters)}}
            searches.append(
                (index, {"query": named, "size": len(also), "track_total_hits": False} | CODE)
            )
        return searches

    def _near(self, query: EncodedQuery, filters: Filters) -> Iterator[Json]:
        """What is near by vector: of all that match, and of those of its time."""
        times = times_as_many(query)
        count, looked_at = times * self.by_vector, 1 if times == 1 else LOOKED_AT // times
        spans = WINDOWS if query.time else {None: 1}
        for window, parts in spans.items():
            near: Json = {"field": "vector", "query_vector": query.vector.tobytes().hex()}
            near["k"] = max(count * parts // sum(spans.values()), 1)
            near["boost"] = VECTOR_BOOST
            near["num_candidates"] = min(looked_at * near["k"], MOST_HITS)
            if window and query.time:
                near["filter"] = [where(filters), around(query.time, window)]
            elif filters != Filters():
                near["filter"] = where(filters)
            yield near


def times_as_many(query: EncodedQuery) -> int:
    """How many times BY_VECTOR are found for a query."""
    if not query.known:
        return OF_UNKNOWN_WORDS
    return OF_FEW_WORDS if len(set(query.words)) <= FEW_WORDS else 1


def block_of(codes: Mapping[str, bytes], of: int | None = None) -> CodeBlock:
    """Codes by id as the scan wants them."""
    ids = tuple(sorted(codes))
    width = len(codes[ids[0]]) if ids else 0
    stacked = np.frombuffer(b"".join(codes[id] for id in ids), np.uint8).reshape(len(ids), width)
    return CodeBlock(stacked, np.arange(len(ids)), ids, of)


def around(time: datetime, window: timedelta) -> Json:
    """The query for what was created within so much of a time."""
    first = time - min(window, time - datetime.min)
    last = time + min(window, datetime.max - time)
    return {"range": {"created": {"gte": first.isoformat(), "lte": last.isoformat()}}}


def _any_word(words: Sequence[str]) -> Json:
    """The query for documents that hold any of the rarest of `words`, by BM25."""
    distinct = list(dict.fromkeys(words))[:LONGEST_QUERY]
    if not distinct:
        return {"match_none": {}}
    return {
        "more_like_this": {
            "fields": ["tokens"],
            "like": " ".join(distinct),
            "max_query_terms": RAREST_WORDS,
            "min_term_freq": 1,
            "min_doc_freq": 1,
            "minimum_should_match": "1",
        }
    }
