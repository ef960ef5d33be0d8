"""SQLiteStore: a desk's whole store in one folder, for as many threads and processes as you like.

`tickets.sqlite3` holds everything but the codes; those lie beside it in `codes/`, one
file a bundle, to be memory-mapped. Each module here is one side of the protocol:
`tickets`, `judgments`, `codes` (with `code_files`), `jobs`, `accounts`; all stand on `database`.
"""

from pathlib import Path

from ticketing.stores.sqlite.accounts import Accounts
from ticketing.stores.sqlite.codes import Codes
from ticketing.stores.sqlite.database import Database
from ticketing.stores.sqlite.jobs import Jobs
from ticketing.stores.sqlite.judgments import Judgments
from ticketing.stores.sqlite.tickets import Tickets


class SQLiteStore(Tickets, Judgments, Codes, Jobs, Accounts):
    """A `ticketing.stores.protocols.TicketStore` in `folder`, which is made where missing.

    Raises StoreError when the folder cannot be used or holds a foreign, damaged or
    newer database, StoreAway when another process keeps it locked.
    """

    def __init__(self, folder: Path):
        super().__init__(Database(Path(folder)))

    def close(self) -> None:
        """Release files and connections; the store can't be used afterwards."""
        self._forget_codes()
        self._database.close()
