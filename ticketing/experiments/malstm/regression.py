"""Ratings from all channels at once: kernel ridge regression, a non-parametric one.

Mueller and Thyagarajan (2016) end with a non-parametric regression from g to ratings; this is the
same step with more to go by than one number.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from ticketing.evaluation.isotonic import HIGHEST, LOWEST

WIDTH = 0.06
"""The kernel is exp(-WIDTH * squared distance) of weighted features."""
PENALTY = 0.5
"""Both, and WEIGHTS, chosen by the error on left-out training pairs."""
WEIGHTS = {"h": 4.0, "E": 0.5, "L": 4.0, "S": 1.0}
"""How much each channel counts beside the others."""


class Balance:
    """Standardises features and divides them by the root of their channel's width, so that each
    channel counts by its weight (1 where none is given), however wide it is."""

    def __init__(self, channels: Sequence[npt.NDArray[np.floating]], weights: Sequence[float] = ()):
        raw = np.hstack(channels)
        shares = [
            c.shape[1] / w for c, w in zip(channels, weights or [1] * len(channels), strict=True)
        ]
        shared = np.repeat(shares, [c.shape[1] for c in channels])
        self._mean, self._scale = raw.mean(0), (raw.std(0) + 1e-9) * np.sqrt(shared)

    def __call__(self, channels: Sequence[npt.NDArray[np.floating]]) -> npt.NDArray[np.float32]:
        """Channels [n, any] -> float32 [n, dims of all]."""
        balanced: npt.NDArray[np.floating] = (np.hstack(channels) - self._mean) / self._scale
        return balanced.astype(np.float32)


class KernelRegression:
    """Gaussian kernel ridge regression of ratings [n] on weighted channels of features [n, any].

    `left_out` [n] holds what it would have said of each pair, had that pair been left out.
    """

    def __init__(
        self,
        channels: Sequence[npt.NDArray[np.floating]],
        ratings: Sequence[float],
        weights: Sequence[float] = (),
    ):
        self._balance = Balance(channels, weights)
        self._known = torch.from_numpy(self._balance(channels))  # [n, dims]
        wanted = torch.tensor(ratings, dtype=torch.float32)
        self._middle = wanted.mean()
        penalised = _kernel(self._known, self._known) + PENALTY * torch.eye(len(wanted))
        inverse = torch.cholesky_inverse(torch.linalg.cholesky(penalised))  # [n, n]
        self._weights = inverse @ (wanted - self._middle)  # [n]
        self.left_out = _on_scale((wanted - self._weights / inverse.diagonal()).numpy())

    def predict(self, channels: Sequence[npt.NDArray[np.floating]]) -> npt.NDArray[np.float32]:
        """Ratings, 1 to 5: [n]."""
        kernel = _kernel(torch.from_numpy(self._balance(channels)), self._known)
        return _on_scale((kernel @ self._weights + self._middle).numpy())


def _kernel(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """[n, dims] and [m, dims] -> [n, m]."""
    return torch.exp(-WIDTH * torch.cdist(one, other).square())


def _on_scale(ratings: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return ratings.clip(LOWEST, HIGHEST)
