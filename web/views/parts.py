"""What brings a ticket near: a bar a channel, beside a ticket taken at random.

A bar starts in the middle of its row (50 %): to the right as far as the channel brings the ticket
nearer than one taken at random, to the left as far as it keeps it away. Drawn as
`<rect x=start width=length>` in a view box 100 wide it needs no other axis. The exact terms of the
distance are the API's `parts`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ticketing.reasons import Part

BEYOND = "Time apart"
"""The part that belongs to no channel of the network, in words."""

MUCH, SOME = 0.5, 0.1
"""Shares of the usual distance that are saved: from which on a ticket is much nearer, nearer."""


@dataclass(frozen=True)
class Bar:
    """A channel: what people call it, what it does in words, its bar in percent, its figures.

    `figures` are its part of this distance and of a usual one, as in "0.12 of 0.98".
    """

    label: str
    says: str
    start: float
    length: float
    figures: str

    @property
    def nearer(self) -> bool:
        """Whether the bar runs to the right."""
        return self.start >= 50


def bars(
    parts: Sequence[Part], typical: Mapping[str, float], labels: Mapping[str, str]
) -> tuple[Bar, ...]:
    """A bar a channel of the distance, what brings the ticket nearest first.

    `typical` are the usual distances by channel, `labels` what people call the channels.
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
