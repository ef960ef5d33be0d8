"""The serving bundles in Elasticsearch."""

from ticketing.errors import StoreAway
from ticketing.files import Json
from ticketing.stores.elasticsearch.actions import replacement
from ticketing.stores.elasticsearch.connection import ConnectionPart
from ticketing.stores.elasticsearch.copies import codes_of
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.protocols import Serving
from ticketing.tickets import ModelKind

_ATTEMPTS = 20


class ElasticsearchServing(ConnectionPart, Serving):
    """A record per kind with the list of bundles that have served, the present one last; written
    only if it has not changed since it was read."""

    def serving(self, kind: ModelKind = ModelKind.RANKING) -> str:
        return self._served(kind, switches_ago=0)

    def previous_serving(self, kind: ModelKind = ModelKind.RANKING) -> str:
        return self._served(kind, switches_ago=1)

    def set_serving(self, bundle_id: str, kind: ModelKind = ModelKind.RANKING) -> None:
        key = _key(kind)
        for _ in range(_ATTEMPTS):
            found = self.connection.find(RECORDS, key)
            served = found["_source"]["bundles"] if found else []
            if served[-1:] == [bundle_id]:
                return
            self.connection.refresh(codes_of(bundle_id))  # `put_codes` does not refresh
            source = {"kind": "serving", "bundles": [*served, bundle_id]}
            if self.connection.write(RECORDS, replacement(found, key, source)):
                return
        raise StoreAway("Others keep switching the serving bundle; try again.")

    def _served(self, kind: ModelKind, switches_ago: int) -> str:
        found = self.connection.source(RECORDS, _key(kind))
        served = found["bundles"] if found else []
        return served[-1 - switches_ago] if len(served) > switches_ago else ""


SERVES: Json = {"query": {"ids": {"values": ["serving"]}}}
"""The search for the serving bundle, as part of a multi-search."""


def bundle_of(answer: Json) -> str:
    """The serving bundle in the answer to SERVES, or ""."""
    served = [hit["_source"]["bundles"] for hit in answer["hits"]["hits"]]
    return served[0][-1] if served else ""


def _key(kind: ModelKind) -> str:
    """The id of a kind's record; that of rankings was made before other kinds existed."""
    return "serving" if kind == ModelKind.RANKING else f"serving:{kind}"
