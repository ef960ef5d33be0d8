"""Which topics of a bundle have the names that people gave, also to topics of earlier bundles."""

from collections.abc import Iterable, Mapping, Sequence

from ticketing.history import TopicName

WORDS = 20
"""Number of top words that identify a topic across bundles."""

SAME = 0.5
"""Minimum overlap of the words of two topics that count as the same."""


def name_topics(topics: Mapping[int, Sequence[str]], names: Iterable[TopicName]) -> dict[int, str]:
    """Names of a bundle's topics, for those that have one. `topics` are their top words.

    A name belongs to the topic whose words overlap most with the named ones, if the overlap is at
    least SAME; of two names for one topic the later counts. `names` are in chronological order.
    """
    words = {number: frozenset(some) for number, some in topics.items() if some}
    found: dict[int, str] = {}
    for event in reversed(list(names)):
        shares = {number: _overlap(frozenset(event.words), some) for number, some in words.items()}
        best = max(shares, key=lambda number: shares[number], default=None)
        if best is not None and shares[best] >= SAME:
            found.setdefault(best, event.name)
    return {number: name for number, name in found.items() if name}


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Overlap coefficient (Szymkiewicz-Simpson): the share of the smaller set's words that both
    have."""
    return len(one & other) / max(min(len(one), len(other)), 1)
