"""From distances to what a person can use: the chance of a YES, and of one among those shown.

Three questions, each a logistic regression on a few features of `Evidence`. Is the query about
what the archive is about (`topic`)? If so, is a YES among the first ten (`answered`)? If so, is it
this ticket (`which`)? The product of all three is a ticket's chance, so that none has more than
the ten together. Only rank and distance differ among the tickets of one query, and `which` falls
with both, so chances are ordered strictly as the tickets are.
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
"""Tickets that the chance of an answer is about."""

NEAREST = 100
"""Tickets that are looked at to know it."""

LEAST = 1e-4
"""No chance of an answer is below this, nor above 1 less this: nobody has seen enough queries to
say so."""

BY_RANK = 1e-3
"""What rank alone says of which ticket it is, so that no two have the same chance."""

LIKELY = 0.5
"""From this chance of a YES on an answer is likely: more often so than not."""

CLEARLY = 0.98
"""A chance that is held below the next outlook is at most this share of its threshold."""


@dataclass(frozen=True)
class Evidence:
    """What is known of one query's best tickets.

    `distances` float64 [n] of the NEAREST or more, or all there are, best first, after rescoring,
    and `apart` what they were before: rescoring compares tickets with each other, so of how far
    they are from the query `apart` alone tells. `typical` is the median distance of the query to a
    sample of the archive, and `wording` its words beside those of the NEAREST.
    """

    distances: npt.NDArray[np.float64]
    apart: npt.NDArray[np.float64]
    typical: float
    wording: Wording

    def kept(self, chosen: npt.NDArray[np.bool_]) -> "Evidence":
        """What is known of some of the tickets: bool [n]."""
        return Evidence(
            self.distances[chosen],
            self.apart[chosen],
            self.typical,
            self.wording.of(chosen[: len(self.wording.held)]),
        )

    def places(self, distances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Where distances lie between the query (0) and infinity (1): d / (d + typical) [n].

        The typical ticket lies at 0.5.
        """
        scale = self.typical if self.typical > 0 else 1.0
        return distances / (distances + scale)

    def of_topic(self) -> Features:
        """[1, 4]: the place of the first ticket by distance alone, the share of words that nobody
        has, how rare the words are, how much one of the tickets shown shares of them."""
        first, _ = self._nearest_and_last
        words = self.wording
        return np.array([[first, words.unseen, words.rarity, words.shared(SHOWN)]])

    def of_answered(self) -> Features:
        """[1, 3]: the negative logarithm of the share that those shown have of all g =
        exp(-distance), how far the tenth is from the first by distance alone, and how much of the
        query those shown have: where all have much, it says little but what many tickets say.

        Were one of the tickets known to be right, the network, which learned to tell right ones
        from others by a softmax over -distance, would find it among those shown with the chance of
        that share.
        """
        near = -self.distances[:NEAREST]
        first, last = self._nearest_and_last
        share = log_sum_exp(near) - log_sum_exp(near[:SHOWN])
        return np.array([[share, last - first, self.wording.covered(SHOWN)]])

    @cached_property
    def _nearest_and_last(self) -> tuple[float, float]:
        """The places of the nearest and the tenth ticket (or the last) by distance alone."""
        return _ends(self.places(np.sort(self.apart)))

    def of_which(self) -> Features:
        """[n, 3]: logarithm of the rank, how much further than the first ticket, and how far the
        tenth is from the first."""
        places = self.places(self.distances)
        first, last = _ends(places)
        ranks = np.arange(1, len(places) + 1)
        return np.stack([np.log(ranks), places - first, np.full(len(places), last - first)], 1)


def log_sum_exp(values: npt.NDArray[np.float64]) -> float:
    """The logarithm of the sum of e^x over finite values [n], n > 0: what scipy's logsumexp gives
    of any array, at a tenth of what it takes. The largest are added last, which is exact."""
    largest = values.max()
    below = values < largest
    most = len(values) - int(below.sum())
    rest = np.exp(np.where(below, values, -np.inf) - largest).sum() / most
    return float(np.log1p(rest) + np.log(most) + largest)


def _ends(places: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The first of some places, and the last of those shown."""
    return float(places[0]), float(places[:SHOWN][-1])


@dataclass(frozen=True)
class Logistic:
    """A chance by logistic regression: 1 / (1 + exp(-(intercept + weights . features)))."""

    intercept: float
    weights: tuple[float, ...]

    def __call__(self, features: Features) -> npt.NDArray[np.float64]:
        """Features float64 [n, F] to chances [n]."""
        chances: npt.NDArray[np.float64] = expit(self.intercept + features @ np.array(self.weights))
        return chances

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Logistic":
        """What `dataclasses.asdict` described."""
        return cls(data["intercept"], tuple(data["weights"]))


@dataclass(frozen=True)
class Chances:
    """Chances of the nearest tickets, nearest first, that each is a YES and that it is a REL,
    float64 [n]; and that a YES is among the first ten."""

    yes: npt.NDArray[np.float64]
    related: npt.NDArray[np.float64]
    answered: float


NO_CHANCES = Chances(np.zeros(0), np.zeros(0), 0.0)
"""Chances of a query for which nothing was found."""


@dataclass(frozen=True)
class Calibration:
    """What distances say; see the module.

    `related` is the chance that a ticket that is no YES is a REL, by the logit of its chance to be
    a YES. Below `possible` nothing matches well.
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
        """Chances of all tickets that the evidence is about, such that no more is to be expected
        than is `at_best`."""
        if not len(evidence.distances):
            return NO_CHANCES
        answered = min(self.answer(evidence), self._most(at_best))
        which = self.which(evidence.of_which())
        ranks = np.arange(1, len(which) + 1)
        yes = answered * ((1 - BY_RANK) * which + BY_RANK / ranks)
        related = (1 - yes) * self.related(logit(yes)[:, None])
        return Chances(yes, related, answered)

    def _most(self, outlook: Outlook) -> float:
        """The greatest chance of an answer with this outlook."""
        if outlook == Outlook.LIKELY:
            return 1.0
        return CLEARLY * (LIKELY if outlook == Outlook.POSSIBLE else self.possible)

    def outlook(self, answered: float) -> Outlook:
        """What a chance that a YES is among those shown lets one expect."""
        if answered < self.possible:
            return Outlook.NOTHING
        return Outlook.LIKELY if answered >= LIKELY else Outlook.POSSIBLE

    def to_json(self) -> Json:
        """What the manifest keeps."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Calibration":
        """The calibration that `to_json` described; one of a bundle of format 15 or earlier tells
        an answer by other features, so that `GENERAL` does it."""
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
"""Where nothing could be learned: numbers as other desks learn them, rounded."""
