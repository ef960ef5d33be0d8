"""Labels: derived from judgment events, imported and exported.

- `derive`: makes labels from judgment events.
- `load`, `export`: import and export of judgments and labels.
- `events`: a judgment event as one JSON object.
- `columns`: which columns of a file hold a label.
- `known`: finds the judged query that a row of an exported labels.csv belongs to.
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
