"""CSV and JSON Lines of any desk into tickets: mapping, dry run, rejects.

`mapping` says which column is which field, `survey` reads a file once before anything is stored,
`convert` makes a ticket of a row, `load` puts tickets batch by batch, and `places` remembers where
each id was given first.
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
