"""Candidates: tickets near to a query by words, by vector, or by vector among recent ones."""

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
"""Number of tickets found by each kind of search; measured by `tests.benchmarks.candidates`."""

WINDOWS: dict[timedelta | None, int] = {None: 8, timedelta(days=45): 3, timedelta(days=7): 2}
"""If time counts, its part of the distance grows with the logarithm of days up to a horizon. So
BY_VECTOR is divided, in these proportions, among all tickets and those within these periods of the
query's time."""

VECTOR_BOOST = 1e12
"""Raises the score of a vector match, at least 4e-8, above all scores of words."""

FEW_WORDS = 2
OF_FEW_WORDS, OF_UNKNOWN_WORDS = 4, 8
"""Factors of BY_VECTOR for a query of at most this many words, or of no known word: such a query is
nearly equally far from all tickets."""

RAREST_WORDS = 32
"""Number of a query's rarest words that are searched: frequent words are slow and say little."""

LONGEST_QUERY = 2000
"""Maximum number of distinct words of a query that are considered."""

LOOKED_AT = 8
"""Factor of BY_VECTOR: number of vectors visited in the graph (num_candidates). With fewer, the
search easily ends too early."""

CODE = columns("code", "checksum")
"""The fields read of a hit."""


class Candidates(ElasticsearchServing, Codes):
    """Finds tickets by their words and by their vectors, in one request."""

    by_vector, by_words = BY_VECTOR, BY_WORDS

    def __init__(self, connection: Connection):
        super().__init__(connection)
        self._damaged: dict[str, set[str]] = defaultdict(set)
        self.mirrors = Mirrors(connection, self._read)

    @property
    def keeps_vectors(self) -> bool:
        """See Codes. Always True: candidates are found by words and by vector."""
        return True

    def damaged_codes(self, bundle_id: str) -> list[str]:
        return sorted(self._damaged[bundle_id])

    def candidates(
        self,
        bundle_id: str,
        query: EncodedQuery,
        filters: Filters = Filters(),
        limit: int = 10,
        also: Collection[str] = (),
    ) -> CodeBlock:
        """All matching tickets if this process holds the present codes in memory; otherwise the
        union of all searches, in the same request."""
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
        """Results of searches, the first of which is SERVES, over all codes of the bundle."""
        answers = self.connection.searches(searches, copy)
        if answers and bundle_of(answers[0]) != bundle_id:  # see `_show`
            self.connection.refresh(codes_of(bundle_id))
            answers = self.connection.searches(searches, copy)
        return answers

    def _read(self, bundle_id: str, hits: Iterable[Json]) -> dict[str, bytes]:
        """The codes in hits with the fields CODE, by id. Damaged ones are left out, and remembered
        until they are read again and intact."""
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
        """Make all codes of a bundle visible to the next search.

        Codes of a bundle that does not serve are written without a refresh. Elasticsearch then
        makes few large segments instead of one per batch, at half the cost.
        """
        if self.serving() != bundle_id:
            self.connection.refresh(codes_of(bundle_id))
        else:
            self.require_codes(bundle_id)

    def require_codes(self, bundle_id: str) -> None:
        """Raises StoreError if the index of the serving bundle's codes was lost while tickets still
        refer to it. That of any other bundle may have been dropped."""
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
        """Searches for the number of matching tickets, for the nearest by vector and by words, and
        for matching ones of `also`.

        A ticket found both ways is returned once. Vector matches come before matches by words
        alone. At least `by_words` of the latter are returned.
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
        """Vector searches: among all matching tickets, and among those near to the query's time."""
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
    """The factor of BY_VECTOR for a query."""
    if not query.known:
        return OF_UNKNOWN_WORDS
    return OF_FEW_WORDS if len(set(query.words)) <= FEW_WORDS else 1


def block_of(codes: Mapping[str, bytes], of: int | None = None) -> CodeBlock:
    """A block of codes given by id."""
    ids = tuple(sorted(codes))
    width = len(codes[ids[0]]) if ids else 0
    stacked = np.frombuffer(b"".join(codes[id] for id in ids), np.uint8).reshape(len(ids), width)
    return CodeBlock(stacked, np.arange(len(ids)), ids, of)


def around(time: datetime, window: timedelta) -> Json:
    """The query for documents created within a period around a time."""
    first = time - min(window, time - datetime.min)
    last = time + min(window, datetime.max - time)
    return {"range": {"created": {"gte": first.isoformat(), "lte": last.isoformat()}}}


def _any_word(words: Sequence[str]) -> Json:
    """The query for documents that contain any of the rarest of `words`, ranked by BM25."""
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
