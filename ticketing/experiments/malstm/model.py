"""A trained model: some networks, their mean similarity, and its calibration to 1 to 5."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from ticketing.errors import BundleError
from ticketing.experiments.malstm.network import SentenceNetwork, SentenceSettings
from ticketing.experiments.malstm.sick import words
from ticketing.experiments.malstm.word_vectors import WordVectors
from ticketing.model.calibration import fit_scores
from topic_models.errors import ModelFileError
from topic_models.files import load_model, save_model

KIND = "sentences"
HELD = ("held", "held_similarity", "held_ratings")


class SentenceModel:
    """Relatedness of sentences: the mean g of some networks, mapped to ratings.

    `held` numbers the pairs that were kept from a network while it learnt, `held_similarity`
    says how alike that network found each, and `held_ratings` what people said: from these
    comes the calibration.
    """

    def __init__(
        self,
        vectors: WordVectors,
        networks: Sequence[SentenceNetwork],
        held: np.ndarray,
        held_similarity: np.ndarray,
        held_ratings: np.ndarray,
    ):
        self.vectors = vectors
        self.networks = list(networks)
        self.held, self.held_similarity, self.held_ratings = held, held_similarity, held_ratings
        self._knots, self._scores = fit_scores(1 - held_similarity, held_ratings)

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

    def calibrated(self, similarity: np.ndarray) -> np.ndarray:
        """Ratings for g, 1 to 5: [n] -> [n]."""
        return np.interp(1 - similarity, self._knots, self._scores)

    def save(self, folder: Path) -> None:
        """Write the model's folder in one go; an older model there is replaced."""
        arrays = {"vectors": self.vectors.matrix} | {name: getattr(self, name) for name in HELD}
        for number, network in enumerate(self.networks):
            arrays |= {f"{number}/{k}": v.numpy() for k, v in network.state_dict().items()}
        about = {
            "words": self.vectors.words,
            "network": self.networks[0].settings.model_dump(),
            "members": len(self.networks),
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
            return cls(vectors, networks, *(arrays[name] for name in HELD))
        except (ModelFileError, KeyError, ValueError, RuntimeError) as error:
            raise BundleError(f"{error} Train it again.") from None
