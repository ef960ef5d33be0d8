"""A trained subject normaliser: the network and the titles it chooses among."""

import copy
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

from ticketing.classification.matchers import SpellingMatcher, TfidfMatcher
from ticketing.classification.network import CategoryNetwork, CategorySettings
from ticketing.classification.taxonomy import Taxonomy, Title, normalise
from ticketing.errors import BundleError
from topic_models.errors import ModelFileError
from topic_models.files import load_model, save_model

KIND = "categories"


@dataclass(frozen=True)
class Suggestion:
    """A proposed group, the known title that speaks for it, and their score (1 for the same)."""

    group: str
    title: str
    score: float


class CategoryModel:
    """Finds the known titles nearest to a text; a text's groups are theirs."""

    def __init__(
        self, network: CategoryNetwork, taxonomy: Taxonomy, vectors: np.ndarray, facts: Mapping
    ):
        self.network = network
        self.taxonomy = taxonomy
        self.vectors = vectors  # [texts, width]
        self.facts = dict(facts)

    @cached_property
    def id(self) -> str:
        """Sixteen hex digits that depend on nothing but what the model answers with."""
        return hashlib.sha256(self.vectors.tobytes()).hexdigest()[:16]

    @classmethod
    def index(cls, network: CategoryNetwork, taxonomy: Taxonomy, facts: Mapping) -> "CategoryModel":
        """A model over all titles of a taxonomy."""
        return cls(network, taxonomy, network.encode(taxonomy.texts), facts)

    @cached_property
    def _lexical(self) -> TfidfMatcher:
        return TfidfMatcher(self.taxonomy.texts)

    @cached_property
    def _spelling(self) -> SpellingMatcher:
        return SpellingMatcher(self.taxonomy.texts)

    def scores(self, queries: Sequence[str]) -> np.ndarray:
        """Scores of texts with all known ones, 1 for the same: [queries, texts].

        The weighted mean of the energy and of the cosine of character TF-IDF: what the network
        makes of a text, and the letters themselves, which a rare name needs. A near spelling of
        a text with a word that nobody knows has its mean with 1, weighted by how near it is.
        """
        settings, texts = self.network.settings, [normalise(query) for query in queries]
        scores = self.network.encode(queries) @ self.vectors.T
        if settings.lexical:
            scores += settings.lexical * self._lexical.scores(texts)
            scores /= 1 + settings.lexical
        if settings.spelling:
            near = settings.spelling * self._spelling.scores(texts)
            scores = (scores + near) / (1 + near)
        return scores

    def suggest(self, subject: str, limit: int = 3) -> list[Suggestion]:
        """The groups of the nearest titles, nearest first; ties in the order of the taxonomy."""
        texts, groups_of = self.taxonomy.texts, self.taxonomy.groups_of
        [scores] = self.scores([subject])
        found: dict[str, Suggestion] = {}
        for i in np.argsort(-scores, kind="stable"):
            for group in sorted(groups_of[texts[i]]):
                found.setdefault(group, Suggestion(group, texts[i], float(scores[i])))
            if len(found) >= limit:
                break
        return list(found.values())[:limit]

    def save(self, folder: Path) -> None:
        """Write the model's folder in one go; an older model there is replaced."""
        arrays = {f"network/{k}": v.numpy() for k, v in self.network.state_dict().items()}
        about = {
            "network": self.network.settings.model_dump(),
            "characters": self.network.characters,
            "titles": [[title.text, title.group] for title in self.taxonomy.titles],
            "facts": self.facts,
        }
        save_model(folder, KIND, about, {**arrays, "vectors": self.vectors})

    @classmethod
    def load(cls, folder: Path) -> "CategoryModel":
        """Raises BundleError where the folder holds no whole model."""
        try:
            about, arrays = load_model(folder, KIND)
            network = CategoryNetwork(
                about["characters"], CategorySettings.model_validate(about["network"])
            )
            weights = {
                name.removeprefix("network/"): torch.from_numpy(array)
                for name, array in arrays.items()
                if name.startswith("network/")
            }
            network.load_state_dict(weights)
            taxonomy = Taxonomy(Title(text, group) for text, group in about["titles"])
            return cls(network.eval(), taxonomy, arrays["vectors"], about["facts"])
        except (ModelFileError, KeyError, ValueError, RuntimeError) as error:
            raise BundleError(f"{error} Run `ticketing categories train` again.") from None


def continued(network: CategoryNetwork) -> CategoryNetwork:
    """A copy of a network to train further."""
    return copy.deepcopy(network)
