"""Stores: where tickets, judgments, jobs, codes and accounts are kept.

- `protocols`: the interfaces of a store. `sqlite` and `elasticsearch` implement them and pass the
  same tests; a method of theirs without a docstring does what its protocol says.
- `history`, `people`, `jobs`, `schedules`, `files`, `blocks`, `checks`: code that both stores
  share. `blocks` are the codes for a scan, `checks` validate values before a write.
- `visible`, `visible_events`, `delegating`: a store as people of some groups see it. `delegating`
  holds the methods that need no filter.
- `snapshot`, `migration`, `replacement`: a store as of one moment, a copy from one store to
  another, and one store put in the place of another.
- `damage`: findings of a check for damage.
"""

from ticketing.errors import InputError
from ticketing.redaction import masked
from ticketing.settings import FOLDER, Settings, folder_of
from ticketing.stores.protocols import Store
from ticketing.stores.sqlite import SQLiteStore


def open_store(settings: Settings) -> Store:
    """Open the store that the settings name.

    An empty address is SQLite in the home, `sqlite:///folder` is SQLite in that folder, and
    `http(s)://host:port` (or several, separated by commas) is Elasticsearch.

    Raises InputError for an address of an unknown kind, StoreError, StoreAway.
    """
    address = settings.store
    if not address:
        return SQLiteStore(settings.home)
    if address.startswith(FOLDER):
        return SQLiteStore(folder_of(address))
    if address.startswith(("http://", "https://")):
        from ticketing.stores.elasticsearch import ElasticsearchStore  # most desks need no client

        return ElasticsearchStore(settings)
    raise InputError(
        f"The store {masked(address)!r} is of no known kind; name a server as"
        f" http://host:9200 or https://host:9200, or a folder as {FOLDER}/srv/desk, or leave"
        " TICKETING_STORE empty for SQLite in the home."
    )
