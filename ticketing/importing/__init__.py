"""CSV and JSON Lines of any desk into tickets: mapping, dry run, rejects."""

from ticketing.importing.load import (
    ImportReport,
    Source,
    dated_to_come,
    import_sources,
    open_source,
    read_tickets,
)
from ticketing.importing.mapping import Comments, Mapping, read_mapping

__all__ = [
    "Comments",
    "ImportReport",
    "Mapping",
    "Source",
    "dated_to_come",
    "import_sources",
    "open_source",
    "read_mapping",
    "read_tickets",
]
