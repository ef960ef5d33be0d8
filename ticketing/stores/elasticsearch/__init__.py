"""ElasticsearchStore: a desk's store on servers, for as many machines as you like.

Each module here is one of the protocols that a store has: `tickets`, `judgments`, `verdicts`,
`history`, `codes` (with `topics`, `candidates`, and `mirrors` of all in memory, each a `mirror`),
`serving`, `jobs`, `leases`, `schedules`, `people`, `files`. All stand on `connection`, whose
`client` asks the server and whose `faults` say what it could not do; `documents` are what is
written.

`indices` says what lies where, `opening` makes or updates that, `resizing` and `copying` give an
index other shards. `copies` says how the copies of one thing are kept alike, `checking` finds
damage. No step needs a script or a lock: a document is written under the condition that it is still
as it was read.
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

    Raises StoreAway when no server answers, StoreError for a server, credentials, a
    certificate or indices that cannot be used, InputError for settings that contradict.
    """

    def __init__(self, settings: Settings):
        super().__init__(Connection(settings))
        open_indices(self.connection)

    def close(self) -> None:
        """Release connections; the store can't be used afterwards."""
        self.connection.close()
