"""Import of CSV, TSV and JSON Lines files into tickets.

- `mapping`: which column holds which field.
- `survey`: reads a file once before anything is stored.
- `convert`: turns one row into one ticket.
- `load`: stores the tickets batch by batch, or only reports in a dry run.
- `places`: where each id was first given, to report repeated ids.
"""

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
