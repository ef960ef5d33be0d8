"""The schedule in Elasticsearch."""

from ticketing.files import Json
from ticketing.schedule import Schedule, schedule_from_json, schedule_to_json
from ticketing.stores.elasticsearch.actions import replacement
from ticketing.stores.elasticsearch.connection import ConnectionPart
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.schedules import Schedules

_KEY = "schedule"


class ElasticsearchSchedules(ConnectionPart, Schedules):
    """One record, written only if it has not changed since it was read."""

    def schedule(self) -> Schedule:
        return _read(self.connection.find(RECORDS, _KEY))

    def set_schedule(self, schedule: Schedule, seen: Schedule) -> bool:
        found = self.connection.find(RECORDS, _KEY)
        if _read(found) != seen:
            return False
        source = {"kind": "schedule", "schedule": schedule_to_json(schedule)}
        return self.connection.write(RECORDS, replacement(found, _KEY, source))


def _read(found: Json | None) -> Schedule:
    return schedule_from_json(found["_source"]["schedule"]) if found else Schedule()
