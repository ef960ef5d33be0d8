"""Training labels derived from people's verdicts on categories."""

from collections.abc import Iterable
from dataclasses import dataclass

from ticketing.classification.taxonomy import normalise
from ticketing.tickets import Verdict


@dataclass(frozen=True)
class CategoryLabel:
    """Whether a group is right for a normalised text."""

    text: str
    group: str
    right: bool


def derive_category_labels(verdicts: Iterable[Verdict]) -> list[CategoryLabel]:
    """From the latest verdict of each judge, the majority's; ties give no label."""
    latest: dict[tuple[str, str, str], bool | None] = {}
    for verdict in verdicts:
        key = normalise(verdict.subject), verdict.category, verdict.judge
        latest[key] = verdict.right
    votes: dict[tuple[str, str], int] = {}
    for (text, group, _), right in latest.items():
        if right is not None and text:
            votes[text, group] = votes.get((text, group), 0) + (1 if right else -1)
    return [CategoryLabel(text, group, vote > 0) for (text, group), vote in votes.items() if vote]
