"""The schedule in Elasticsearch."""

from ticketing.files import Json
from ticketing.schedule import Schedule, schedule_from_json, schedule_to_json
from ticketing.stores.elasticsearch.connection import ConnectionPart, if_unchanged
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.schedules import Schedules

_KEY = "schedule"


class ElasticsearchSchedules(ConnectionPart, Schedules):
    """One record, written only if it has not changed since it was read."""

    def schedule(self) -> Schedule:
        """The schedule that was set last, or one that never trains."""
        return _read(self._found())

    def set_schedule(self, schedule: Schedule, seen: Schedule) -> bool:
        """Replace the schedule that was `seen`."""
        found = self._found()
        if _read(found) != seen:
            return False
        condition = if_unchanged(found) if found else {"op_type": "create"}
        source = {"kind": "schedule", "schedule": schedule_to_json(schedule)}
        return self.connection.write(RECORDS, _KEY, source, **condition)

    def _found(self) -> Json | None:
        return self.connection.get(RECORDS, [_KEY]).get(_KEY)


def _read(found: Json | None) -> Schedule:
    return schedule_from_json(found["_source"]["schedule"]) if found else Schedule()
