"""Equation 1 worked out by hand, missing components, and weights that stay non-negative."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ticketing.networks.channels import DenseChannel
from ticketing.networks.metric import (
    distance_parts,
    present_coverage_weights,
    present_pair_weights,
    similarity,
)

V = torch.tensor([[0.3, 0.2, 0.1], [0.2, 0.3, 0.1]])


def test_equation_1_by_hand():
    """Two channels, one query component, two ticket components."""
    near = torch.tensor([[[[0.0, 1.0], [2.0, 3.0]]]])  # [B 1, P 1, R 2, C 2]
    parts = distance_parts(near, torch.tensor([[[0.5, 0.25]]]), torch.tensor([2.0, 4.0]))
    assert parts.tolist() == [[[[0.0, 2.0], [1.0, 3.0]]]]
    assert similarity(parts).item() == pytest.approx(2.718281828**-6)


def test_distances_are_manhattan():
    query = torch.tensor([[[1.0, 2.0]]])
    ticket = torch.tensor([[[4.0, -2.0], [1.0, 2.5]]])
    assert DenseChannel(2).matched(query, ticket).tolist() == [[[7.0, 0.5]]]


def test_all_present_keeps_the_weights():
    weights = present_pair_weights(V, torch.tensor([True, True]), torch.tensor([True] * 3))
    torch.testing.assert_close(weights, V)


def test_a_missing_component_drops_its_pairs_and_the_rest_keeps_the_sum():
    """Without DESC1 and SOL2, 0.3 and 0.2 remain of 1.2: they become 0.72 and 0.48."""
    weights = present_pair_weights(
        V, torch.tensor([True, False]), torch.tensor([True, True, False])
    )
    torch.testing.assert_close(weights, torch.tensor([[0.72, 0.48, 0.0], [0.0, 0.0, 0.0]]))


def test_a_component_that_counts_in_part_leaves_its_weight_to_the_other():
    """With half of SUB1, 0.3, 0.2 and 0.1 become 0.15, 0.1 and 0.05: 0.9 remains of 1.2."""
    weights = present_pair_weights(V, torch.tensor([0.5, 1.0]), torch.tensor([True] * 3))
    halved = torch.tensor([[0.5], [1.0]]) * V
    torch.testing.assert_close(weights, halved * 1.2 / halved.sum())
    whole = present_coverage_weights(torch.tensor([2.0, 2.0]), torch.tensor([0.5, 1.0]))
    torch.testing.assert_close(whole, torch.tensor([4 / 3, 8 / 3]))


def test_what_a_query_lacks_a_component_for_its_other_one_weighs():
    """U is 3 and 1: one alone has 4, none nothing."""
    present = torch.tensor([[True, True], [True, False], [False, True], [False, False]])
    weights = present_coverage_weights(torch.tensor([3.0, 1.0]), present)
    assert weights.tolist() == [[3, 1], [4, 0], [0, 4], [0, 0]]


@pytest.mark.parametrize(
    ("query", "ticket"), [([False, False], [True] * 3), ([True, True], [False] * 3)]
)
def test_nothing_present_leaves_no_weight(query, ticket):
    assert present_pair_weights(V, torch.tensor(query), torch.tensor(ticket)).sum() == 0


@given(
    st.lists(st.booleans(), min_size=2, max_size=2),
    st.lists(st.booleans(), min_size=3, max_size=3),
)
def test_whatever_is_missing_the_weights_keep_their_sum_and_proportions(query, ticket):
    weights = present_pair_weights(V, torch.tensor(query), torch.tensor(ticket))
    present = torch.tensor(query)[:, None] & torch.tensor(ticket)
    assert (weights[~present] == 0).all()
    if present.any():
        assert weights.sum().item() == pytest.approx(V.sum().item(), rel=1e-5)
        factors = weights[present] / V[present]
        torch.testing.assert_close(factors, factors[0].expand_as(factors))


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 5))
def test_crossed_distances_agree_with_matched_ones(seed, queries, tickets):
    chance = torch.Generator().manual_seed(seed)
    query = torch.randn(queries, 2, 4, generator=chance)
    ticket = torch.randn(tickets, 3, 4, generator=chance)
    compared = torch.rand(2, 3, generator=chance) > 0.3
    encoder = DenseChannel(4)
    crossed = encoder.crossed(query, ticket, compared)
    for b in range(queries):
        for n in range(tickets):
            matched = encoder.matched(query[b : b + 1], ticket[n : n + 1])[0]
            torch.testing.assert_close(crossed[b, n], matched * compared)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_gradients_of_crossed_distances_are_those_of_matched_ones(seed):
    """Some numbers are alike, where the gradient is 0, and some distances count nothing."""
    chance = torch.Generator().manual_seed(seed)
    query = torch.randint(0, 4, (3, 2, 5), generator=chance).float().requires_grad_()
    ticket = torch.randint(0, 4, (4, 3, 5), generator=chance).float().requires_grad_()
    compared = torch.rand(2, 3, generator=chance) > 0.3
    pull = torch.randint(-2, 3, (3, 4, 2, 3), generator=chance).float()
    encoder = DenseChannel(5)
    crossed = encoder.crossed(query, ticket, compared)
    matched = (query[:, None, :, None] - ticket[None, :, None]).abs().sum(-1) * compared
    mine, theirs = (
        torch.autograd.grad((apart * pull).sum(), (query, ticket)) for apart in (crossed, matched)
    )
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other)
