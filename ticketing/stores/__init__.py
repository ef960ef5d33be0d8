"""Where tickets, judgments, jobs and codes live: one protocol, one contract suite."""

from ticketing.errors import InputError
from ticketing.settings import Settings
from ticketing.stores.protocol import TicketStore
from ticketing.stores.sqlite import SQLiteStore


def open_store(settings: Settings) -> TicketStore:
    """The store that the settings name. Raises InputError for an address of no known kind."""
    if not settings.store:
        return SQLiteStore(settings.home)
    if not settings.store.startswith(("http://", "https://")):
        raise InputError(
            f"TICKETING_STORE={settings.store!r} is of no known kind; leave it empty for SQLite,"
            " or name an Elasticsearch as http://host:9200 or https://host:9200."
        )
    from ticketing.stores.elasticsearch import ElasticsearchStore  # most desks need no client

    return ElasticsearchStore(settings)
