"""What one sentence says of another: a support vector machine on features of the pair.

MaLSTM's features are |a - b| and a * b of its two vectors, as in section 5.3 of Mueller and
Thyagarajan (2016), for each of a model's networks.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from ticketing.experiments.malstm.model import SentenceModel
from ticketing.experiments.malstm.regression import Balance
from ticketing.experiments.malstm.sick import Pair

PENALTIES = (1.0, 3.0, 10.0)
FOLDS = 3


def pair_features(model: SentenceModel, pairs: Sequence[Pair]) -> npt.NDArray[np.float32]:
    """float32 [n, 2 * widths of all networks]."""
    sides = zip(
        model.encode([pair.one for pair in pairs]),
        model.encode([pair.other for pair in pairs]),
        strict=True,
    )
    return np.hstack([part for a, b in sides for part in (np.abs(a - b), a * b)])


class EntailmentClassifier:
    """A support vector machine with a Gaussian kernel; its penalty is chosen by cross-validation.

    The kernel is computed once for all penalties and folds, which takes most of the time.
    """

    def __init__(
        self, channels: Sequence[npt.NDArray[np.floating]], pairs: Sequence[Pair], seed: int = 0
    ):
        self._balance = Balance(channels)
        self._width = 1 / len(channels)
        self._known = self._balance(channels)  # [n, dims]
        search = GridSearchCV(
            SVC(kernel="precomputed"),
            {"C": PENALTIES},
            cv=StratifiedKFold(FOLDS, shuffle=True, random_state=seed),
        )
        self._search = search.fit(self._kernel(self._known), [pair.judgment for pair in pairs])

    def accuracy(
        self, channels: Sequence[npt.NDArray[np.floating]], pairs: Sequence[Pair]
    ) -> float:
        """Share of pairs judged as people did, in percent."""
        kernel = self._kernel(self._balance(channels))
        return 100 * float(self._search.score(kernel, [pair.judgment for pair in pairs]))

    def _kernel(self, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """[m, dims] -> [m, n]."""
        kernel: npt.NDArray[np.float32] = rbf_kernel(features, self._known, gamma=self._width)
        return kernel
