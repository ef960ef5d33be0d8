"""The schedule in SQLite."""

import json

from ticketing.schedule import Schedule, schedule_from_json, schedule_to_json
from ticketing.stores.schedules import Schedules
from ticketing.stores.sqlite.database import DatabasePart


class SQLiteSchedules(DatabasePart, Schedules):
    """One row, which is missing until a schedule is set."""

    def schedule(self) -> Schedule:
        rows = self.database.rows("SELECT record FROM schedule")
        return schedule_from_json(json.loads(rows[0][0])) if rows else Schedule()

    def set_schedule(self, schedule: Schedule, seen: Schedule) -> bool:
        with self.database.writing() as connection:
            row = connection.execute("SELECT record FROM schedule").fetchone()
            if (schedule_from_json(json.loads(row[0])) if row else Schedule()) != seen:
                return False
            connection.execute(
                "INSERT OR REPLACE INTO schedule (number, record) VALUES (1, ?)",
                (json.dumps(schedule_to_json(schedule)),),
            )
            return True
