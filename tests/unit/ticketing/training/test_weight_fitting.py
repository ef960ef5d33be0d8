"""U, V and W fitted to validation queries: a planted weighting comes back."""

from types import SimpleNamespace

import pytest
import torch

from ticketing.model.settings import NetworkSettings
from ticketing.networks.making import new_network
from ticketing.networks.metric import present_coverage_weights, present_pair_weights
from ticketing.networks.siamese import EncodedComponents
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Grade
from ticketing.training.validation import ValidationQuery
from ticketing.training.weight_fitting import HOLD, TAUGHT_HOLD, fit_weights, minimise, query_worths

SETTINGS = NetworkSettings(channels=("E", "L"), word_dims=4, character_dims=2)
PAIRS = torch.tensor([[0.5, 0.1, 0.05], [0.1, 0.3, 0.15]])
CHANNELS = torch.tensor([1.0, 8.0])
COVERAGE = torch.tensor([3.0, 1.0])
CANDIDATES = 40


def network():
    """A network of the weights that planted distances are not of."""
    vocabulary = Vocabulary(["word"], [1], 1)
    made = new_network(SETTINGS, vocabulary, torch.zeros(len(vocabulary), 4), {})
    made.set_weights(torch.tensor([[0.3, 0.2, 0.1], [0.2, 0.3, 0.1]]), torch.tensor([2.0, 3.0]))
    made.set_coverage_weights(torch.tensor([2.0, 2.0]))
    return made


class Planted:
    """Stands in for ValidationSet: n queries that find what planted weights say, drawn by g."""

    def __init__(self, network, n):
        chance = torch.Generator().manual_seed(0)
        self.apart = torch.rand(n, CANDIDATES, 2, 3, 2, generator=chance) * 4
        self.missing = torch.rand(n, CANDIDATES, 2, generator=chance)
        self.present = torch.rand(n, 2, generator=chance) > 0.2
        self.present[:, 0] = True
        self.shares = self.present * torch.linspace(0.5, 1, 2 * n).view(n, 2)
        scaled = present_pair_weights(
            PAIRS, self.shares.unsqueeze(1), torch.ones(1, CANDIDATES, 3, dtype=torch.bool)
        )
        distances = ((self.apart * CHANNELS).sum(-1) * scaled).sum((-2, -1))
        whole = present_coverage_weights(COVERAGE, self.shares)
        distances = distances + (self.missing * whole.unsqueeze(1)).sum(-1)
        drawn = torch.softmax(-distances, 1).multinomial(1, generator=chance)  # [n, 1]
        self.right = torch.zeros(n, CANDIDATES, dtype=torch.bool).scatter(1, drawn, True)
        self.graded, self.eligible = self.right, torch.ones_like(self.right)
        self.queries = [SimpleNamespace(grades={"T": Grade.YES}, weak=False)] * n
        network.crossed_distances = lambda queries, candidates: list(
            self.apart[:, : len(candidates.present)].unbind(-1)
        )
        network.query_shares = lambda queries: self.shares
        network.crossed_missing = lambda queries, candidates: self.missing[
            :, : len(candidates.present)
        ]

    def encode(self, network):
        everything = torch.ones(CANDIDATES, 3, dtype=torch.bool)
        return EncodedComponents({}, self.present), EncodedComponents({}, everything)


@torch.no_grad()
def products(network):
    """What a unit of distance weighs: V[p, r] * W[c]."""
    return (network.pair_weights[..., None] * network.channel_weights).flatten().tolist()


def test_many_queries_bring_back_planted_weights():
    learner = network()
    fit_weights(learner, Planted(learner, 1500))
    planted = (PAIRS[..., None] * CHANNELS).flatten().tolist()
    assert learner.coverage_weights.tolist() == pytest.approx(COVERAGE.tolist(), abs=0.4)
    for found, wanted in zip(products(learner), planted, strict=True):
        assert found == pytest.approx(wanted, rel=0.25, abs=0.06)


def test_the_sum_of_v_is_kept():
    """Missing components rescale V to its sum, so the scale of the distance lies in W."""
    learner = network()
    fit_weights(learner, Planted(learner, 100))
    assert float(learner.pair_weights.detach().sum()) == pytest.approx(1.2, rel=1e-4)


