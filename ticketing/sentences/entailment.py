"""What one sentence says of another: a support vector machine on features of the pair.

MaLSTM's features are |a - b| and a * b of its two vectors, as in section 5.3 of Mueller and
Thyagarajan (2016), for each of a model's networks.
"""

from collections.abc import Sequence

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ticketing.sentences.model import SentenceModel
from ticketing.sentences.pairs import Pair

PENALTIES = (0.3, 1.0, 3.0, 10.0)
FOLDS = 3


def pair_features(model: SentenceModel, pairs: Sequence[Pair]) -> np.ndarray:
    """float32 [n, 2 * widths of all networks]."""
    sides = zip(
        model.encode([pair.one for pair in pairs]),
        model.encode([pair.other for pair in pairs]),
        strict=True,
    )
    return np.hstack([part for a, b in sides for part in (np.abs(a - b), a * b)])


def fit_judge(features: np.ndarray, pairs: Sequence[Pair], seed: int = 0) -> GridSearchCV:
    """A classifier of features [n, any] whose penalty is chosen by cross-validation."""
    return GridSearchCV(
        make_pipeline(StandardScaler(), SVC(cache_size=500)),
        {"svc__C": PENALTIES},
        cv=StratifiedKFold(FOLDS, shuffle=True, random_state=seed),
    ).fit(features, [pair.judgment for pair in pairs])


def accuracy(judge: GridSearchCV, features: np.ndarray, pairs: Sequence[Pair]) -> float:
    """Share of pairs judged as people did, in percent."""
    return 100 * float(judge.score(features, [pair.judgment for pair in pairs]))
