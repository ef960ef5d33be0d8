"""Varimax rotation: rotates the axes of a matrix so that each column is large for few rows and
small for most.

Kaiser (1958), "The varimax criterion for analytic rotation in factor analysis". Rohe and Zeng
(2023), "Vintage factor analysis with varimax performs statistical inference", show that it recovers
the topics of a topic model from components that mix them.
"""

import numpy as np
import numpy.typing as npt

ITERATIONS = 60
GAIN = 1e-5
"""Stop when the relative gain of the criterion is below this."""


def varimax(loadings: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Rotate [rows, columns], float64; each column is given the sign that makes its large values
    positive.

    Lengths of rows and angles between them do not change. The rotation starts from the given axes,
    so the same matrix gives the same order of columns.
    """
    given = loadings.astype(np.float64)
    rotation = np.eye(given.shape[1])
    reached = 0.0
    for _ in range(ITERATIONS):
        turned = given @ rotation  # [rows, columns]
        squares = turned * turned
        gradient = given.T @ (turned * (squares - squares.mean(0)))  # [columns, columns]
        left, strengths, right = np.linalg.svd(gradient)
        rotation = left @ right
        if strengths.sum() <= reached * (1 + GAIN):
            break
        reached = strengths.sum()
    turned = given @ rotation
    return turned * np.where((turned**3).sum(0) < 0, -1, 1)
