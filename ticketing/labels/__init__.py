"""Labels: derived from judgment events, imported and exported.

- `derive`: makes labels from judgment events.
- `load`, `export`: import and export of judgments and labels.
- `events`: a judgment event as one JSON object.
- `columns`, `grades`: which columns of a file hold a label, and what its values mean.
- `rows`: what a row says, as a judgment event.
- `known`: finds the judged query that a row of an exported labels.csv belongs to.
"""

from ticketing.labels.columns import Columns
from ticketing.labels.derive import derive_labels, is_test
from ticketing.labels.export import export_labels
from ticketing.labels.grades import read_grades
from ticketing.labels.load import LabelReport, import_labels
from ticketing.labels.rows import IMPORT

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
