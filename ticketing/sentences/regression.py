"""Ratings from all channels at once: kernel ridge regression, a non-parametric one.

Mueller and Thyagarajan (2016) end with a non-parametric regression from g to ratings; this is the
same step with more to go by than one number.
"""

from collections.abc import Sequence

import numpy as np
import torch

from ticketing.siamese.calibration import HIGHEST, LOWEST

WIDTH = 0.12
"""Of the kernel: exp(-WIDTH * squared distance) of features whose channels weigh 1 each."""
PENALTY = 0.3
"""Both chosen by the error on left-out training pairs."""


class KernelRegression:
    """Gaussian kernel ridge regression on channels of features.

    A channel's features are standardised and divided by the root of their number, so that each
    channel counts alike, however wide it is.
    """

    def __init__(self, mean: np.ndarray, scale: np.ndarray, middle: float):
        self.mean, self.scale, self.middle = mean, scale, middle
        self.known = torch.zeros(0, len(mean))  # [n, dims]
        self.weights = torch.zeros(0)  # [n]

    @classmethod
    def fit(
        cls, channels: Sequence[np.ndarray], ratings: Sequence[float]
    ) -> tuple["KernelRegression", np.ndarray]:
        """Channels [n, any] and ratings [n] -> the regression, and what it would have said of
        each pair had that pair been left out [n]."""
        raw = np.hstack(channels)
        sizes = np.concatenate([np.full(c.shape[1], c.shape[1]) for c in channels])
        wanted = torch.tensor(ratings, dtype=torch.float32)
        own = cls(raw.mean(0), (raw.std(0) + 1e-9) * np.sqrt(sizes), float(wanted.mean()))
        own.known = torch.from_numpy(own.scaled(channels))
        penalised = _kernel(own.known, own.known) + PENALTY * torch.eye(len(raw))
        inverse = torch.cholesky_inverse(torch.linalg.cholesky(penalised))  # [n, n]
        own.weights = inverse @ (wanted - own.middle)
        left_out = wanted - own.weights / inverse.diagonal()
        return own, _on_scale(left_out.numpy())

    def scaled(self, channels: Sequence[np.ndarray]) -> np.ndarray:
        """Channels as the kernel sees them: float32 [n, dims]."""
        return ((np.hstack(channels) - self.mean) / self.scale).astype(np.float32)

    def predict(self, channels: Sequence[np.ndarray]) -> np.ndarray:
        """Ratings, 1 to 5: [n]."""
        kernel = _kernel(torch.from_numpy(self.scaled(channels)), self.known)
        return _on_scale((kernel @ self.weights + self.middle).numpy())


def _kernel(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """[n, dims] and [m, dims] -> [n, m]."""
    return torch.exp(-WIDTH * torch.cdist(one, other).square())


def _on_scale(ratings: np.ndarray) -> np.ndarray:
    return np.clip(ratings, LOWEST, HIGHEST)
