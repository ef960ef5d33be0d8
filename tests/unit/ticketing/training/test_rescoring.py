"""Weights of what moves tickets: from few queries little, from many what they say."""

import numpy as np
import pytest

from ticketing.model.registry import Registry
from ticketing.model.rescoring import GENERAL, Rescoring
from ticketing.model.saving import model_in
from ticketing.retrieval.memory import encoded
from ticketing.retrieval.recommend import Recommender
from ticketing.tickets import Grade, Label, Query
from ticketing.training.rescoring import HOLD, RankedQuery, examples, fit_rescoring, learn_rescoring


def example(told, weight=1.0):
    """Ten tickets equally far, of which the first, which alone has some of the feature `told`, is
    right."""
    features = np.zeros((10, 5))
    features[0, told] = 1.0
    return RankedQuery(features, np.full(10, 5.0), np.arange(10) == 0, weight)


def test_without_queries_the_general_weights_stay():
    assert fit_rescoring([], GENERAL, HOLD) == GENERAL


def test_what_right_tickets_have_brings_tickets_nearer():
    found = fit_rescoring([example(4) for _ in range(200)], Rescoring(), HOLD)
    assert found.crowd > 0.5
    assert found.weights[:4] == pytest.approx(np.zeros(4))


def test_few_queries_change_little_and_more_change_more():
    few, more, many = (fit_rescoring([example(4)] * n, GENERAL, HOLD).crowd for n in (2, 40, 400))
    assert 0 < few < 0.05 < more < many


def test_a_query_counts_by_its_weight():
    one = fit_rescoring([example(1, weight=3.0)], Rescoring(), HOLD)
    three = fit_rescoring([example(1)] * 3, Rescoring(), HOLD)
    assert one.weights == pytest.approx(three.weights, abs=1e-6)


def test_the_weights_are_those_of_the_least_loss():
    """The slope is that of the loss, or the search would end elsewhere."""
    random = np.random.default_rng(3)
    found = [
        RankedQuery(random.normal(size=(20, 5)), random.random(20), np.arange(20) < 2)
        for _ in range(30)
    ]

    def loss(weights):
        scores = [one.features @ weights - one.distances for one in found]
        missed = [np.log(np.exp(x).sum() / np.exp(x[:2]).sum()) for x in scores]
        return sum(missed) + 5.0 * (weights @ weights)

    best = fit_rescoring(found, Rescoring(), 10.0).weights
    for step in 0.01 * np.eye(5):
        assert loss(best) <= min(loss(best + step), loss(best - step))


@pytest.fixture
def recommender(trained, archive_tickets):
    model = model_in(Registry(trained[0]).load(trained[1]))
    return Recommender(encoded(model, archive_tickets, "x"), model, rescored=False)


def test_a_query_teaches_where_a_yes_is_found(recommender, archive_labels):
    found = [*examples(recommender, archive_labels)]
    asked = {label.query.id for label in archive_labels}
    assert len(found) == len(asked)
    assert all(one.features.shape == (40, 5) and one.right.sum() == 1 for one in found)
    assert all((np.diff(one.distances) >= 0).all() for one in found)


def test_queries_without_a_yes_teach_nothing(recommender, archive_tickets):
    label = Label(Query("Vibration"), archive_tickets[0].id, Grade.REL)
    gone = Label(Query("Vibration"), "gone", Grade.YES)
    assert learn_rescoring(recommender, [label, gone]) == GENERAL
    assert learn_rescoring(recommender, []) == GENERAL
