"""How solutions differ from problems in channel E, estimated from the sample of the archive in a
model."""

import numpy as np
import numpy.typing as npt

from ticketing.model.inference import Model

SOLUTION = "SOL2"


def solving(model: Model) -> npt.NDArray[np.float32]:
    """The direction from problems to solutions in channel E: float32 [dims], of length at most 1;
    zeros for a model without channel E or without solutions.

    It is the mean of the sample's solutions minus the mean of its subjects and descriptions. It is
    shrunk by the share of its squared length that chance explains, so it is shorter for small
    samples (positive-part James-Stein estimator).
    """
    channels, components = model.settings.dense_channels, model.settings.ticket_components
    nothing = np.zeros(model.words.table.shape[1], np.float32)
    if "E" not in channels or not len(model.anchors):
        return nothing
    rows, layout = model.anchors, model.layout
    vectors = layout.channel(layout.dense(rows), channels.index("E"))  # [n, R, dims]
    present = (rows[:, -1:] >> np.arange(layout.components)) & 1 == 1  # [n, R]
    solves = present & (np.array(components) == SOLUTION)
    solutions, problems = vectors[solves], vectors[present & ~solves]  # [m, dims] both
    if not (len(solutions) and len(problems)):
        return nothing
    apart = solutions.mean(0) - problems.mean(0)
    square = max(float(apart @ apart), 1e-12)
    chance = _chance(solutions) + _chance(problems)
    direction: npt.NDArray[np.float32] = apart / np.sqrt(square) * max(0.0, 1 - chance / square)
    return direction


def _chance(vectors: npt.NDArray[np.float32]) -> float:
    """Expected squared error of the mean of vectors [n, dims]."""
    return float(vectors.var(0).sum()) / len(vectors)
