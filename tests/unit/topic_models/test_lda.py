"""LDA's held-out likelihood against exact values, and what its vectors mean."""

from math import lgamma

import numpy as np
import pytest
from gensim.models.ldamodel import LdaModel

from topic_models import LDA, LDASettings, ModelFileError
from topic_models.lda import log_evidence


def known(counts, alpha, samples: int = 4000, eta: float = 1e-6) -> LDA:
    counts = np.array(counts, np.float32)
    topics, words = counts.shape
    settings = LDASettings(vocabulary_size=words, topics=topics, eta=eta, samples=samples)
    return LDA.from_state(settings, {"counts": counts, "alpha": np.array(alpha, np.float32)})


def test_one_topic_has_the_likelihood_of_its_word_frequencies():
    model = known([[2, 3, 5]], [0.7])

    expected = np.log(0.2) + 2 * np.log(0.5)

    assert model.log_likelihood([[0, 2, 2]]) == pytest.approx([expected], abs=1e-4)


def test_topics_of_a_word_each_have_the_likelihood_of_polya_s_urn():
    """With p(word k | topic k) = 1, θ integrates out to a Dirichlet-multinomial."""
    model = known([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0.5, 0.2, 0.1])
    document, alpha = [0, 0, 1], [0.5, 0.2]

    expected = lgamma(0.8) - lgamma(3.8)
    expected += sum(lgamma(a + n) - lgamma(a) for a, n in zip(alpha, [2, 1], strict=True))

    assert model.log_likelihood([document]) == pytest.approx([expected], abs=0.1)


def test_one_word_s_probability_is_the_prior_s_mean():
    model = known([[9, 1], [2, 8]], [3, 1])

    assert np.exp(model.log_likelihood([[0]])) == pytest.approx([0.75 * 0.9 + 0.25 * 0.2], abs=0.01)


def test_the_estimate_stays_close_when_the_posterior_is_far_too_narrow():
    random = np.random.default_rng(0)
    topics, counts = np.array([[0.9], [0.2]]), np.array([1])
    alpha, narrow = np.array([3.0, 1.0]), np.array([1.0, 500.0])

    estimate = log_evidence(topics, counts, alpha, narrow, random, 20_000)

    assert np.exp(estimate) == pytest.approx(0.75 * 0.9 + 0.25 * 0.2, abs=0.01)


def test_a_vector_is_a_mixture_that_adds_up_to_one():
    vectors = known([[9, 1], [2, 8]], [3, 1]).transform([[0, 0], [1, 1, 1], []])

    assert vectors.sum(axis=1) == pytest.approx(np.ones(3))
    assert vectors[0, 0] > vectors[2, 0] > vectors[1, 0]


def test_an_empty_document_has_the_prior_s_mean():
    assert known([[9, 1], [2, 8]], [3, 1]).transform([[]])[0] == pytest.approx([0.75, 0.25])


def test_top_words_are_the_most_probable_ones():
    model = known([[1, 5, 2], [2, 2, 9]], [1, 1])

    assert model.top_words(0) == [1, 2, 0]
    assert model.top_words(1) == [2, 0, 1]


def test_each_update_counts_by_how_many_there_were_before(monkeypatch):
    """Two passes of two mini-batches: 1, 1/√2, 1/√3 and 1/√4."""
    rates, step = [], LdaModel.do_mstep

    def noted(model, rate, *arguments):
        rates.append(rate)
        return step(model, rate, *arguments)

    monkeypatch.setattr(LdaModel, "do_mstep", noted)
    settings = LDASettings(vocabulary_size=4, topics=2, epochs=2, batch_size=2, decay=0.5)
    LDA(settings).fit([[0, 1], [2, 3], [0, 2], [1, 3]])

    assert rates == pytest.approx([1, 0.7071, 0.5774, 0.5], abs=1e-4)


def test_it_finds_the_topics_that_made_the_documents():
    random = np.random.default_rng(0)
    documents = [(random.integers(0, 5, 20) + 5 * (i % 2)).tolist() for i in range(100)]
    settings = LDASettings(vocabulary_size=10, topics=2, epochs=10, batch_size=20)

    model = LDA(settings).fit(documents)

    assert {frozenset(model.top_words(topic, 5)) for topic in range(2)} == {
        frozenset(range(5)),
        frozenset(range(5, 10)),
    }


def test_many_topics_learn_from_documents_of_two_words():
    """A hundred pairs of words that always go together; by frequencies alone, perplexity is 200."""
    pairs = [(2 * i, 2 * i + 1) for i in np.random.default_rng(0).integers(0, 100, 1000)]
    settings = LDASettings(vocabulary_size=200, topics=200, epochs=10)

    model = LDA(settings).fit(pairs)

    assert model.perplexity(pairs[:100]) < 190


def test_negative_counts_are_refused():
    with pytest.raises(ModelFileError, match="negative counts"):
        known([[1, -5]], [1])
