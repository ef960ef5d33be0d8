"""Topics of texts: the words that they are made of, those that speak for them, and their names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.encoders.topics import TopicEncoder, TopicWords, end_to_end, load_topics, topic_words
from ticketing.encoders.varimax import varimax
from ticketing.text.vocabulary import Vocabulary
from topic_models import DocNADE, DocNADESettings


def test_topics_are_made_of_words_neither_rare_nor_everywhere_nor_masks():
    vocabulary = Vocabulary(
        ["the", "trip", "<num>", "it", "pump", "seal"], [30, 10, 9, 8, 3, 2], 40
    )
    assert topic_words(vocabulary) == [2, 5]
    assert topic_words(vocabulary, min_count=2, limit=2) == [2, 5]


def test_words_without_a_topic_are_left_out_of_documents():
    words = TopicWords([2, 5])
    assert [d.tolist() for d in words.documents([[5, 1, 2, 2, 9, 0], [], [1]])] == [
        [1, 0, 0],
        [],
        [],
    ]


def topics_with(loadings) -> TopicEncoder:
    """Words 5, 2 and 7 of a vocabulary speak for topics as the rows of [3, topics] say."""
    encoder = TopicEncoder(DocNADE(DocNADESettings(vocabulary_size=3)), TopicWords([5, 2, 7]))
    encoder.loadings = np.array(loadings, np.float32)
    return encoder


def test_loadings_are_kept_and_not_turned_again():
    settings = DocNADESettings(vocabulary_size=3, topics=2, epochs=1)
    model = DocNADE(settings)
    model.fit([np.array([0, 1, 2])] * 4)
    saved = TopicEncoder(model, TopicWords([5, 2, 7])).saved()
    saved.arrays["loadings"] *= 2
    assert load_topics(saved).loadings is saved.arrays["loadings"]
    turned = saved.arrays.pop("loadings") / 2
    assert load_topics(saved).loadings == pytest.approx(turned)


def test_shared_topics_are_both_texts_own():
    """Word 5 speaks for topic 0 by .8, word 2 for topic 1 by .4, word 7 for both by .2.
    Text one is 5 2, text two is 5 7: means (.4, .2, 0) and (.5, .1, 0)."""
    encoder = topics_with([[0.8, 0, 0], [0, 0.4, 0], [0.2, 0.2, 0]])
    [shared, none] = encoder.shared(*end_to_end([[5, 2], [5, 7], []]), words=2)
    assert (shared, none) == (
        [(0, pytest.approx(0.4), [5, 7])],
        [],
    )  # topic 1 is a by-catch of text two
    # Text three is 2, text four 7 2: means (0, .4, 0) and (.1, .3, 0).
    assert encoder.shared(*end_to_end([[2], [7, 2]]), words=1) == [[(1, pytest.approx(0.3), [2])]]


@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_shared_topics_name_the_loudest_distinct_words_and_of_equal_ones_the_first(seed, words):
    chance = np.random.default_rng(seed)
    encoder = topics_with(chance.integers(0, 3, (3, 4)) / 2)
    one, other = (chance.integers(0, 9, chance.integers(0, 12)).tolist() for _ in range(2))
    ids = np.array([5, 2, 7])  # in the order of the model's own, as loadings are
    spoken = [own for own, id in enumerate(ids) if id in one or id in other]
    [shared] = encoder.shared(*end_to_end([one, other]), words=words)
    for topic, _, loudest in shared:
        own = sorted(spoken, key=lambda own: -encoder.loadings[own, topic])
        assert loudest == ids[own][:words].tolist()


def test_the_main_topic_is_the_one_that_words_speak_for_most_on_average():
    """Text 5 2 2: means (.3, .2); 2 2: (0, .3); 7: (.5, .5), a tie that the first wins; 9 and an
    empty text have no word with a topic."""
    encoder = topics_with([[0.9, 0], [0, 0.3], [0.5, 0.5]])
    assert encoder.main(*end_to_end([[5, 2, 2], [2, 9, 2], [7], [9], []])) == [0, 1, 0, None, None]


def test_words_that_speak_for_nothing_give_no_main_topic():
    encoder = topics_with([[0, 0], [0, 0.3], [0, 0]])
    assert encoder.main(*end_to_end([[5, 7], [5, 2]])) == [None, 1]


def test_a_topic_is_named_by_words_that_speak_for_it_and_are_used():
    """Ids 5, 2, 7 are e, b, g, in 3, 99 and 8 tickets: loading times logarithm is 2 ln 3 = 2.2,
    1 ln 99 = 4.6 and 0 for topic 0; for topic 1 only g speaks."""
    vocabulary = Vocabulary(list("abcdefg"), [99, 99, 9, 9, 3, 9, 8], 200)
    encoder = topics_with([[2, 0], [1, 0], [0, 0.1]])
    assert encoder.top_words(0, vocabulary) == ["b", "e"]
    assert encoder.top_words(0, vocabulary, n=1) == ["b"]
    assert encoder.top_words(1, vocabulary) == ["g"]


def test_varimax_gives_back_axes_that_were_mixed():
    """Two words speak for each axis; turned by 30 degrees every word loads on both."""
    simple = np.array([[2.0, 0], [1, 0], [0, 3], [0, 1]])
    cosine, sine = np.cos(np.pi / 6), np.sin(np.pi / 6)
    mixed = simple @ np.array([[cosine, sine], [-sine, cosine]])
    np.testing.assert_allclose(varimax(mixed), simple, atol=1e-3)


def test_varimax_turns_each_axis_to_its_heavy_end():
    np.testing.assert_allclose(varimax(np.array([[-2.0, 0], [0.5, 0], [0, 3]])).max(0), [2, 3])


def test_varimax_keeps_lengths_and_angles():
    loadings = np.random.default_rng(0).normal(size=(30, 6))
    turned = varimax(loadings)
    np.testing.assert_allclose(turned @ turned.T, loadings @ loadings.T, atol=1e-9)


def test_a_text_without_topic_words_shares_no_topic():
    assert topics_with([[1], [0], [0]]).shared(*end_to_end([[5], [1]])) == [[]]
