"""Leases in Elasticsearch."""

from ticketing.files import Json
from ticketing.stores.elasticsearch.actions import deletion_of, replacement
from ticketing.stores.elasticsearch.connection import Connection, ConnectionPart
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.jobs import Lease, Leases, SeenLeases


class ElasticsearchLeases(ConnectionPart, Leases):
    """A record per lease: holder, duration and number of the renewal; written only if it has not
    changed since it was read."""

    def __init__(self, connection: Connection):
        super().__init__(connection)
        self._seen_leases = SeenLeases()

    def take_lease(self, name: str, holder: str, seconds: float, renewed: bool = False) -> bool:
        key = _key(name)
        doc = self.connection.find(RECORDS, key)
        if renewed and not (doc and doc["_source"]["holder"] == holder):
            return False
        taken = self._seen_leases.next(name, _lease(doc) if doc else None, holder, seconds)
        if taken is None:
            return False
        action = replacement(doc, key, {"kind": "lease", **vars(taken)})
        if self.connection.write(RECORDS, action, refresh=False):
            return True
        now = self.connection.find(RECORDS, key)
        return now is not None and _lease(now) == taken  # written, but the answer was lost

    def drop_lease(self, name: str, holder: str) -> None:
        doc = self.connection.find(RECORDS, _key(name))
        if doc and doc["_source"]["holder"] == holder:
            self.connection.write(RECORDS, deletion_of(doc), refresh=False)

    def lease_is_free(self, name: str) -> bool:
        doc = self.connection.find(RECORDS, _key(name))
        return doc is None or self._seen_leases.has_run_out(name, _lease(doc))


def _lease(doc: Json) -> Lease:
    return Lease(*(doc["_source"][field] for field in ("holder", "seconds", "turn")))


def _key(name: str) -> str:
    return f"lease:{name}"