def test_a_hundred_queries_tell_the_scale_and_leave_the_weights_beside_each_other():
    """Those that planted them find at half of these distances."""
    learner = network()
    learner.set_weights(PAIRS, 2 * CHANNELS)
    learner.set_coverage_weights(2 * COVERAGE)
    fit_weights(learner, Planted(learner, 100), hold=TAUGHT_HOLD)
    scales = torch.cat(
        [learner.channel_weights / (2 * CHANNELS), learner.coverage_weights / (2 * COVERAGE)]
    ).detach()
    assert float(scales.mean()) == pytest.approx(0.5, abs=0.15)
    assert scales.tolist() == pytest.approx([float(scales.mean())] * 4, rel=0.15)


def test_weights_of_a_taught_network_move_less_beside_each_other():
    moved = []
    for hold in (HOLD, TAUGHT_HOLD):
        learner = network()
        before = torch.tensor(products(learner))
        fit_weights(learner, Planted(learner, 200), hold=hold)
        changes = (torch.tensor(products(learner)) / before).log()
        moved.append(float((changes - changes.mean()).abs().max()))
    assert 0 < moved[1] < 0.6 * moved[0]


def test_no_query_changes_nothing():
    learner = network()
    before = products(learner)
    fit_weights(learner, Planted(learner, 0))
    assert products(learner) == before


def test_one_query_that_is_answered_well_changes_next_to_nothing():
    learner = network()
    before = products(learner)
    planted = Planted(learner, 1)
    planted.apart[planted.right] = 0.5
    fit_weights(learner, planted)
    assert products(learner) == pytest.approx(before, rel=0.1)


def test_what_one_surprising_query_changes_costs_no_more_than_its_cross_entropy():
    """The changes are logarithms, of V, W and the scale; HOLD times their squares are paid for by
    what the query gains."""
    learner = network()
    before = torch.tensor(products(learner))
    planted = Planted(learner, 1)
    planted.shares[:] = 1
    planted.apart[planted.right] += 0.5
    apart = (planted.apart.flatten(2) * before.view(2, 3, 2).flatten()).sum(-1)
    missed = float(apart[planted.right])  # at most, for g <= 1
    fit_weights(learner, planted)
    changes = (torch.tensor(products(learner)) / before).log()
    assert 0.1 < float(changes.abs().max()) <= (3 * missed / HOLD) ** 0.5


def test_queries_whose_answer_cannot_be_compared_change_nothing():
    learner = network()
    before = products(learner)
    planted = Planted(learner, 5)
    planted.eligible = ~planted.right
    fit_weights(learner, planted)
    assert products(learner) == pytest.approx(before, rel=1e-5)


def test_only_peoples_queries_count_and_a_rel_counts_half():
    yes, rel = (
        ValidationQuery(([1],), {"a": Grade.YES}),
        ValidationQuery(([1],), {"a": Grade.REL, "b": Grade.NO}),
    )
    weak = ValidationQuery(([1],), {"a": Grade.YES}, weak=True)
    assert query_worths(SimpleNamespace(queries=[yes, weak, rel])).tolist() == [1, 0, 0.5]


def test_weak_queries_change_nothing():
    learner = network()
    before = products(learner)
    planted = Planted(learner, 50)
    planted.queries = [SimpleNamespace(grades={"T": Grade.YES}, weak=True)] * 50
    fit_weights(learner, planted)
    assert products(learner) == before


def test_a_search_that_leaves_the_numbers_ends_at_the_best_point_so_far():
    """(x - 2)^2 is no number from the third time on that it is looked at."""
    x = torch.zeros(1, requires_grad=True)
    found = []

    def loss():
        total = ((x - 2) ** 2).sum() if len(found) < 2 else (x * torch.nan).sum()
        total.backward()
        found.append((float(total.detach()), float(x.detach())))
        return total

    minimise(loss, x)
    assert len(found) == 3 and x.isfinite().all()
    assert float(x.detach()) == min(pair for pair in found if pair[0] == pair[0])[1]


def test_a_plain_minimum_is_found():
    x = torch.tensor([5.0, -3.0], requires_grad=True)

    def loss():
        total = ((x - torch.tensor([2.0, 1.0])) ** 2).sum()
        total.backward()
        return total

    minimise(loss, x)
    torch.testing.assert_close(x.detach(), torch.tensor([2.0, 1.0]), atol=1e-4, rtol=0)
