"""`SQLiteStore`: a desk's whole store in one folder, safe for many threads and processes.

`tickets.sqlite3` holds everything but codes and files. Codes lie in `codes/`, one memory-mapped
file per bundle; files lie in `files/`. Most modules here implement one protocol of a store:

- `tickets`, `judgments`, `verdicts`, `history`, `serving`, `jobs`, `leases`, `schedules`, `people`,
  `files`: the protocols of these names.
- `codes`, with `code_files` (bytes), `code_ids` (row of each ticket), `code_filters` (filter values
  by row) and `code_blocks` (blocks for the scan).
- `database`: connections and transactions. `schema` has the tables, `upgrades` updates older
  databases, `faults` translates errors.
- `checking`: finds damage.
"""

from pathlib import Path

from ticketing.stores.protocols import Store
from ticketing.stores.sqlite.checking import SQLiteChecking
from ticketing.stores.sqlite.codes import SQLiteCodes
from ticketing.stores.sqlite.database import Database
from ticketing.stores.sqlite.history import SQLiteHistory
from ticketing.stores.sqlite.jobs import SQLiteJobs
from ticketing.stores.sqlite.judgments import SQLiteJudgments
from ticketing.stores.sqlite.leases import SQLiteLeases
from ticketing.stores.sqlite.people import SQLitePeople
from ticketing.stores.sqlite.schedules import SQLiteSchedules
from ticketing.stores.sqlite.serving import SQLiteServing
from ticketing.stores.sqlite.tickets import SQLiteTickets
from ticketing.stores.sqlite.verdicts import SQLiteVerdicts


class SQLiteStore(
    SQLiteTickets,
    SQLiteJudgments,
    SQLiteVerdicts,
    SQLiteHistory,
    SQLiteCodes,
    SQLiteServing,
    SQLiteJobs,
    SQLiteLeases,
    SQLiteSchedules,
    SQLitePeople,
    SQLiteChecking,
    Store,
):
    """A store in `folder`, which is created if it is missing.

    Raises StoreError if the folder cannot be used or holds a foreign, damaged or newer database,
    StoreAway if another process keeps it locked.
    """

    def __init__(self, folder: Path):
        super().__init__(Database(Path(folder)))

    def close(self) -> None:
        self._forget_codes()
        self.database.close()
