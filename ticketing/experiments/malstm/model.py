"""A trained model: some networks, their mean similarity, and its calibration to 1 to 5."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from ticketing.evaluation.isotonic import fit_scores
from ticketing.experiments.malstm.network import SentenceNetwork, SentenceSettings
from ticketing.experiments.malstm.sick import words
from ticketing.experiments.malstm.word_vectors import WordVectors
from ticketing.model.registry import Registry
from ticketing.tickets import ModelKind

CALIBRATION = ("validation", "validation_similarity", "validation_ratings")


class SentenceModel:
    """Relatedness of sentences: the mean g of some networks, mapped to ratings.

    `validation` numbers the pairs that a network did not learn from, `validation_similarity` says
    how alike that network found each, and `validation_ratings` what people said: from these comes
    the calibration.
    """

    def __init__(
        self,
        vectors: WordVectors,
        networks: Sequence[SentenceNetwork],
        validation: npt.NDArray[np.int64],
        validation_similarity: npt.NDArray[np.float32],
        validation_ratings: npt.NDArray[np.float64],
    ):
        self.vectors = vectors
        self.networks = list(networks)
        self.validation = validation
        self.validation_similarity = validation_similarity
        self.validation_ratings = validation_ratings
        self._knots, self._scores = fit_scores(1 - validation_similarity, validation_ratings)

    def encode(self, sentences: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """Each network's vectors of sentences, which need a word each: float32 [n, width]."""
        ids = [self.vectors.ids(words(sentence)) for sentence in sentences]
        return [network.encode(ids) for network in self.networks]

    def similarity(self, one: Sequence[str], other: Sequence[str]) -> npt.NDArray[np.float32]:
        """Mean g of n pairs: [n]."""
        sides = zip(self.networks, self.encode(one), self.encode(other), strict=True)
        found = [
            network.similarity(torch.from_numpy(a), torch.from_numpy(b)).detach().numpy()
            for network, a, b in sides
        ]
        mean: npt.NDArray[np.float32] = np.mean(found, axis=0)
        return mean

    def calibrated(self, similarity: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        """Ratings for g, 1 to 5: [n] -> [n]."""
        ratings: npt.NDArray[np.float64] = np.interp(1 - similarity, self._knots, self._scores)
        return ratings

    def save(self, models: Registry) -> str:
        """Write the model's bundle; returns its id."""
        facts = {"network": self.networks[0].settings.model_dump(), "members": len(self.networks)}
        arrays = {
            "vectors": {"vectors": self.vectors.matrix},
            "calibration": {name: getattr(self, name) for name in CALIBRATION},
        }
        for number, network in enumerate(self.networks):
            state = network.state_dict()
            arrays[f"network-{number}"] = {name: value.numpy() for name, value in state.items()}
        documents = {"vocabulary": {"words": self.vectors.words}}
        return models.save(facts, documents, arrays, ModelKind.SENTENCES)

    @classmethod
    def load(cls, models: Registry, bundle_id: str) -> "SentenceModel":
        """The model of a bundle. Raises NotFound, BundleError."""
        bundle = models.load(bundle_id, ModelKind.SENTENCES)
        words, matrix = bundle.documents["vocabulary"]["words"], bundle.arrays["vectors"]["vectors"]
        vectors = WordVectors(words, matrix)
        settings = SentenceSettings.model_validate(bundle.manifest["network"])
        networks = []
        for number in range(bundle.manifest["members"]):
            network = SentenceNetwork(vectors, settings)
            state = bundle.arrays[f"network-{number}"]
            network.load_state_dict(
                {name: torch.from_numpy(value) for name, value in state.items()}
            )
            networks.append(network.eval())
        return cls(vectors, networks, *(bundle.arrays["calibration"][name] for name in CALIBRATION))
