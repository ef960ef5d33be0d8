"""What the category classifier is measured by: matchers, accuracy and reciprocal rank by hand."""

import random

import numpy as np
import pytest

from ticketing.classification.matchers import NgramMatcher, TfidfMatcher, trigrams
from ticketing.classification.synonyms import Synonyms
from ticketing.classification.taxonomy import Taxonomy, Title
from ticketing.classification.trials import (
    Trial,
    accuracy,
    is_composition,
    make_trials,
    reciprocal_rank,
)

KNOWN = ("java developer", "php developer", "nurse")
TITLES = Taxonomy([Title("a1", "a"), Title("a2", "a"), Title("b1", "b"), Title("c1", "c")])


def test_trigrams_are_distinct_and_a_short_text_is_its_own():
    assert trigrams("banana") == ["ana", "ban", "nan"]
    assert trigrams("it") == ["it"]


def test_the_ngram_matcher_follows_its_formula():
    # "abcd": abc, bcd; "abcx y": abc, bcx, "cx ", "x y"; lengths 4 and 6, so W = 1 - 2/6
    [scores] = NgramMatcher(["abcx y", "abcd"]).scores(["abcd"])
    assert scores == pytest.approx([1 - (2 / 3) * (1 + 3), 2])


def test_unknown_trigrams_of_an_input_count_as_not_shared():
    # "abcq": abc, bcq, of which bcq is in no known text; W = 1
    [scores] = NgramMatcher(["abcd"]).scores(["abcq"])
    assert scores == pytest.approx([1 - 2])


@pytest.mark.parametrize("matcher", [NgramMatcher, TfidfMatcher])
def test_every_matcher_finds_a_known_text_among_words(matcher):
    scores = matcher(KNOWN).scores(["php developer now", "nurse"])
    assert scores.shape == (2, 3)
    assert list(scores.argmax(1)) == [1, 2]


def test_accuracy_asks_for_the_best_texts_group():
    trial = Trial("t", ("x", "y"), (frozenset("b"), frozenset("a")))
    scores = np.array([[0.1, 0.2, 0.9, 0.3], [0.1, 0.2, 0.1, 0.3]])
    assert accuracy(trial, scores, TITLES) == 0.5


def test_reciprocal_rank_counts_groups_and_ties_against():
    trial = Trial("t", ("x", "y"), (frozenset("b"), frozenset("c")))
    # x: a .9, b .5, c .1 -> 1/2; y: a .5 ties with c .5, b 0 -> 1/2
    scores = np.array([[0.9, 0.8, 0.5, 0.1], [0.5, 0.1, 0.0, 0.5]])
    assert reciprocal_rank(trial, scores, TITLES) == 0.5


def test_any_right_group_counts_for_reciprocal_rank():
    trial = Trial("t", ("x",), (frozenset("bc"),))
    assert reciprocal_rank(trial, np.array([[0.9, 0.0, 0.5, 0.5]]), TITLES) == 0.5


def test_a_composition_is_one_substitution_from_a_kept_title_of_its_group():
    synonyms = Synonyms([(("developer",), ("programmer",))])
    training = Taxonomy([Title("java developer", "java"), Title("php developer", "php")])
    assert is_composition(Title("java programmer", "java"), training, synonyms)
    assert not is_composition(Title("php programmer", "java"), training, synonyms)
    assert not is_composition(Title("java coder", "java"), training, synonyms)


class Uncopied(Taxonomy):
    """One whose groups nobody goes through."""

    @property
    def groups(self):
        raise AssertionError("all texts of a group are gone through for one title")


def test_a_composition_is_found_without_going_through_its_group():
    synonyms = Synonyms([(("developer",), ("programmer",))])
    training = Uncopied([Title("java developer", "java")])
    assert is_composition(Title("java programmer", "java"), training, synonyms)
    assert not is_composition(Title("java programmer", "php"), training, synonyms)


def test_trials_are_repeatable_and_know_their_groups():
    synonyms = Synonyms([(("developer",), ("programmer",))])
    training = Taxonomy(
        [Title(f"{x} developer", x) for x in ("java", "php")] + [Title("clerk", "office")]
    )
    unseen = [Title("java programmer", "java")]
    made = [make_trials(training, unseen, synonyms, ["zz"], seed=1, most=3) for _ in range(2)]
    assert made[0] == made[1]
    names = ["Typos", "Composition", "Extra words", "Annotations"]
    assert [trial.name for trial in made[0]] == names
    composition, extra = made[0][1:3]
    assert composition.texts == ("java programmer",)
    assert composition.right == (frozenset({"java"}),)
    assert all("zz" in text.split() for text in extra.texts)


def test_sampling_is_by_chance_alone():
    from ticketing.classification.taxonomy import sample_titles

    assert sample_titles(TITLES.titles, 9, random.Random(1)) == list(TITLES.titles)
