"""Which bundle serves."""

from ticketing.errors import StoreAway
from ticketing.stores.elasticsearch.connection import ConnectionPart, seen
from ticketing.stores.elasticsearch.copies import codes_of
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.protocols import Serving

SERVING = "serving"
"""Id of the record that lists the bundles that have served, the present one last."""

_ATTEMPTS = 20


class ElasticsearchServing(ConnectionPart, Serving):
    """One record, changed only as it was read."""

    def serving(self) -> str:
        """Id of the serving bundle, or an empty string."""
        return self._served(switches_ago=0)

    def previous_serving(self) -> str:
        """Id of the bundle that served before the current one, or an empty string."""
        return self._served(switches_ago=1)

    def set_serving(self, bundle_id: str) -> None:
        """Switch atomically; naming the serving bundle again changes nothing."""
        for _ in range(_ATTEMPTS):
            found = self._connection.get(RECORDS, [SERVING]).get(SERVING)
            served = found["_source"]["bundles"] if found else []
            if served[-1:] == [bundle_id]:
                return
            self._connection.refresh(codes_of(bundle_id))  # `put_codes` leaves that out
            source = {"kind": SERVING, "bundles": [*served, bundle_id]}
            condition = seen(found) if found else {"op_type": "create"}
            if self._connection.write(RECORDS, SERVING, source, **condition):
                return
        raise StoreAway("Others keep switching the serving bundle; try again.")

    def _served(self, switches_ago: int) -> str:
        found = self._connection.get(RECORDS, [SERVING])
        served = found[SERVING]["_source"]["bundles"] if found else []
        return served[-1 - switches_ago] if len(served) > switches_ago else ""
