"""A model that knows a few words by vectors made by hand, and tickets to read with it."""

from types import SimpleNamespace

import numpy as np

from ticketing.model.layout import fit_layout
from ticketing.text.vocabulary import UNKNOWN, Vocabulary

VECTORS = {
    "pump": (1, 0, 0, 0),
    "compressor": (0.9, 0.3, 0, 0),
    "visible": (0, 1, 0, 0),
    "invisible": (0, 1, 0.1, 0),
    "vibrate": (0, 0, 1, 0),
    "vibration": (0, 0, 0.6, 0.8),
    "noise": (0, 0, 0.5, 0.5),
    "oil": (-1, 0, 0, 0),
    "rare": (1, 0.1, 0, 0),
}


def word_model(vectors=VECTORS, documents=1000, counts=None, archive=()) -> SimpleNamespace:
    """As much of a Model as words need; every word occurs in 10 tickets unless `counts` says.

    `archive` holds vectors of a sample: of a problem and of its solution each.
    """
    counts = {word: 10 for word in vectors} | (counts or {"rare": 1})
    table = np.array([[0] * 4, *vectors.values()], np.float32)
    vocabulary = Vocabulary(list(vectors), [counts[word] for word in vectors], documents)
    weights = np.array(vocabulary.idf(), np.float32)
    weights[UNKNOWN] = 0
    sample = np.array([*archive], np.float32).reshape(-1, 2, 4)
    present = np.ones((len(sample), 2), bool)
    layout = fit_layout([sample], present)
    return SimpleNamespace(
        vocabulary=vocabulary,
        words=SimpleNamespace(table=table, weights=weights),
        settings=SimpleNamespace(dense_channels=("E",), ticket_components=("SUB2", "SOL2")),
        layout=layout,
        anchors=layout.rows([sample], present) if archive else np.zeros((0, 0), np.uint8),
    )
