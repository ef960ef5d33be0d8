"""The four tests of Table 3 (Neculoiu et al. 2016): inputs and the groups that they should find.

- Typos: training titles with each character substituted or deleted with probability 5 %.
- Composition: unseen titles that one known substitution turns into a known one of their group.
- Extra words: training titles with one to three new words around them.
- Annotations: typed texts: known and unseen titles, some with words around them and typos.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ticketing.classification.augmentation import extra_words, typos
from ticketing.classification.matchers import Scores
from ticketing.classification.synonyms import Synonyms
from ticketing.classification.taxonomy import Taxonomy, Title, sample_titles

TYPO_SHARE = 0.05
UNSEEN_SHARE = 0.2
"""Share of unseen titles among the inputs of Annotations. With it the n-gram matcher has about the
published accuracy of .83, so the test is about as hard."""
NOISY_SHARE = 0.5
"""Share of the inputs of Annotations with words around them; as many have a typo."""


@dataclass(frozen=True)
class Trial:
    """Inputs, and the right groups of each."""

    name: str
    texts: tuple[str, ...]
    right: tuple[frozenset[str], ...]


def make_trials(
    training: Taxonomy,
    unseen: Sequence[Title],
    synonyms: Synonyms,
    words: Sequence[str],
    seed: int,
    most: int,
) -> list[Trial]:
    """The four trials, with at most `most` inputs each."""
    chance = random.Random(seed)

    def known_titles() -> list[Title]:
        return sample_titles(training.titles, most, chance)

    half = TYPO_SHARE / 2
    composed = [t for t in unseen if is_composition(t, training, synonyms)]
    return [
        _trial("Typos", training, known_titles(), lambda text: typos(text, half, half, chance)),
        _trial("Composition", training, sample_titles(composed, most, chance), str),
        _trial(
            "Extra words", training, known_titles(), lambda text: extra_words(text, words, chance)
        ),
        _trial(
            "Annotations",
            training,
            _mixed(known_titles(), unseen, chance),
            lambda text: as_typed(text, words, chance),
        ),
    ]


def titles_trial(titles: Sequence[Title]) -> Trial:
    """A trial of unchanged titles."""
    texts = tuple(title.text for title in titles)
    return Trial("Titles", texts, tuple(frozenset((title.group,)) for title in titles))


def is_composition(title: Title, training: Taxonomy, synonyms: Synonyms) -> bool:
    """Whether one substitution turns the title into a known one of its group."""
    variants = synonyms.variants(title.text)
    return any(title.group in training.groups_of.get(variant, ()) for variant in variants)


def _mixed(training: list[Title], unseen: Sequence[Title], chance: random.Random) -> list[Title]:
    drawn = sample_titles(unseen, round(UNSEEN_SHARE * len(training)), chance)
    return drawn + training[len(drawn) :]


def as_typed(text: str, words: Sequence[str], chance: random.Random) -> str:
    """A title with words around it, a typo, both or neither."""
    if chance.random() < NOISY_SHARE:
        text = extra_words(text, words, chance)
    if chance.random() < NOISY_SHARE:
        text = typos(text, TYPO_SHARE / 2, TYPO_SHARE / 2, chance)
    return text


def _trial(
    name: str, training: Taxonomy, titles: Sequence[Title], change: Callable[[str], str]
) -> Trial:
    right = [training.groups_of.get(title.text, frozenset()) | {title.group} for title in titles]
    return Trial(name, tuple(change(title.text) for title in titles), tuple(right))


def accuracy(trial: Trial, scores: Scores, taxonomy: Taxonomy) -> float:
    """Share of inputs whose best text is in a right group: scores [inputs, texts]."""
    best = scores.argmax(1)
    hits = [
        bool(taxonomy.groups_of[taxonomy.texts[i]] & right)
        for i, right in zip(best, trial.right, strict=True)
    ]
    return sum(hits) / max(len(hits), 1)


def reciprocal_rank(trial: Trial, scores: Scores, taxonomy: Taxonomy) -> float:
    """Mean of 1 / rank of the first right group, groups ranked by their best text."""
    names = list(taxonomy.groups)
    number = {name: i for i, name in enumerate(names)}
    members = [[number[g] for g in taxonomy.groups_of[text]] for text in taxonomy.texts]
    column = np.repeat(np.arange(len(members)), [len(m) for m in members])
    group = np.concatenate([np.array(m) for m in members])
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(names)))
    total = 0.0
    for row, right in zip(scores, trial.right, strict=True):
        best = np.maximum.reduceat(row[column[order]], starts)  # [groups]
        bar = max(best[number[name]] for name in right if name in number)
        # ties count against: a group as good as the right one ranks before it
        ahead = (best >= bar).sum() - sum(best[number[n]] >= bar for n in right if n in number)
        total += 1 / (1 + ahead)
    return total / max(len(trial.right), 1)
