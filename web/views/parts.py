"""Bars that explain a distance: one per channel, relative to a ticket taken at random.

A bar starts in the middle of its row (50 %). It extends to the right if the channel makes the
ticket nearer than a random one, and to the left if it makes it farther. Drawn as `<rect x=start
width=length>` in a view box 100 wide, it needs no other axis. The exact terms of the distance are
the API's `parts`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ticketing.reasons import Part

BEYOND = "Time apart"
"""Label of the part that belongs to no channel of the network."""

MUCH, SOME = 0.5, 0.1
"""Shares of the typical distance saved, from which a ticket counts as much nearer, or nearer."""


@dataclass(frozen=True)
class Bar:
    """A channel's bar: label, effect in words, position and length in percent, and figures.

    `figures` are its parts of this distance and of a typical one, as in "0.12 of 0.98".
    """

    label: str
    says: str
    start: float
    length: float
    figures: str

    @property
    def nearer(self) -> bool:
        """Whether the bar extends to the right."""
        return self.start >= 50


def bars(
    parts: Sequence[Part], typical: Mapping[str, float], labels: Mapping[str, str]
) -> tuple[Bar, ...]:
    """A bar for each channel of the distance, the most helpful first.

    `typical` are the typical distances by channel, `labels` the channels' names for people.
    """
    own: defaultdict[str, float] = defaultdict(float)
    for part in parts:
        own[part.channel] += part.distance
    saved = {channel: typical.get(channel, 0.0) - distance for channel, distance in own.items()}
    longest = max(map(abs, saved.values()), default=0.0) or 1.0
    return tuple(
        _bar(labels.get(channel, BEYOND), own[channel], typical.get(channel, 0.0), longest)
        for channel in sorted(own, key=lambda channel: -saved[channel])
    )


def _bar(label: str, own: float, typical: float, longest: float) -> Bar:
    length = round(abs(typical - own) / longest * 50, 2)
    start = 50.0 if own <= typical else 50 - length
    return Bar(label, _words(own, typical), start, length, f"{own:.2f} of {typical:.2f}")


def _words(own: float, typical: float) -> str:
    saved = (typical - own) / max(typical, 1e-9)
    if saved >= MUCH:
        return "much nearer than usual"
    if saved >= SOME:
        return "nearer than usual"
    return "as usual" if saved > -SOME else "further apart than usual"
