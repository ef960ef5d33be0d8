"""Labels: `derive` makes them from judgment events, `load` imports and `export` writes them.

`events` writes a judgment as one JSON object, `columns` says where a file has what, and `known`
finds the judged query that a row of an exported labels.csv is about.
"""

from ticketing.labels.columns import Columns
from ticketing.labels.derive import derive_labels, is_test
from ticketing.labels.export import export_labels
from ticketing.labels.load import IMPORT, LabelReport, import_labels, read_grades

__all__ = [
    "IMPORT",
    "Columns",
    "LabelReport",
    "derive_labels",
    "export_labels",
    "import_labels",
    "is_test",
    "read_grades",
]
