"""Where tickets, judgments, jobs and codes live: narrow protocols, one contract suite.

`protocols` says what a store does; `sqlite` and `elasticsearch` are the two that do it. Some of it
is alike in both, or has a module of its own: `history`, `people`, `jobs`, `schedules`, `files`, the
`blocks` in which codes are handed out, and the `checks` before anything is written.

A person sees a store through `visible`: their groups' tickets, their events (`visible_events`), and
the rest as it is (`delegating`). A `snapshot` is a store as of one moment, `migration` copies one
to another, `replacement` puts one in the place of another, and `damage` is what checking finds.
"""

from ticketing.errors import InputError
from ticketing.redaction import masked
from ticketing.settings import FOLDER, Settings, folder_of
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
        return SQLiteStore(folder_of(address))
    if address.startswith(("http://", "https://")):
        from ticketing.stores.elasticsearch import ElasticsearchStore  # most desks need no client

        return ElasticsearchStore(settings)
    raise InputError(
        f"The store {masked(address)!r} is of no known kind; name a server as"
        f" http://host:9200 or https://host:9200, or a folder as {FOLDER}/srv/desk, or leave"
        " TICKETING_STORE empty for SQLite in the home."
    )
