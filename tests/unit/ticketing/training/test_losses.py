"""Both losses by hand, their gradients, and what may not be held against a pair."""

from math import exp, log

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ticketing.nn.losses import in_batch_imitation, in_batch_softmax
from ticketing.tickets import Grade, Label, Query
from ticketing.training.losses import also_right, label_error, right_answers
from ticketing.training.sampling import Example, all_tickets

NONE = torch.eye(2, 3, dtype=torch.bool)


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
    loss = in_batch_softmax(-distances, NONE, torch.tensor([1.0, 0.5]))
    assert loss.item() == pytest.approx((first + 0.5 * second) / 1.5, rel=1e-5)


def test_other_right_answers_are_not_held_against_a_pair():
    """Ticket 1 also answers query 0: only the extra negative is left to be told apart."""
    distances = torch.tensor([[1.0, 0.1, 0.5], [3.0, 1.5, 4.0]])
    positives = torch.tensor([[True, True, False], [False, True, False]])
    first = (picked(1.0, 0.5) + picked(1.0, 3.0)) / 2
    second = (picked(1.5, 3.0, 4.0) + picked(1.5)) / 2
    loss = in_batch_softmax(-distances, positives)
    assert loss.item() == pytest.approx((first + second) / 2, rel=1e-5)
    distances[0, 1] = 9.0
    assert in_batch_softmax(-distances, positives).item() == pytest.approx(loss.item())


def test_what_was_refused_elsewhere_and_is_right_here_is_not_held_against_a_pair():
    distances = torch.tensor([[1.0, 2.0, 0.5], [3.0, 1.5, 4.0]])
    positives = torch.tensor([[True, False, True], [False, True, False]])
    first = (picked(1.0, 2.0) + picked(1.0, 3.0)) / 2
    second = (picked(1.5, 3.0, 4.0) + picked(1.5, 2.0)) / 2
    loss = in_batch_softmax(-distances, positives)
    assert loss.item() == pytest.approx((first + second) / 2, rel=1e-5)


def test_gradients_of_the_ranking_are_right():
    distances = torch.rand(3, 5, dtype=torch.double, requires_grad=True)
    weights = torch.tensor([1.0, 0.5, 1.0], dtype=torch.double)
    positives = torch.eye(3, 5, dtype=torch.bool)
    positives[0, 2] = True
    assert torch.autograd.gradcheck(lambda x: in_batch_softmax(-x, positives, weights), distances)


def without_self(logits):
    """What a text says of itself is left out."""
    return logits.masked_fill(torch.eye(len(logits), dtype=torch.bool), -1e4)


def test_imitation_by_hand():
    """Of three, the teacher ranks the two others of each text; itself says nothing."""
    student = torch.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    taught = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])

    def even(near, far):
        return (log(exp(-near) + exp(-far)) * 2 + near + far) / 2

    expected = (even(1, 2) + even(1, 3) + even(2, 3)) / 3  # rows and columns are alike
    found = in_batch_imitation(without_self(-student), without_self(-taught))
    assert float(found) == pytest.approx(expected, rel=1e-5)


def test_imitation_is_least_for_the_teacher_itself():
    taught = torch.rand(4, 4, generator=torch.Generator().manual_seed(1)) * 5
    own = in_batch_imitation(without_self(-taught), without_self(-taught))
    for seed in range(5):
        other = torch.rand(4, 4, generator=torch.Generator().manual_seed(seed + 2)) * 5
        assert in_batch_imitation(without_self(-other), without_self(-taught)) > own


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
    batch = [example(*one), example(*other)]
    keys, _ = all_tickets(batch)
    assert also_right(batch, keys, {"q3": {"T9"}})[0, 1].item() is right


@pytest.mark.parametrize(
    ("query", "rival"), [("q1", True), ("q3", False), ("T9", False), ("T1", True)]
)
def test_a_ticket_refused_by_one_query_is_no_rival_where_it_answers_another(query, rival):
    """T9 answers q3, was judged NO for q2, and may be asked itself."""
    batch = [example(query, "T1"), example("q2", "T2", refused=("T9", ([1],)))]
    keys, _ = all_tickets(batch)
    right = also_right(batch, keys, {"q3": {"T9"}})
    assert right[:, 2].tolist() == [not rival, False]


KEYS = st.sampled_from(["q1", "q2", "T1", "T2", "T3", "T4"])


@given(
    st.lists(st.tuples(KEYS, KEYS, st.none() | KEYS), min_size=1, max_size=6),
    st.dictionaries(KEYS, st.sets(KEYS)),
)
def test_right_answers_of_any_batch_are_those_of_the_plain_definition(drawn, right):
    """A cell is right where the ticket answers the query, or is the query's own text or ticket, or
    belongs to the same query."""
    batch = [
        example(query, ticket, refused=(refused, ([1],)) if refused else None)
        for query, ticket, refused in drawn
    ]
    keys, _ = all_tickets(batch)
    expected = [
        [
            keys[n] in {x.query_key, x.ticket_key, *right.get(x.query_key, ())}
            or (n < len(batch) and batch[n].query_key == x.query_key)
            for n in range(len(keys))
        ]
        for x in batch
    ]
    assert also_right(batch, keys, right).tolist() == expected


def test_right_answers_hold_both_ways_for_graded_yes_and_rel():
    labels = [
        Label(Query("a", ticket_id="T1"), "T2", Grade.YES),
        Label(Query("b"), "T3", Grade.REL),
        Label(Query("b"), "T4", Grade.NO),
    ]
    b = Query("b").id
    assert right_answers(labels) == {"T1": {"T2"}, "T2": {"T1"}, b: {"T3"}, "T3": {b}}
