"""Names that people gave to topics, and which topics of a bundle they are of."""

from collections.abc import Iterable, Mapping, Sequence

from ticketing.history import TopicName

WORDS = 20
"""Top words that a topic is known by from bundle to bundle."""

SAME = 0.5
"""Share of the words that two topics must have in common to be the same."""


def name_topics(topics: Mapping[int, Sequence[str]], names: Iterable[TopicName]) -> dict[int, str]:
    """The names of a bundle's topics, of those that have one; `topics` are their top words.

    A name belongs to the topic whose words overlap most with those that were named, if half of
    them do; of two names for one topic the later holds. `names` come in the order they were given.
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
    """Szymkiewicz-Simpson: of the smaller set's words, the share that both have."""
    return len(one & other) / max(min(len(one), len(other)), 1)
