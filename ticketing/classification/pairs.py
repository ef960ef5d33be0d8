"""Sampling of training pairs by stage; each stage includes the earlier ones.

The stages are: 0 titles of one group; 1 typos; 2 synonyms; 3 extra words; 4 verdicts on proposals.
A batch contains similar groups, so that the negatives of a pair are those with which it is
confused.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from ticketing.classification.augmentation import extra_words, typos
from ticketing.classification.labels import CategoryLabel
from ticketing.classification.matchers import character_tfidf
from ticketing.classification.synonyms import Synonyms
from ticketing.classification.taxonomy import Taxonomy
from ticketing.files import short_digest

SUBSTITUTED, DELETED = 0.20, 0.05
"""Shares of substituted and deleted characters in titles with typos (Neculoiu et al. 2016)."""
LIGHT = 0.25
"""Factor of these shares for the other text of a pair."""
NEIGHBOURS = 15
"""Number of similar groups from which a batch may draw, beside a group."""
DENIED = 4
"""Number of titles of a group with which a text with a NO verdict is paired at a time."""
_AT_A_TIME = 256


class SamplingSettings(BaseModel):
    """Settings of the sampling of pairs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: int = Field(
        4,
        ge=0,
        le=4,
        description="kinds of pairs added: 1 typos, 2 also synonyms, 3 also extra words, 4 "
        "also people's verdicts",
    )
    close: int = Field(
        4, gt=0, description="number of similar groups drawn together; 1 draws all groups at random"
    )
    typos: float = Field(0.1, ge=0, le=1, description="share of pairs with typos")
    synonyms: float = Field(0.15, ge=0, le=1, description="share of pairs with a synonym")
    extra_words: float = Field(0.15, ge=0, le=1, description="share of pairs with extra words")
    labels: float = Field(
        0.1, ge=0, le=1, description="number of people's verdicts drawn for each other pair"
    )


class Pair(NamedTuple):
    """Two texts of one group, or (`same` False) two with a NO verdict."""

    one: str
    other: str
    group: str
    same: bool = True


Block = list[Pair]


@dataclass(frozen=True)
class Sources:
    """The sources of training pairs."""

    taxonomy: Taxonomy
    synonyms: Synonyms
    words: Sequence[str]
    labels: Sequence[CategoryLabel] = ()
    codes: Mapping[str, str] = field(default_factory=dict)
    """For each group, its place in a hierarchy with one character per level ("2166"), if there is
    one."""

    @cached_property
    def digest(self) -> str:
        """Digest of all sources: sixteen hex digits."""
        return short_digest(
            [(title.text, title.group) for title in self.taxonomy.titles],
            self.synonyms.pairs,
            list(self.words),
            [(label.text, label.group, label.right) for label in self.labels],
            sorted(self.codes.items()),
        )


class PairSampler:
    """Draws the blocks of an epoch. Each consists of a group, some similar groups, and a pair of
    each."""

    def __init__(self, sources: Sources, settings: SamplingSettings):
        self.settings = settings
        self._sources = sources
        self._groups = sources.taxonomy.groups
        self._close = close_groups(sources.taxonomy)
        self._labels = [
            (label, _place(label.text, self._groups[label.group]))
            for label in sources.labels
            if label.group in self._groups
        ]

    def blocks(self, chance: random.Random) -> list[Block]:
        """As many pairs as there are titles; each group has its share of them."""
        titles = list(self._sources.taxonomy.titles)
        chance.shuffle(titles)
        return [self._block(title.group, chance) for title in titles[:: self.settings.close]]

    def _block(self, group: str, chance: random.Random) -> Block:
        close = self._close[group]
        others = chance.sample(close, min(self.settings.close - 1, len(close)))
        block = [self._pair(name, chance) for name in (group, *others)]
        if self.settings.stage >= 4 and self._labels:
            wanted = self.settings.labels * len(block)
            for _ in range(int(wanted + chance.random())):
                block += self._labelled(*chance.choice(self._labels), chance)
        return block

    def _labelled(self, label: CategoryLabel, place: int, chance: random.Random) -> list[Pair]:
        """A YES pairs a text with one title of the group, a NO with several of them, except the
        text itself, which may be the title at `place`."""
        known = _others(self._groups[label.group], place, 1 if label.right else DENIED, chance)
        return [Pair(label.text, title, label.group, label.right) for title in known]

    def _pair(self, group: str, chance: random.Random) -> Pair:
        texts = self._groups[group]
        place = chance.randrange(len(texts))
        one, other = texts[place], self._partner(place, texts, chance)
        if self.settings.stage >= 1 and chance.random() < self.settings.typos:
            one = typos(one, SUBSTITUTED * LIGHT, DELETED * LIGHT, chance)
        return Pair(one, other, group)

    def _partner(self, place: int, texts: Sequence[str], chance: random.Random) -> str:
        """The title at a place changed as the stage says, or another title of its group; the same
        title if there is no other."""
        settings, draw, text = self.settings, chance.random(), texts[place]
        if settings.stage >= 1 and draw < settings.typos:
            return typos(text, SUBSTITUTED, DELETED, chance)
        draw -= settings.typos
        if settings.stage >= 2 and 0 <= draw < settings.synonyms:
            return self._sources.synonyms.substitute(text, chance)
        draw -= settings.synonyms
        if settings.stage >= 3 and 0 <= draw < settings.extra_words:
            return extra_words(text, self._sources.words, chance)
        [other] = _others(texts, place, 1, chance) or [chance.choice(texts)]
        return other


def _place(text: str, texts: Sequence[str]) -> int:
    """The index of a text among others; their number if it is missing."""
    return texts.index(text) if text in texts else len(texts)


def _others(texts: Sequence[str], place: int, most: int, chance: random.Random) -> list[str]:
    """At most `most` texts drawn from all but the one at `place`, in time that does not depend on
    their number."""
    others = range(len(texts) - (place < len(texts)))
    drawn = chance.sample(others, min(most, len(others)))
    return [texts[i + (i >= place)] for i in drawn]


def close_groups(taxonomy: Taxonomy) -> dict[str, list[str]]:
    """For each group, those with the most similar titles (cosine of character TF-IDF)."""
    names = list(taxonomy.groups)
    rows = character_tfidf().fit_transform(" ".join(texts) for texts in taxonomy.groups.values())
    found = {}
    for start in range(0, len(names), _AT_A_TIME):
        likeness = (rows[start : start + _AT_A_TIME] @ rows.T).toarray()  # [some, groups]
        for name, alike in zip(names[start:], likeness, strict=False):
            nearest = np.argsort(-alike, kind="stable")[: NEIGHBOURS + 1]
            found[name] = [names[i] for i in nearest if names[i] != name][:NEIGHBOURS]
    return found
