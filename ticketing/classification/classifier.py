"""The trained category classifier: an encoder and the known titles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ticketing.classification.chance import Chance
from ticketing.classification.encoder import CategoryEncoder, CategorySettings
from ticketing.classification.matchers import Scores, SpellingMatcher, TfidfMatcher
from ticketing.classification.taxonomy import Taxonomy, Title, normalise
from ticketing.model.registry import Registry
from ticketing.tickets import ModelKind

FROM_TICKETS, FROM_FILE = "tickets", "file"
"""Sources of titles in a bundle's manifest."""


@dataclass(frozen=True)
class Suggestion:
    """A proposed group, the known title that led to it, their score (1 for equal titles), and the
    chance that the group is right; None if there were too few validation titles."""

    group: str
    title: str
    score: float
    chance: float | None = None


class CategoryClassifier:
    """Finds the known titles nearest to a text, and their groups."""

    def __init__(
        self,
        encoder: CategoryEncoder,
        taxonomy: Taxonomy,
        vectors: npt.NDArray[np.float32],
        facts: Mapping[str, Any],
        id: str = "",
    ):
        self.encoder = encoder
        self.taxonomy = taxonomy
        self.vectors = vectors  # [texts, width]
        self.facts = dict(facts)
        self.id = id  # of its bundle, once it has one

    @classmethod
    def index(
        cls, encoder: CategoryEncoder, taxonomy: Taxonomy, facts: Mapping[str, Any]
    ) -> "CategoryClassifier":
        """A classifier over all titles of a taxonomy."""
        return cls(encoder, taxonomy, encoder.encode(taxonomy.texts), facts)

    @cached_property
    def _lexical(self) -> TfidfMatcher:
        return TfidfMatcher(self.taxonomy.texts)

    @cached_property
    def _spelling(self) -> SpellingMatcher:
        return SpellingMatcher(self.taxonomy.texts)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Similarity of texts with all known ones, 1 for equal texts: [queries, texts].

        The weighted mean of the energy (the network's cosine) and of the cosine of character
        TF-IDF, which rare names need. If a query has an unknown word and is a near spelling of a
        text, its score is moved towards 1, by how near the spelling is.
        """
        settings, texts = self.encoder.settings, [normalise(query) for query in queries]
        scores: Scores = self.encoder.encode(queries) @ self.vectors.T
        if settings.lexical:
            scores += settings.lexical * self._lexical.scores(texts)
            scores /= 1 + settings.lexical
        if settings.spelling:
            near = settings.spelling * self._spelling.scores(texts)
            scores = (scores + near) / (1 + near)
        return scores

    def suggest(self, subject: str, limit: int = 3) -> list[Suggestion]:
        """The groups of the nearest titles, nearest first; ties in the order of the taxonomy."""
        found: dict[str, Suggestion] = {}
        for item in self.nearest(subject):
            found.setdefault(item.group, item)
            if len(found) == limit:
                break
        return list(found.values())

    def nearest(self, subject: str) -> Iterator[Suggestion]:
        """Every title in each of its groups, nearest first; ties in the order of the taxonomy."""
        texts, groups_of = self.taxonomy.texts, self.taxonomy.groups_of
        [scores] = self.scores([subject])
        for i in np.argsort(-scores, kind="stable"):
            score = float(scores[i])
            for group in sorted(groups_of[texts[i]]):
                yield Suggestion(group, texts[i], score, self._chance_of(score))

    def _chance_of(self, score: float) -> float | None:
        learned = self.facts.get("chance")
        return Chance(**learned).of(score) if learned else None

    def save(self, models: Registry) -> str:
        """Write the classifier's bundle; returns its id."""
        titles, subjects = self.taxonomy.titles, self.taxonomy.subjects
        facts = {
            "network": self.encoder.settings.model_dump(mode="json"),
            "data": {
                "titles": len(titles),
                "categories": len(self.taxonomy.groups),
                "origin": FROM_FILE if subjects is None else FROM_TICKETS,
            },
            "training": self.facts,
        }
        described: dict[str, Any] = {
            "characters": self.encoder.characters,
            "titles": [[title.text, title.group] for title in titles],
        }
        if subjects is not None:
            described["subjects"] = [list(subjects.get(title, ())) for title in titles]
        documents = {"taxonomy": described}
        arrays = {
            "network": dict(self.encoder.arrays),
            "titles": {"vectors": self.vectors},
        }
        return models.save(facts, documents, arrays, ModelKind.CATEGORIES)

    @classmethod
    def load(cls, models: Registry, bundle_id: str) -> "CategoryClassifier":
        """The classifier of a bundle. Raises NotFound, BundleError."""
        bundle = models.load(bundle_id, ModelKind.CATEGORIES)
        described = bundle.documents["taxonomy"]
        settings = CategorySettings.model_validate(bundle.manifest["network"])
        encoder = CategoryEncoder(described["characters"], settings, bundle.arrays["network"])
        titles = [Title(text, group) for text, group in described["titles"]]
        subjects = None
        if bundle.manifest["data"].get("origin") != FROM_FILE:  # one that does not say: of tickets
            spelled = described.get("subjects") or [[]] * len(titles)
            subjects = dict(zip(titles, spelled, strict=True))
        taxonomy = Taxonomy(titles, subjects)
        vectors = bundle.arrays["titles"]["vectors"]
        return cls(encoder, taxonomy, vectors, bundle.manifest["training"], bundle_id)
