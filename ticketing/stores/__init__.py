"""Where tickets, judgments, jobs and codes live: narrow protocols, one contract suite."""

from pathlib import Path

from ticketing.errors import InputError
from ticketing.masking import masked
from ticketing.settings import FOLDER, Settings
from ticketing.stores.protocols import Store
from ticketing.stores.sqlite import SQLiteStore


def open_store(settings: Settings) -> Store:
    """The store that the settings name: SQLite below home where they name none, or at
    sqlite:///folder; Elasticsearch at http(s)://host:port, or at several, with commas between.

    Raises InputError for an address of no known kind, StoreError, StoreAway.
    """
    address = settings.store
    if not address:
        return SQLiteStore(settings.home)
    if address.startswith(FOLDER):
        return SQLiteStore(Path(address.removeprefix(FOLDER)))
    if address.startswith(("http://", "https://")):
        from ticketing.stores.elasticsearch import ElasticsearchStore  # most desks need no client

        return ElasticsearchStore(settings)
    raise InputError(
        f"The store {masked(address)!r} is of no known kind; leave TICKETING_STORE empty for"
        " SQLite, or name a server as http://host:9200 or https://host:9200."
    )
