"""Import of CSV, TSV and JSON Lines files into tickets.

- `mapping`: which column holds which field.
- `survey`: reads a file once before anything is stored.
- `convert`: turns one row into one ticket.
- `load`: reads the tickets of files and stores them batch by batch.
- `places`: where each id was first given, to report repeated ids.
"""

from ticketing.importing.load import (
    ImportReport,
    Source,
    import_sources,
    open_source,
)
from ticketing.importing.mapping import Comments, Mapping, read_mapping

__all__ = [
    "Comments",
    "ImportReport",
    "Mapping",
    "Source",
    "import_sources",
    "open_source",
    "read_mapping",
]
