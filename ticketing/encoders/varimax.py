"""Varimax: turn the axes of a matrix so that each column is large for few rows and small for most.

Kaiser (1958), "The varimax criterion for analytic rotation in factor analysis". Rohe and Zeng
(2023), "Vintage factor analysis with varimax performs statistical inference", show that it
recovers the topics of a topic model from components that mix them.
"""

import numpy as np
import numpy.typing as npt

ITERATIONS = 60
GAIN = 1e-5
"""Relative gain of the criterion below which the axes stay where they are."""


def varimax(loadings: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """[rows, columns] -> the same rows on turned axes, float64, the heavy end of each positive.

    Lengths of rows and angles between them stay as they are. Begins at the given axes, so that
    the same matrix gives the same order of columns.
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
