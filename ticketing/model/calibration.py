"""Calibration: turns distances into the chance that a ticket is a YES, and that any of those shown
is.

The chance of a ticket is the product of three probabilities, each from a logistic regression on
features of `Evidence`: that the archive covers the query's topic (`topic`); if so, that a YES is
among the first ten (`answered`); if so, that it is this ticket (`which`). So no ticket has a higher
chance than the ten together. Among the tickets of one query only rank and distance differ, and
`which` falls with both, so chances have strictly the order of the tickets.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from ticketing.files import Json
from ticketing.model.wording import Wording
from ticketing.recommendations import Outlook

Features = npt.NDArray[np.float64]

SHOWN = 10
"""Number of tickets shown, to which the chance of an answer refers."""

NEAREST = 100
"""Number of nearest tickets used as evidence."""

LEAST = 1e-4
"""Bounds of the chance of an answer: at least this, and at most 1 minus this. No calibration has
seen enough queries for more extreme values."""

BY_RANK = 1e-3
"""Share of `which` that depends on the rank alone, so that no two tickets have the same chance."""

LIKELY = 0.5
"""An answer is likely from this chance of a YES on."""

CLEARLY = 0.98
"""A chance limited to a lower outlook is at most this share of the next threshold."""


@dataclass(frozen=True)
class Evidence:
    """What is known about the best tickets of one query.

    `distances` float64 [n] are those of at least NEAREST tickets (or of all), best first, after
    rescoring. `apart` are the distances before rescoring. Rescoring compares tickets with each
    other, so only `apart` measures how far they are from the query. `typical` is the median
    distance of the query to a sample of the archive. `wording` compares the query's words with
    those of the NEAREST.
    """

    distances: npt.NDArray[np.float64]
    apart: npt.NDArray[np.float64]
    typical: float
    wording: Wording

    def kept(self, chosen: npt.NDArray[np.bool_]) -> "Evidence":
        """The evidence of some of the tickets: bool [n]."""
        return Evidence(
            self.distances[chosen],
            self.apart[chosen],
            self.typical,
            self.wording.of(chosen[: len(self.wording.held)]),
        )

    def places(self, distances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Distances on a scale from the query (0) to infinity (1): d / (d + typical) [n].

        The typical ticket is at 0.5.
        """
        scale = self.typical if self.typical > 0 else 1.0
        return distances / (distances + scale)

    def of_topic(self) -> Features:
        """Features of `topic`, [1, 4]: scaled distance of the first ticket before rescoring, share
        of the query's words that no ticket has, rarity of its words, and how many rare words of it
        one of the tickets shown has (`Wording.shared`)."""
        first, _ = self._nearest_and_last
        words = self.wording
        return np.array([[first, words.unseen, words.rarity, words.shared(SHOWN)]])

    def of_answered(self) -> Features:
        """Features of `answered`, [1, 3]: the negative logarithm of the share that the tickets
        shown have in the sum of all g = exp(-distance); how far the tenth is from the first before
        rescoring; and how much of the query the tickets shown cover. If all cover much, the query
        says little that is specific.

        The network was trained to find the right ticket by a softmax over -distance. If one of the
        tickets is right, that share is the network's probability that it is among those shown.
        """
        near = -self.distances[:NEAREST]
        first, last = self._nearest_and_last
        share = log_sum_exp(near) - log_sum_exp(near[:SHOWN])
        return np.array([[share, last - first, self.wording.covered(SHOWN)]])

    @cached_property
    def _nearest_and_last(self) -> tuple[float, float]:
        """Scaled distances of the nearest and the tenth (or last) ticket before rescoring."""
        return _ends(self.places(np.sort(self.apart)))

    def of_which(self) -> Features:
        """Features of `which`, [n, 3]: logarithm of the rank, how much farther than the first
        ticket, and how far the tenth is from the first."""
        places = self.places(self.distances)
        first, last = _ends(places)
        ranks = np.arange(1, len(places) + 1)
        return np.stack([np.log(ranks), places - first, np.full(len(places), last - first)], 1)


