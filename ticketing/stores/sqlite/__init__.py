"""SQLiteStore: a desk's whole store in one folder, for as many threads and processes as you like.

`tickets.sqlite3` holds everything but the codes, which lie beside it in `codes/`, one file a
bundle, to be memory-mapped, and the files, which lie in `files/`. Each module here is one of the
protocols that a store has: `tickets`, `judgments`, `verdicts`, `history`, `codes` (with
`code_files`, `code_ids`, `code_filters`, and `code_blocks` for the scan), `serving`, `jobs`,
`leases`, `schedules`, `people`, `files`; all stand on `database`, whose tables `schema` has and
`upgrades` brings to this version. `checking` finds damage.
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
    """A store in `folder`, which is made where missing.

    Raises StoreError when the folder cannot be used or holds a foreign, damaged or
    newer database, StoreAway when another process keeps it locked.
    """

    def __init__(self, folder: Path):
        super().__init__(Database(Path(folder)))

    def close(self) -> None:
        """Release files and connections; the store can't be used afterwards."""
        self._forget_codes()
        self.database.close()
