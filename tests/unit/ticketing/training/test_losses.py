"""Both losses by hand, their gradients, and what may not be held against a pair."""

from math import exp, log

import pytest
import torch

from ticketing.tickets import Grade, Label, Query
from ticketing.training.losses import RankingLoss, in_batch_ranking, label_error, right_answers
from ticketing.training.sampling import Example

NONE = torch.eye(2, dtype=torch.bool)


def test_label_error_is_the_mean_square():
    error = label_error(torch.tensor([0.5, 1.0, 0.0]), torch.tensor([1.0, 1.0, 0.5]))
    assert error.item() == pytest.approx((0.25 + 0 + 0.25) / 3)


def picked(right, *others):
    """-log of the share of exp(-right) among all."""
    return log(sum(exp(-x) for x in (right, *others))) + right


def test_ranking_by_hand_both_ways_with_an_extra_negative():
    distances = torch.tensor([[1.0, 2.0, 0.5], [3.0, 1.5, 4.0]])
    first = (picked(1.0, 2.0, 0.5) + picked(1.0, 3.0)) / 2
    second = (picked(1.5, 3.0, 4.0) + picked(1.5, 2.0)) / 2
    loss = in_batch_ranking(distances, torch.tensor([1.0, 0.5]), NONE)
    assert loss.item() == pytest.approx((first + 0.5 * second) / 1.5, rel=1e-5)


def test_other_right_answers_are_not_held_against_a_pair():
    """Ticket 1 also answers query 0: only the extra negative is left to be told apart."""
    distances = torch.tensor([[1.0, 0.1, 0.5], [3.0, 1.5, 4.0]])
    positives = torch.tensor([[True, True], [False, True]])
    first = (picked(1.0, 0.5) + picked(1.0, 3.0)) / 2
    second = (picked(1.5, 3.0, 4.0) + picked(1.5)) / 2
    loss = in_batch_ranking(distances, torch.ones(2), positives)
    assert loss.item() == pytest.approx((first + second) / 2, rel=1e-5)
    distances[0, 1] = 9.0
    assert in_batch_ranking(distances, torch.ones(2), positives).item() == pytest.approx(
        loss.item()
    )


def test_gradients_of_the_ranking_are_right():
    distances = torch.rand(3, 5, dtype=torch.double, requires_grad=True)
    weights = torch.tensor([1.0, 0.5, 1.0], dtype=torch.double)
    positives = torch.eye(3, dtype=torch.bool)
    positives[0, 2] = True
    assert torch.autograd.gradcheck(lambda x: in_batch_ranking(x, weights, positives), distances)


def example(query, ticket, **values):
    return Example(([1],), ([1],), 1.0, query, ticket, **values)


@pytest.mark.parametrize(
    ("one", "other", "right"),
    [
        (("q1", "T1"), ("q2", "T2"), False),
        (("q1", "T1"), ("q2", "T1"), True),
        (("q1", "T1"), ("q1", "T2"), True),
        (("q3", "T3"), ("q2", "T9"), True),
        (("T1", "T1"), ("q2", "T1"), True),
        (("T1", "T1"), ("q2", "T2"), False),
    ],
)
def test_what_counts_as_a_right_answer_in_a_batch(one, other, right):
    loss = RankingLoss(None, 0.0, frozenset({("q3", "T9")}))
    assert loss._is_right(example(*one), example(*other)) is right


def test_right_answers_hold_both_ways_for_graded_yes_and_rel():
    labels = [
        Label(Query("a", ticket_id="T1"), "T2", Grade.YES),
        Label(Query("b"), "T3", Grade.REL),
        Label(Query("b"), "T4", Grade.NO),
    ]
    b = Query("b").id
    assert right_answers(labels) == {("T1", "T2"), ("T2", "T1"), (b, "T3"), ("T3", b)}
