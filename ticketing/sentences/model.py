"""A trained model: some networks, their mean similarity, and its calibration to 1 to 5."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from ticketing.errors import BundleError
from ticketing.sentences.network import SentenceNetwork, SentenceSettings
from ticketing.sentences.pairs import words
from ticketing.sentences.vectors import WordVectors
from topic_models.errors import ModelFileError
from topic_models.files import load_model, save_model

KIND = "sentences"


class SentenceModel:
    """Relatedness of sentences: the mean g of some networks, mapped to ratings.

    Ratings `scores` are interpolated over ascending distances 1 - g, the `knots`.
    """

    def __init__(
        self,
        vectors: WordVectors,
        networks: Sequence[SentenceNetwork],
        knots: Sequence[float],
        scores: Sequence[float],
    ):
        self.vectors = vectors
        self.networks = list(networks)
        self.knots, self.scores = list(knots), list(scores)

    def encode(self, sentences: Sequence[str]) -> list[np.ndarray]:
        """By network the vectors of sentences, which need a word each: float32 [n, width]."""
        ids = [self.vectors.ids(words(sentence)) for sentence in sentences]
        return [network.encode(ids) for network in self.networks]

    def similarity(self, one: Sequence[str], other: Sequence[str]) -> np.ndarray:
        """Mean g of n pairs: [n]."""
        sides = zip(self.networks, self.encode(one), self.encode(other), strict=True)
        found = [
            network.similarity(torch.from_numpy(a), torch.from_numpy(b)).detach().numpy()
            for network, a, b in sides
        ]
        return np.mean(found, axis=0)

    def relatedness(self, one: Sequence[str], other: Sequence[str]) -> np.ndarray:
        """Ratings of n pairs, 1 to 5: [n]."""
        return np.interp(1 - self.similarity(one, other), self.knots, self.scores)

    def save(self, folder: Path) -> None:
        """Write the model's folder in one go; an older model there is replaced."""
        arrays = {"vectors": self.vectors.matrix}
        for number, network in enumerate(self.networks):
            arrays |= {f"{number}/{k}": v.numpy() for k, v in network.state_dict().items()}
        about = {
            "words": self.vectors.words,
            "network": self.networks[0].settings.model_dump(),
            "members": len(self.networks),
            "knots": self.knots,
            "scores": self.scores,
        }
        save_model(folder, KIND, about, arrays)

    @classmethod
    def load(cls, folder: Path) -> "SentenceModel":
        """Raises BundleError where the folder holds no whole model."""
        try:
            about, arrays = load_model(folder, KIND)
            vectors = WordVectors(about["words"], arrays.pop("vectors"))
            settings = SentenceSettings.model_validate(about["network"])
            networks = [SentenceNetwork(vectors, settings) for _ in range(about["members"])]
            for number, network in enumerate(networks):
                own = f"{number}/"
                weights = {k: torch.from_numpy(v) for k, v in arrays.items() if k.startswith(own)}
                network.load_state_dict({k.removeprefix(own): v for k, v in weights.items()})
                network.eval()
            return cls(vectors, networks, about["knots"], about["scores"])
        except (ModelFileError, KeyError, ValueError, RuntimeError) as error:
            raise BundleError(f"{error} Train it again.") from None
