"""`ElasticsearchStore`: a desk's store on servers, for many machines.

Most modules here implement one protocol of a store:

- `tickets`, `judgments`, `verdicts`, `history`, `serving`, `jobs`, `leases`, `schedules`, `people`,
  `files`: the protocols of these names.
- `codes`, with `topics` (main topics), `candidates` (approximate search) and `mirrors` (codes held
  in memory, each a `mirror`).
- `connection`: requests to the server. `actions` are what it writes, `client` opens the client,
  `faults` translates its errors, `documents` converts tickets and codes to documents and back.
- `records`: queries and ids of the documents that are neither tickets, codes nor files.
- `indices`, `opening`: the names and mappings of the indices; creating and updating them.
- `resizing`, `copying`: change the number of shards of an index.
- `copies`: keeps copied fields of a ticket up to date in its codes.
- `checking`: finds damage.

No operation needs a script or a lock: a document is written only if it has not changed since it was
read (optimistic concurrency control).
"""

from ticketing.settings import Settings
from ticketing.stores.elasticsearch.checking import ElasticsearchChecking
from ticketing.stores.elasticsearch.connection import Connection
from ticketing.stores.elasticsearch.history import ElasticsearchHistory
from ticketing.stores.elasticsearch.jobs import ElasticsearchJobs
from ticketing.stores.elasticsearch.judgments import ElasticsearchJudgments
from ticketing.stores.elasticsearch.leases import ElasticsearchLeases
from ticketing.stores.elasticsearch.opening import open_indices
from ticketing.stores.elasticsearch.people import ElasticsearchPeople
from ticketing.stores.elasticsearch.schedules import ElasticsearchSchedules
from ticketing.stores.elasticsearch.serving import ElasticsearchServing
from ticketing.stores.elasticsearch.tickets import ElasticsearchTickets
from ticketing.stores.elasticsearch.verdicts import ElasticsearchVerdicts
from ticketing.stores.protocols import Store


class ElasticsearchStore(
    ElasticsearchTickets,
    ElasticsearchJudgments,
    ElasticsearchVerdicts,
    ElasticsearchHistory,
    ElasticsearchChecking,
    ElasticsearchServing,
    ElasticsearchJobs,
    ElasticsearchLeases,
    ElasticsearchSchedules,
    ElasticsearchPeople,
    Store,
):
    """A store at the addresses of `settings.store`.

    Raises StoreAway if no server answers, StoreError for a server, credentials, certificate or
    indices that cannot be used, InputError for contradictory settings.
    """

    def __init__(self, settings: Settings):
        super().__init__(Connection(settings))
        open_indices(self.connection)

    def close(self) -> None:
        self.connection.close()
