"""Leases in Elasticsearch."""

from ticketing.files import Json
from ticketing.stores.elasticsearch.connection import Connection, ConnectionPart, if_unchanged
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.jobs import Lease, Leases, SeenLeases


class ElasticsearchLeases(ConnectionPart, Leases):
    """A record per lease: holder, duration and number of the renewal; written only if it has not
    changed since it was read."""

    def __init__(self, connection: Connection):
        super().__init__(connection)
        self._seen_leases = SeenLeases()

    def take_lease(self, name: str, holder: str, seconds: float, renewed: bool = False) -> bool:
        """Take a lease that is free or expired, or renew one's own."""
        key = _key(name)
        doc = self.connection.get(RECORDS, [key]).get(key)
        if renewed and not (doc and doc["_source"]["holder"] == holder):
            return False
        taken = self._seen_leases.next(name, _lease(doc) if doc else None, holder, seconds)
        if taken is None:
            return False
        condition = if_unchanged(doc) if doc else {"op_type": "create"}
        source = {"kind": "lease", **vars(taken)}
        if self.connection.write(RECORDS, key, source, refresh=False, **condition):
            return True
        now = self.connection.get(RECORDS, [key]).get(key)
        return now is not None and _lease(now) == taken  # written, but the answer was lost

    def drop_lease(self, name: str, holder: str) -> None:
        """Release one's own lease; that of another holder stays."""
        key = _key(name)
        doc = self.connection.get(RECORDS, [key]).get(key)
        if doc and doc["_source"]["holder"] == holder:
            self.connection.bulk([self.connection.deletion(RECORDS, doc)], refresh=False)

    def lease_is_free(self, name: str) -> bool:
        """Whether nobody holds a lease, or it has expired."""
        doc = self.connection.get(RECORDS, [_key(name)]).get(_key(name))
        return doc is None or self._seen_leases.has_run_out(name, _lease(doc))


def _lease(doc: Json) -> Lease:
    return Lease(*(doc["_source"][field] for field in ("holder", "seconds", "turn")))


def _key(name: str) -> str:
    return f"lease:{name}"