def log_sum_exp(values: npt.NDArray[np.float64]) -> float:
    """log(sum(exp(x))) of finite values [n], n > 0: the same as scipy's logsumexp, in a tenth of
    the time. The largest values are added last, which is exact."""
    largest = values.max()
    below = values < largest
    most = len(values) - int(below.sum())
    rest = np.exp(np.where(below, values, -np.inf) - largest).sum() / most
    return float(np.log1p(rest) + np.log(most) + largest)


def _ends(places: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The first of some scaled distances, and the last of the tickets shown."""
    return float(places[0]), float(places[:SHOWN][-1])


@dataclass(frozen=True)
class Logistic:
    """Logistic regression: 1 / (1 + exp(-(intercept + weights . features)))."""

    intercept: float
    weights: tuple[float, ...]

    def __call__(self, features: Features) -> npt.NDArray[np.float64]:
        """Chances [n] for features float64 [n, F]."""
        chances: npt.NDArray[np.float64] = expit(self.intercept + features @ np.array(self.weights))
        return chances

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Logistic":
        """Read what `dataclasses.asdict` wrote."""
        return cls(data["intercept"], tuple(data["weights"]))


@dataclass(frozen=True)
class Chances:
    """Chances of the nearest tickets, nearest first: that each is a YES and that it is a REL,
    float64 [n]. `answered` is the chance that a YES is among the first ten."""

    yes: npt.NDArray[np.float64]
    related: npt.NDArray[np.float64]
    answered: float


NO_CHANCES = Chances(np.zeros(0), np.zeros(0), 0.0)
"""Chances for a query without any ticket."""


@dataclass(frozen=True)
class Calibration:
    """The calibration of a model; see the module.

    `related` is the chance that a ticket that is not a YES is a REL, from the logit of its chance
    of a YES. Below `possible`, the outlook is that nothing matches well.
    """

    topic: Logistic
    answered: Logistic
    which: Logistic
    related: Logistic
    possible: float

    def answer(self, evidence: Evidence) -> float:
        """The chance that a YES is among the first ten."""
        topic, answered = self.topic(evidence.of_topic()), self.answered(evidence.of_answered())
        return LEAST + (1 - 2 * LEAST) * float(topic[0] * answered[0])

    def chances(self, evidence: Evidence, at_best: Outlook = Outlook.LIKELY) -> Chances:
        """Chances of all tickets of the evidence. The chance of an answer is limited so that the
        outlook is not better than `at_best`."""
        if not len(evidence.distances):
            return NO_CHANCES
        answered = min(self.answer(evidence), self._most(at_best))
        which = self.which(evidence.of_which())
        ranks = np.arange(1, len(which) + 1)
        yes = answered * ((1 - BY_RANK) * which + BY_RANK / ranks)
        related = (1 - yes) * self.related(logit(yes)[:, None])
        return Chances(yes, related, answered)

    def _most(self, outlook: Outlook) -> float:
        """The greatest chance of an answer that still has this outlook."""
        if outlook == Outlook.LIKELY:
            return 1.0
        return CLEARLY * (LIKELY if outlook == Outlook.POSSIBLE else self.possible)

    def outlook(self, answered: float) -> Outlook:
        """The outlook that belongs to a chance of an answer."""
        if answered < self.possible:
            return Outlook.NOTHING
        return Outlook.LIKELY if answered >= LIKELY else Outlook.POSSIBLE

    def to_json(self) -> Json:
        """For the manifest."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Calibration":
        """Read what `to_json` wrote. Bundles up to format 15 have other features of `answered`, so
        theirs is taken from `GENERAL`."""
        names = ("topic", "answered", "which", "related")
        found = cls(**{x: Logistic.from_json(data[x]) for x in names}, possible=data["possible"])
        if len(found.answered.weights) == len(GENERAL.answered.weights):
            return found
        return replace(found, answered=GENERAL.answered, possible=GENERAL.possible)


GENERAL = Calibration(
    topic=Logistic(10.1, (-27.5, -0.6, 0.0, 3.2)),
    answered=Logistic(1.8, (-1.4, 11.0, -3.1)),
    which=Logistic(0.0, (-1.0, -10.0, 5.0)),
    related=Logistic(-2.0, (0.3,)),
    possible=0.34,
)
"""Default where nothing could be learned: rounded values of other desks."""
